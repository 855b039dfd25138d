// The characters of a YAML text, before its structure is looked at.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "config/value.h"

namespace assay {

/// A reason to stop reading, and its place; thrown and caught inside the reader.
struct YamlFault {
  Location at;
  std::string message;
};

/// Turns byte offsets into places. Cheap where offsets mostly grow.
class YamlPlaces {
 public:
  YamlPlaces(std::string_view text, Location start) : text_(text), start_(std::move(start)) {}
  Location at(std::size_t offset);

 private:
  std::string_view text_;
  Location start_;
  std::size_t offset_ = 0;
  int line_ = 1, column_ = 1;
};

/// text without byte order mark, and with CRLF as LF. Throws YamlFault at what is no UTF-8, at
/// control characters (yaml-cpp takes 0x04 for the end of the text), at lone carriage returns, at
/// directives (lines that start with `%`, which yaml-cpp drops), and above 16 MiB.
std::string yaml_characters(std::string_view text, const Location& start);

/// Our words for what yaml-cpp says, with what to do.
std::string yaml_complaint(std::string_view yaml_cpp_message);

inline constexpr std::size_t kYamlBytes = std::size_t{16} << 20;
inline constexpr int kYamlDepth = 64;
inline constexpr std::int64_t kYamlNodes = 100'000;

}  // namespace assay
