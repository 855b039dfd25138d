// Vocabularies of byte-level encodings in the files that others publish.
//
//   Bpe gpt2 = read_gpt2_files("vocab.json", "merges.txt");
//   Bpe cl100k = read_rank_file("cl100k_base.tiktoken");
//
// Errors: Error(data) naming file and line.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "base/api.h"
#include "data/bpe.h"

namespace assay {

/// vocab.json, one object from token to id, and merges.txt, "left right" a line, the most important
/// first, after a line "#version: ...". In both a byte is written as a character: printable Latin-1
/// characters as themselves, the other 68 bytes as U+0100 and on (Radford et al., 2019,
/// encoder.py).
ASSAY_API Bpe read_gpt2_files(const std::filesystem::path& vocabulary,
                              const std::filesystem::path& merges);
/// tiktoken's: the token in base64, a space, and its rank, which is its id, on each line.
ASSAY_API Bpe read_rank_file(const std::filesystem::path& file);

/// The same from text; the names stand in messages.
ASSAY_API Bpe parse_gpt2_files(std::string_view vocabulary, const std::string& vocabulary_name,
                               std::string_view merges, const std::string& merges_name);
ASSAY_API Bpe parse_rank_file(std::string_view text, const std::string& name);

/// The id of each byte. Throws Error(data) with `where` if one has none.
ASSAY_API std::array<std::int32_t, 256> byte_ids(const Bpe& bpe, const std::string& where);

}  // namespace assay
