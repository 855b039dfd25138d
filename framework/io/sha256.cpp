#include "io/sha256.h"

#include <fcntl.h>
#include <openssl/evp.h>
#include <unistd.h>

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <vector>

#include "base/error.h"

namespace assay {
namespace {

constexpr std::size_t kBlock = std::size_t{1} << 18;

std::string to_hex(std::span<const std::byte> bytes) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string text;
  for (const std::byte byte : bytes) {
    text += digits[std::to_integer<unsigned>(byte) >> 4];
    text += digits[std::to_integer<unsigned>(byte) & 15];
  }
  return text;
}

void check(int success) {
  if (success != 1) throw Error(ExitCode::failed, "OpenSSL refused SHA-256: is it configured out?");
}

}  // namespace

struct Sha256::Context {
  Context() : evp(EVP_MD_CTX_new()) {
    check(evp != nullptr);
    restart();
  }
  ~Context() { EVP_MD_CTX_free(evp); }
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;
  void restart() { check(EVP_DigestInit_ex(evp, EVP_sha256(), nullptr)); }

  EVP_MD_CTX* evp;
};

Sha256::Sha256() : context_(std::make_unique<Context>()) {}
Sha256::~Sha256() = default;

void Sha256::add(std::span<const std::byte> bytes) {
  check(EVP_DigestUpdate(context_->evp, bytes.data(), bytes.size()));
}

void Sha256::add(std::string_view bytes) {
  add(std::as_bytes(std::span(bytes)));
}

std::array<std::byte, 32> Sha256::digest() {
  std::array<std::byte, 32> result;
  unsigned size = 0;
  check(EVP_DigestFinal_ex(context_->evp, reinterpret_cast<unsigned char*>(result.data()), &size));
  context_->restart();
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
  const int descriptor = ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0)
    throw Error(ExitCode::data,
                fmt::format("{}: cannot be opened: {}", file.string(), std::strerror(errno)));
  Sha256 hash;
  std::vector<std::byte> block(kBlock);
  while (true) {
    const ssize_t got = ::read(descriptor, block.data(), block.size());
    if (got > 0) hash.add(std::span(block).first(static_cast<std::size_t>(got)));
    if (got == 0) break;
    if (got < 0 && errno != EINTR) {
      const int reason = errno;
      ::close(descriptor);
      throw Error(ExitCode::data,
                  fmt::format("{}: cannot be read: {}", file.string(), std::strerror(reason)));
    }
  }
  ::close(descriptor);
  return hash.hex();
}

}  // namespace assay
