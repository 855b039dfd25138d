// What layers keep while text is generated, by layer path: the keys and values that attention has
// already computed, the states of recurrent layers. The logits of the next token are then those of
// recomputing the whole prefix, up to rounding.
//
//   KeyValueCache cache(1, 64);
//   pass.cache = &cache;
//   model.forward(prompt, pass), cache.advance(5);
//   model.forward(next_token, pass), cache.advance(1);
//
// Several positions can be computed in parts, each by a thread with a part() of the cache: in each
// layer a part waits for the keys of those before it.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "base/api.h"

namespace assay {

class ASSAY_API KeyValueCache {
 public:
  /// Room for the keys and values of `capacity` positions of each of `rows` sequences; states take
  /// none, however many positions they have seen.
  KeyValueCache(std::int64_t rows, std::int64_t capacity);

  /// Positions filled so far: the position of the next token.
  std::int64_t length() const { return length_; }
  std::int64_t capacity() const;
  std::int64_t rows() const;
  /// After a forward pass over n new positions: the generator calls it, once all layers have
  /// appended theirs.
  void advance(std::int64_t n) { length_ += n; }
  void clear();

  /// The logits that a pass is asked for: a model may leave out others, and give one position.
  /// none: whatever they are.
  enum class Wanted : std::uint8_t { all, last, none };
  Wanted wanted() const { return wanted_; }
  void set_wanted(Wanted wanted) { wanted_ = wanted; }

  /// The same cache for who computes the positions from `first` on, while others compute those
  /// before. REQUIRES that these were begun before, and no recurrent layer.
  KeyValueCache part(std::int64_t first) const;
  /// What is before will not come: those that wait for it throw Error(failed).
  void abandon();
  /// Whether a recurrent layer has left a state.
  bool has_states() const;

  /// Row i is what row origins[i] was.
  void select(std::span<const std::int64_t> origins);

  struct Layer {
    std::vector<float> keys, values;  // [rows, capacity, D]
  };
  /// Appends [rows, n, D] at length(). Throws Error(usage) when capacity is exceeded.
  const Layer& append(std::string_view path, std::span<const float> keys,
                      std::span<const float> values, std::int64_t n);
  /// Keys and values of a source that does not grow, kept as they are from the first pass on.
  void keep(std::string_view path, std::span<const float> keys, std::span<const float> values);
  /// REQUIRES that the layer kept some.
  const Layer& kept(std::string_view path) const;
  /// The state [rows, width] that a recurrent layer left after length() positions: zeros at first.
  std::span<float> state(std::string_view path, std::int64_t width);

 private:
  struct Store;
  std::shared_ptr<Store> store_;
  std::int64_t length_ = 0;
  Wanted wanted_ = Wanted::all;
};

}  // namespace assay
