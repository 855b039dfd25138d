#include "nn/key_value_cache.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"

namespace assay {

KeyValueCache::Layer& KeyValueCache::append(std::string_view path, std::span<const float> keys,
                                            std::span<const float> values, std::int64_t n) {
  if (length_ + n > capacity_)
    throw Error(ExitCode::usage,
                fmt::format("{}: {} positions after {} exceed the {} that the cache has room for",
                            path, n, length_, capacity_));
  const std::int64_t width = static_cast<std::int64_t>(keys.size()) / (rows_ * n);
  auto found = layers_.find(path);
  if (found == layers_.end()) {
    const auto size = static_cast<std::size_t>(rows_ * capacity_ * width);
    found = layers_.emplace(std::string(path), Layer{std::vector<float>(size), {}}).first;
    found->second.values.resize(size);
  }
  Layer& layer = found->second;
  const std::int64_t added = n * width;
  for (std::int64_t row = 0; row < rows_; ++row) {
    const std::int64_t to = (row * capacity_ + length_) * width;
    std::copy_n(keys.begin() + row * added, added, layer.keys.begin() + to);
    std::copy_n(values.begin() + row * added, added, layer.values.begin() + to);
  }
  return layer;
}

void KeyValueCache::keep(std::string_view path, std::span<const float> keys,
                         std::span<const float> values) {
  kept_[std::string(path)] = {{keys.begin(), keys.end()}, {values.begin(), values.end()}};
}

std::span<float> KeyValueCache::state(std::string_view path, std::int64_t width) {
  auto found = states_.find(path);
  if (found == states_.end()) {
    const auto size = static_cast<std::size_t>(rows_ * width);
    found = states_.emplace(std::string(path), std::vector<float>(size)).first;
  }
  return found->second;
}

}  // namespace assay
