#include "results/digest.h"

#include <bit>
#include <type_traits>

#include "io/sha256.h"

namespace assay {
namespace {

static_assert(std::endian::native == std::endian::little,
              "values are hashed as they lie in memory");

void add(Sha256& hash, std::int64_t number) {
  hash.add(std::as_bytes(std::span(&number, 1)));
}

void add(Sha256& hash, std::string_view text) {
  add(hash, static_cast<std::int64_t>(text.size()));
  hash.add(text);
}

std::string_view kind(const std::vector<float>&) {
  return "float32";
}
std::string_view kind(const std::vector<double>&) {
  return "float64";
}
std::string_view kind(const std::vector<std::int64_t>&) {
  return "int64";
}
std::string_view kind(const std::string&) {
  return "bytes";
}

}  // namespace

std::string digest(const State& state) {
  Sha256 hash;
  for (const auto& [name, array] : state) {
    add(hash, name);
    add(hash, static_cast<std::int64_t>(array.shape.size()));
    for (const std::int64_t extent : array.shape) add(hash, extent);
    std::visit(
        [&](const auto& values) {
          add(hash, kind(values));
          add(hash, static_cast<std::int64_t>(values.size()));
          hash.add(std::as_bytes(std::span(values.data(), values.size())));
        },
        array.data);
  }
  return hash.hex();
}

}  // namespace assay
