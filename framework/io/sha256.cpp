#include "io/sha256.h"

#include <nettle/sha2.h>

#include "io/read_file.h"

namespace assay {
namespace {

std::string to_hex(std::span<const std::byte> bytes) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string text;
  for (const std::byte byte : bytes) {
    text += digits[std::to_integer<unsigned>(byte) >> 4];
    text += digits[std::to_integer<unsigned>(byte) & 15];
  }
  return text;
}

}  // namespace

struct Sha256::Context {
  sha256_ctx state;
};

Sha256::Sha256() : context_(std::make_unique<Context>()) {
  sha256_init(&context_->state);
}
Sha256::~Sha256() = default;

void Sha256::add(std::span<const std::byte> bytes) {
  sha256_update(&context_->state, bytes.size(),
                reinterpret_cast<const std::uint8_t*>(bytes.data()));
}

void Sha256::add(std::string_view bytes) {
  add(std::as_bytes(std::span(bytes)));
}

std::array<std::byte, 32> Sha256::digest() {
  std::array<std::byte, 32> result;
  // Also begins anew.
  sha256_digest(&context_->state, result.size(), reinterpret_cast<std::uint8_t*>(result.data()));
  return result;
}

std::string Sha256::hex() {
  return to_hex(digest());
}

std::string sha256_hex(std::span<const std::byte> bytes) {
  Sha256 hash;
  hash.add(bytes);
  return hash.hex();
}

std::string sha256_hex(std::string_view bytes) {
  return sha256_hex(std::as_bytes(std::span(bytes)));
}

std::string sha256_hex_file(const std::filesystem::path& file) {
  Sha256 hash;
  read_blocks(file, [&](std::span<const std::byte> block) { hash.add(block); });
  return hash.hex();
}

}  // namespace assay
