// Known corpora by name.
//
//   std::filesystem::path file = find_corpus("tiny_shakespeare", folder);
//   std::string text = read_text(find_corpus("play.txt", folder));
//
// Threads: any; two processes that download at once each put a whole file in place.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/api.h"
#include "data/text_file.h"

namespace assay {

struct Corpus {
  std::string name;  // what an experiment writes
  std::string file;  // how it is called on disk
  std::string url, sha256;
};

/// What can be named, and where it may lie.
struct Corpora {
  std::vector<Corpus> known;
  std::filesystem::path shared;  // looked into first; empty: none
  std::filesystem::path cache;   // looked into last, and where downloads go
};

/// The corpora that Assay knows, with $ASSAY_DATA as shared folder and $XDG_CACHE_HOME/assay, else
/// ~/.cache/assay, as cache.
ASSAY_API Corpora default_corpora();

/// The file of a known corpus ("tiny_shakespeare") or of a path (relative to folder). A known
/// corpus is looked for in the shared folder, in data/ beside the experiment (folder) and in the
/// cache, and otherwise downloaded there; its SHA-256 is checked wherever it was found. Throws
/// Error(usage) for an unknown name that is no file, with near names; Error(data) if the download
/// fails or the checksum differs.
ASSAY_API std::filesystem::path find_corpus(const std::string& source,
                                            const std::filesystem::path& folder,
                                            const Corpora& corpora = default_corpora());

}  // namespace assay
