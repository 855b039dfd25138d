#include "io/sha256.h"

// The functions that OpenSSL 3 calls deprecated, because EVP spends 2 ms on starting its providers.
#define OPENSSL_SUPPRESS_DEPRECATED
#include <openssl/sha.h>

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
  SHA256_CTX state;
};

Sha256::Sha256() : context_(std::make_unique<Context>()) {
  SHA256_Init(&context_->state);
}
Sha256::~Sha256() = default;

void Sha256::add(std::span<const std::byte> bytes) {
  SHA256_Update(&context_->state, bytes.data(), bytes.size());
}

void Sha256::add(std::string_view bytes) {
  add(std::as_bytes(std::span(bytes)));
}

std::array<std::byte, 32> Sha256::digest() {
  std::array<std::byte, 32> result;
  SHA256_Final(reinterpret_cast<unsigned char*>(result.data()), &context_->state);
  SHA256_Init(&context_->state);
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
