#include "data/corpora.h"

#include <fmt/format.h>

#include <cstdlib>
#include <optional>

#include "base/error.h"
#include "base/text.h"
#include "io/download.h"
#include "io/sha256.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

fs::path environment(const char* name) {
  const char* value = std::getenv(name);
  return value ? fs::path(value) : fs::path();
}

fs::path cache_folder() {
  if (const fs::path folder = environment("XDG_CACHE_HOME"); folder.is_absolute())
    return folder / "assay";
  if (const fs::path home = environment("HOME"); !home.empty()) return home / ".cache/assay";
  return {};
}

// A name as an experiment writes it for a known corpus: no path could be meant.
bool looks_like_a_name(const std::string& source) {
  return source.find_first_of("/.") == std::string::npos;
}

void check(const Corpus& corpus, const fs::path& file) {
  const std::string sha256 = sha256_hex_file(file);
  if (sha256 == corpus.sha256) return;
  throw Error(ExitCode::data,
              fmt::format("{}: is not {}: its SHA-256 is {}, wanted {}; remove it to have it "
                          "downloaded anew, or write its path (source: ./{}) to use it as it is",
                          file.string(), corpus.name, sha256, corpus.sha256, corpus.file));
}

fs::path find_known(const Corpus& corpus, const fs::path& folder, const Corpora& corpora) {
  for (const fs::path& place : {corpora.shared, folder / "data", corpora.cache}) {
    if (place.empty()) continue;
    std::error_code absent;
    const fs::path file = place / corpus.file;
    if (!fs::exists(file, absent)) continue;
    check(corpus, file);
    return file;
  }
  if (corpora.cache.empty())
    throw Error(ExitCode::data,
                fmt::format("{}: no folder to download it to: set HOME, or put {} into a folder "
                            "and name that in ASSAY_DATA",
                            corpus.name, corpus.file));
  const fs::path file = corpora.cache / corpus.file;
  download(corpus.url, file, corpus.sha256);
  return file;
}

}  // namespace

Corpora default_corpora() {
  return {{{"tiny_shakespeare", "tinyshakespeare.txt",
            "https://raw.githubusercontent.com/karpathy/char-rnn/master/data/tinyshakespeare/"
            "input.txt",
            "86c4e6aa9db7c042ec79f339dcb96d42b0075e16b8fc2e86bf0ca57e2dc565ed"}},
          environment("ASSAY_DATA"),
          cache_folder()};
}

fs::path find_corpus(const std::string& source, const fs::path& folder, const Corpora& corpora) {
  std::vector<std::string> names;
  for (const Corpus& corpus : corpora.known) {
    if (corpus.name == source) return find_known(corpus, folder, corpora);
    names.push_back(corpus.name);
  }
  const fs::path file = folder / source;
  std::error_code absent;
  if (!looks_like_a_name(source) || fs::exists(file, absent)) return file;
  const std::optional<std::string> near = near_match(source, names);
  throw Error(
      ExitCode::usage,
      fmt::format("dataset.source: no corpus {} and no file {}; {}", quote(source), file.string(),
                  near ? fmt::format("did you mean '{}'?", *near)
                       : fmt::format("corpora known by name: {}", join(names))));
}

}  // namespace assay
