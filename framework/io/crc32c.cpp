#include "io/crc32c.h"

#include <array>

namespace assay {
namespace {

constexpr std::uint32_t kPolynomial = 0x82f63b78;  // reversed

constexpr std::array<std::uint32_t, 256> make_table() {
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    std::uint32_t remainder = byte;
    for (int bit = 0; bit < 8; ++bit)
      remainder = (remainder >> 1) ^ (remainder & 1 ? kPolynomial : 0);
    table[byte] = remainder;
  }
  return table;
}

constexpr std::array<std::uint32_t, 256> kTable = make_table();

}  // namespace

std::uint32_t crc32c(std::string_view bytes) {
  std::uint32_t sum = 0xffffffff;
  for (const char c : bytes)
    sum = (sum >> 8) ^ kTable[(sum ^ static_cast<unsigned char>(c)) & 0xff];
  return ~sum;
}

}  // namespace assay
