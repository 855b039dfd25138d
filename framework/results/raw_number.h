// Numbers as they stand in memory, in bytes: all machines that Assay builds for are little-endian.
#pragma once

#include <cstddef>
#include <cstring>
#include <string>
#include <string_view>

namespace assay {

template <class Number>
void append_raw(std::string& to, Number number) {
  to.append(reinterpret_cast<const char*>(&number), sizeof number);
}

/// There must be as many bytes.
template <class Number>
Number raw_number(std::string_view bytes, std::size_t at) {
  Number number = 0;
  std::memcpy(&number, bytes.data() + at, sizeof number);
  return number;
}

}  // namespace assay
