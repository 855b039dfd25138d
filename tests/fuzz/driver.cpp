// Replays a corpus, then tries mutations of it for some seconds, where there is no libFuzzer: the
// same inputs in the same order each time, as many as there is time for.
//
//   yaml_fuzz tests/fuzz/yaml_corpus 10
//
// An input that crashes, hangs (20 s) or takes more than 4 GiB ends the program with a message, and
// is left in the file crash-input.
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

using Clock = std::chrono::steady_clock;
constexpr unsigned kSlow = 20;
constexpr rlim_t kMemory = rlim_t{4} << 30;
constexpr std::size_t kLongest = 1 << 16;

const std::string* tried = nullptr;  // a signal handler can reach nothing else

void on_crash(int signal) {
  std::FILE* file = std::fopen("crash-input", "wb");
  if (file && tried) std::fwrite(tried->data(), 1, tried->size(), file);
  if (file) std::fclose(file);
  std::fprintf(stderr, "signal %d (%s) at an input that is kept in ./crash-input\n", signal,
               signal == SIGALRM ? "a hang" : "a crash, or a broken promise");
  ::_exit(1);
}

void try_input(const std::string& input) {
  tried = &input;
  ::alarm(kSlow);
  LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(input.data()), input.size());
  ::alarm(0);
}

// One to a few changes of the kinds that readers trip over.
class Mutator {
 public:
  explicit Mutator(const std::vector<std::string>& corpus) : corpus_(corpus) {}

  std::string next() {
    std::string input = corpus_[below(corpus_.size())];
    for (std::size_t changes = 1 + below(4); changes > 0; --changes) change(input);
    if (input.size() > kLongest) input.resize(kLongest);
    return input;
  }

 private:
  // The engine is the same everywhere; distributions of the standard library are not.
  std::size_t below(std::size_t count) { return count == 0 ? 0 : random_() % count; }
  std::string piece(const std::string& of) {
    const std::size_t start = below(of.size() + 1);
    return of.substr(start, below(40));
  }

  void change(std::string& input) {
    static const std::vector<std::string> words = {"${",
                                                   "}",
                                                   "${env:X,",
                                                   "&a ",
                                                   "*a",
                                                   "<<: ",
                                                   "[",
                                                   "]",
                                                   "{",
                                                   "\n- ",
                                                   "\n  ",
                                                   ": ",
                                                   "\"",
                                                   "'",
                                                   "\\x",
                                                   "|",
                                                   ">",
                                                   "!",
                                                   "#",
                                                   "---\n",
                                                   "...",
                                                   "\t",
                                                   "\r\n",
                                                   "\xff",
                                                   "~",
                                                   "null",
                                                   "1e999",
                                                   "010",
                                                   "0x1",
                                                   "-",
                                                   ",",
                                                   "=",
                                                   ":=",
                                                   "++",
                                                   "defaults",
                                                   "model",
                                                   "\xef\xbb\xbf",
                                                   "%YAML",
                                                   "?",
                                                   "\xc2\x85",
                                                   "{model: small}",
                                                   "base.yaml",
                                                   "${model.width}"};
    const std::size_t at = below(input.size() + 1);
    switch (below(7)) {
      case 0:
        input.insert(at, words[below(words.size())]);
        break;
      case 1:
        input.erase(at, 1 + below(16));
        break;
      case 2:
        if (at < input.size()) input[at] = static_cast<char>(random_());
        break;
      case 3:
        input.insert(at, piece(input));
        break;
      case 4:
        input.insert(at, piece(corpus_[below(corpus_.size())]));
        break;
      case 5: {  // the same once more, many times: depth and length
        const std::string part = piece(input);
        std::string many;
        for (std::size_t i = below(300); i > 0; --i) many += part;
        input.insert(at, many);
        break;
      }
      default:
        std::swap(input[below(input.size())], input[below(input.size())]);
    }
  }

  const std::vector<std::string>& corpus_;
  std::mt19937_64 random_{20240229};
};

}  // namespace

int main(int count, char** words) {
  if (count != 3) {
    std::fprintf(stderr, "usage: %s CORPUS SECONDS\n", words[0]);
    return 2;
  }
  [[maybe_unused]] const rlimit memory{kMemory, kMemory};  // sanitizers need more
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  ::setrlimit(RLIMIT_AS, &memory);
#endif
  for (const int signal : {SIGSEGV, SIGABRT, SIGBUS, SIGFPE, SIGALRM})
    std::signal(signal, on_crash);

  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(words[1]))
    files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  std::vector<std::string> corpus;
  for (const auto& path : files) {
    std::ifstream file(path, std::ios::binary);
    corpus.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
    corpus.back() += corpus.back().empty() ? " " : "";
    try_input(corpus.back());
  }
  if (corpus.empty()) {
    std::fprintf(stderr, "%s has no files\n", words[1]);
    return 2;
  }
  const auto end = Clock::now() + std::chrono::duration<double>(std::atof(words[2]));
  Mutator mutator(corpus);
  long tries = 0;
  for (; Clock::now() < end; ++tries) try_input(mutator.next());
  std::printf("%zu files and %ld mutations of them\n", corpus.size(), tries);
}
