// Text files as they are met in the wild: byte order marks, line endings, bytes that are not UTF-8.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "base/api.h"

namespace assay {

/// What becomes of CR LF and of a lone CR.
enum class Newlines { normalise /* one LF */, keep };
/// What becomes of bytes that are not UTF-8.
enum class Invalid { refuse, replace /* by U+FFFD, each byte */, keep /* for byte tokenizers */ };

struct TextFile {
  std::string text;
  std::string sha256;         // of the bytes on disk
  std::int64_t replaced = 0;  // bytes that became U+FFFD
};

/// Throws Error(data): missing, a folder, not readable, empty, UTF-16, not UTF-8 (with the offset
/// of the byte in the file), each in its own words. A UTF-8 byte order mark is dropped. otherwise:
/// "or ...", what else than converting a file that is not UTF-8 the caller can offer.
ASSAY_API TextFile read_text_file(const std::filesystem::path& file, Newlines newlines,
                                  Invalid invalid, std::string_view otherwise = {});

/// The same of bytes that were read already. name: what they are from, for messages.
ASSAY_API TextFile decode_text(std::string bytes, const std::string& name, Newlines newlines,
                               Invalid invalid, std::string_view otherwise = {});

/// The whole file as it is, without a UTF-8 byte order mark, whatever its bytes and line endings.
ASSAY_API std::string read_text(const std::filesystem::path& file);

/// Number of characters, and the bytes that the first of them take. Defined for any bytes: a UTF-8
/// continuation byte belongs to the character before it.

}  // namespace assay
