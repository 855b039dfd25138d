// A tokenizer that an earlier run trained, out of its result file: `tokenizer: {from: FILE}`.
//
//   const StoredTokenizer stored = read_stored_tokenizer("results/bpe/seed=1.h5");
//   auto tokenizer = registry.prepare<Tokenizer>(stored.section, ...).create(build);
//   restore(*tokenizer, stored.state);
#pragma once

#include <filesystem>
#include <string>

#include "base/api.h"
#include "base/state.h"
#include "config/problems.h"
#include "config/value.h"
#include "interfaces/tokenizer.h"

namespace assay {

struct StoredTokenizer {
  Value section;  // type and every option
  State state;
  std::string digest;  // of both: equal digests give equal ids
};

/// Throws Error(data) if the file is no result file, or its run had no tokenizer.
ASSAY_API StoredTokenizer read_stored_tokenizer(const std::filesystem::path& file);

/// The file that `from` names: relative to folder, to the working directory, or to results/ there.
ASSAY_API std::filesystem::path find_stored_tokenizer(const std::string& from,
                                                      const std::filesystem::path& folder);

/// What a section with `from` says beside it must be so in the file.
ASSAY_API void check_stored_tokenizer(const StoredTokenizer& stored, const Value& section,
                                      const std::string& from, Problems& problems);

ASSAY_API void restore(Tokenizer& tokenizer, const State& state);

}  // namespace assay
