#include "experiment/bench_start.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <fstream>

#include "base/error.h"
#include "base/random.h"
#include "experiment/experiment.h"

extern char** environ;

namespace assay {
namespace {

constexpr int kStarts = 11;

double clock_milliseconds() {
  return std::chrono::duration<double, std::milli>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

// A folder of its own, removed with all that is in it.
class ScratchFolder {
 public:
  ScratchFolder()
      : path_((std::filesystem::temp_directory_path() / "assay-bench-XXXXXX").string()) {
    if (!mkdtemp(path_.data()))
      throw Error(ExitCode::data, fmt::format("{}: cannot make a folder there", path_));
  }
  ~ScratchFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  std::filesystem::path path() const { return path_; }

 private:
  std::string path_;
};

// As long as Tiny Shakespeare, with as many distinct characters.
void write_corpus(const std::filesystem::path& file) {
  std::string text(1115394, ' ');
  const Random draw(0, "corpus");
  for (std::size_t i = 0; i < text.size(); ++i)
    text[i] = static_cast<char>('0' + draw.below(i, 65));
  std::ofstream(file) << text;
}

void write_experiment(const std::filesystem::path& file) {
  std::ofstream(file) << "name: start\n"
                         "dataset: {type: text, source: corpus.txt}\n"
                         "tokenizer: {type: char}\n"
                         "model: {type: gpt, width: 64, heads: 4, layers: 2}\n"
                         "optimizer: {type: adamw, learning_rate: 6e-3}\n"
                         "train: {steps: 2, batch: 32, context: 64}\n"  // the second one evaluates
                         "evaluate: {batches: 1, batch: 1}\n";
}

struct Start {
  double milliseconds, megabytes;
};

Start start_once(const std::filesystem::path& experiment, int threads,
                 const std::vector<std::filesystem::path>& folders) {
  std::vector<std::string> words = {
      "assay", "bench", kFirstUpdate + experiment.string(), "--threads", std::to_string(threads),
      "--json"};
  for (const auto& folder : folders) words.insert(words.end(), {"--plugins", folder.string()});
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0)
    throw Error(ExitCode::failed, "bench: no pipe to the process started");
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  const double before = clock_milliseconds();
  pid_t child = 0;
  const int refused =
      posix_spawn(&child, "/proc/self/exe", &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  std::string output;
  char buffer[4096];
  for (ssize_t got; (got = read(ends[0], buffer, sizeof buffer)) > 0;)
    output.append(buffer, static_cast<std::size_t>(got));
  close(ends[0]);
  int status = 0;
  if (refused == 0) waitpid(child, &status, 0);
  const auto number = [&](const std::string& name) {
    const std::string key = "\"" + name + "\":";
    const auto found = output.find(key);
    if (refused != 0 || status != 0 || found == std::string::npos)
      throw Error(ExitCode::failed, "bench: the program started did not finish its update");
    return std::strtod(output.c_str() + found + key.size(), nullptr);
  };
  return {number("milliseconds") - before, number("megabytes")};
}

class FirstProgress final : public Reporter {
 public:
  void started(const std::string&, std::int64_t) override {}
  void progress(const std::string&, const Progress&) override {
    if (at != 0) return;
    at = clock_milliseconds();
    rusage usage = {};
    getrusage(RUSAGE_SELF, &usage);
    megabytes = static_cast<double>(usage.ru_maxrss) / 1024;
  }
  void finished(const std::string&, const RunRecord&, const std::string&, bool) override {}
  double at = 0, megabytes = 0;
};

}  // namespace

BenchResult bench_start(int threads, const std::vector<std::filesystem::path>& folders) {
  const ScratchFolder folder;
  write_corpus(folder.path() / "corpus.txt");
  write_experiment(folder.path() / "start.yaml");
  std::vector<double> milliseconds, megabytes;
  for (int i = 0; i < kStarts; ++i) {
    const Start start = start_once(folder.path() / "start.yaml", threads, folders);
    if (i == 0) continue;  // the first one fills the page cache
    milliseconds.push_back(start.milliseconds);
    megabytes.push_back(start.megabytes);
  }
  std::sort(milliseconds.begin(), milliseconds.end());
  std::sort(megabytes.begin(), megabytes.end());
  BenchResult result;
  result.unit = "start";
  result.milliseconds = milliseconds[milliseconds.size() / 2];
  result.megabytes = megabytes[megabytes.size() / 2];
  return result;
}

BenchResult first_update(const std::filesystem::path& experiment, int threads,
                         const std::vector<std::filesystem::path>& folders) {
  ExperimentRequest request;
  request.file = experiment;
  request.output = experiment.parent_path() / "start.h5";
  request.plugins = folders;
  request.threads = threads;
  request.force = true;
  FirstProgress reporter;
  const ExperimentResult done = run_experiment(request, reporter);
  if (done.code != ExitCode::done) throw Error(ExitCode::failed, done.runs.front().record.message);
  BenchResult result;
  result.workload = "first-update";
  result.unit = "start";
  result.threads = threads;
  result.milliseconds = reporter.at;
  result.megabytes = reporter.megabytes;
  return result;
}

}  // namespace assay
