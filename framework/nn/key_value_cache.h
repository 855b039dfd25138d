// What layers keep while text is generated, by layer path: the keys and values that attention has
// already computed, the states of recurrent layers. The logits of the next token are then those of
// recomputing the whole prefix, up to rounding.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/api.h"

namespace assay {

class ASSAY_API KeyValueCache {
 public:
  /// Room for the keys and values of `capacity` positions of each of `rows` sequences; states take
  /// none, however many positions they have seen.
  KeyValueCache(std::int64_t rows, std::int64_t capacity) : rows_(rows), capacity_(capacity) {}

  /// Positions filled so far: the position of the next token.
  std::int64_t length() const { return length_; }
  std::int64_t capacity() const { return capacity_; }
  std::int64_t rows() const { return rows_; }
  /// After a forward pass over n new positions: the generator calls it, once all layers have
  /// appended theirs.
  void advance(std::int64_t n) { length_ += n; }
  void clear() {
    length_ = 0;
    kept_.clear();
    states_.clear();
  }

  struct Layer {
    std::vector<float> keys, values;  // [rows, capacity, D]
  };
  /// Appends [rows, n, D] at length(). Throws Error(usage) when capacity is exceeded.
  Layer& append(std::string_view path, std::span<const float> keys, std::span<const float> values,
                std::int64_t n);
  /// Keys and values of a source that does not grow, kept as they are from the first pass on.
  void keep(std::string_view path, std::span<const float> keys, std::span<const float> values);
  /// REQUIRES that the layer kept some.
  const Layer& kept(std::string_view path) const { return kept_.find(path)->second; }
  /// The state [rows, width] that a recurrent layer left after length() positions: zeros at first.
  std::span<float> state(std::string_view path, std::int64_t width);

 private:
  std::int64_t rows_, capacity_, length_ = 0;
  std::map<std::string, Layer, std::less<>> layers_, kept_;
  std::map<std::string, std::vector<float>, std::less<>> states_;
};

}  // namespace assay
