#include "nn/key_value_cache.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>
#include <string>
#include <thread>

#include "base/error.h"

namespace assay {
namespace {

constexpr int kSpins = 4096;  // before a waiting thread lets others run

// [rows, from, width] of which `used` numbers of each row count -> row i is row origins[i].
void select_rows(std::vector<float>& values, std::span<const std::int64_t> origins,
                 std::int64_t row_size, std::int64_t used) {
  std::vector<float> selected(static_cast<std::size_t>(row_size) * origins.size());
  for (std::size_t row = 0; row < origins.size(); ++row)
    std::copy_n(values.begin() + origins[row] * row_size, used,
                selected.begin() + static_cast<std::ptrdiff_t>(row) * row_size);
  values = std::move(selected);
}

}  // namespace

struct KeyValueCache::Store {
  struct Growing {
    Layer layer;
    std::atomic<std::int64_t> filled{0};
  };
  template <class T>
  using ByPath = std::map<std::string, T, std::less<>>;

  std::int64_t rows, capacity;
  std::mutex mutex;  // of the map: its layers are found by several parts at once
  ByPath<Growing> layers;
  ByPath<Layer> kept;
  ByPath<std::vector<float>> states;
  std::atomic<bool> abandoned{false};

  Store(std::int64_t r, std::int64_t c) : rows(r), capacity(c) {}

  Growing& growing(std::string_view path, std::int64_t width) {
    const std::lock_guard lock(mutex);
    const auto found = layers.find(path);
    if (found != layers.end()) return found->second;
    Growing& fresh = layers[std::string(path)];
    const auto size = static_cast<std::size_t>(rows * capacity * width);
    fresh.layer.keys.resize(size);
    fresh.layer.values.resize(size);
    return fresh;
  }

  void wait_until(const Growing& layer, std::int64_t length) const {
    for (int spins = 0; layer.filled.load(std::memory_order_acquire) < length; ++spins) {
      if (abandoned.load(std::memory_order_relaxed))
        throw Error(ExitCode::failed, "an earlier part of the sequence could not be computed");
      if (spins >= kSpins) std::this_thread::yield();
    }
  }
};

KeyValueCache::KeyValueCache(std::int64_t rows, std::int64_t capacity)
    : store_(std::make_shared<Store>(rows, capacity)) {}

std::int64_t KeyValueCache::capacity() const {
  return store_->capacity;
}
std::int64_t KeyValueCache::rows() const {
  return store_->rows;
}

void KeyValueCache::clear() {
  length_ = 0;
  for (auto& [path, layer] : store_->layers) layer.filled = 0;
  store_->kept.clear();
  store_->states.clear();
}

KeyValueCache KeyValueCache::part(std::int64_t first) const {
  KeyValueCache part = *this;
  part.length_ = first;
  return part;
}

void KeyValueCache::abandon() {
  store_->abandoned = true;
}

bool KeyValueCache::has_states() const {
  return !store_->states.empty();
}

void KeyValueCache::select(std::span<const std::int64_t> origins) {
  const std::int64_t before = store_->rows, capacity = store_->capacity;
  bool same = static_cast<std::int64_t>(origins.size()) == before;
  for (std::size_t row = 0; same && row < origins.size(); ++row)
    same = origins[row] == static_cast<std::int64_t>(row);
  if (same) return;
  const auto all = [&](std::vector<float>& values, bool grows) {
    const std::int64_t size = static_cast<std::int64_t>(values.size()) / before;
    select_rows(values, origins, size, grows ? size / capacity * length_ : size);
  };
  for (auto& [path, growing] : store_->layers)
    for (auto* values : {&growing.layer.keys, &growing.layer.values}) all(*values, true);
  for (auto& [path, layer] : store_->kept)
    for (auto* values : {&layer.keys, &layer.values}) all(*values, false);
  for (auto& [path, values] : store_->states) all(values, false);
  store_->rows = static_cast<std::int64_t>(origins.size());
}

const KeyValueCache::Layer& KeyValueCache::append(std::string_view path,
                                                  std::span<const float> keys,
                                                  std::span<const float> values, std::int64_t n) {
  const std::int64_t rows = store_->rows, capacity = store_->capacity;
  if (length_ + n > capacity)
    throw Error(ExitCode::usage,
                fmt::format("{}: {} positions after {} exceed the {} that the cache has room for",
                            path, n, length_, capacity));
  const std::int64_t width = static_cast<std::int64_t>(keys.size()) / (rows * n);
  Store::Growing& growing = store_->growing(path, width);
  const std::int64_t added = n * width;
  for (std::int64_t row = 0; row < rows; ++row) {
    const std::int64_t to = (row * capacity + length_) * width;
    std::copy_n(keys.begin() + row * added, added, growing.layer.keys.begin() + to);
    std::copy_n(values.begin() + row * added, added, growing.layer.values.begin() + to);
  }
  store_->wait_until(growing, length_);
  growing.filled.store(length_ + n, std::memory_order_release);
  return growing.layer;
}

void KeyValueCache::keep(std::string_view path, std::span<const float> keys,
                         std::span<const float> values) {
  store_->kept[std::string(path)] = {{keys.begin(), keys.end()}, {values.begin(), values.end()}};
}

const KeyValueCache::Layer& KeyValueCache::kept(std::string_view path) const {
  return store_->kept.find(path)->second;
}

std::span<float> KeyValueCache::state(std::string_view path, std::int64_t width) {
  auto found = store_->states.find(path);
  if (found == store_->states.end()) {
    const auto size = static_cast<std::size_t>(store_->rows * width);
    found = store_->states.emplace(std::string(path), std::vector<float>(size)).first;
  }
  return found->second;
}

}  // namespace assay
