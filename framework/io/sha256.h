// SHA-256 (FIPS 180-4), as 64 lower-case hexadecimal digits: what identifies files, configurations
// and weights.
//
//   std::string whole = sha256_hex_file("data/play.txt");
//   Sha256 hash;                       // or piece by piece
//   hash.add(std::as_bytes(std::span(text)));
//   std::string digest = hash.hex();
//
// Threads: objects are independent. Errors: Error(data) from sha256_hex_file, naming the file.
#pragma once

#include <array>
#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "base/api.h"

namespace assay {

class ASSAY_API Sha256 {
 public:
  Sha256();
  ~Sha256();
  Sha256(const Sha256&) = delete;
  Sha256& operator=(const Sha256&) = delete;

  void add(std::span<const std::byte> bytes);
  void add(std::string_view bytes);
  /// The digest of everything added; the object then starts anew.
  std::array<std::byte, 32> digest();
  std::string hex();

 private:
  struct Context;
  std::unique_ptr<Context> context_;
};

ASSAY_API std::string sha256_hex(std::span<const std::byte> bytes);
ASSAY_API std::string sha256_hex(std::string_view bytes);
ASSAY_API std::string sha256_hex_file(const std::filesystem::path& file);

}  // namespace assay
