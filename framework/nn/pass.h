// What one forward (and backward) pass over one shard of a batch needs, handed to Model::forward.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "autograd/tape.h"
#include "base/api.h"
#include "base/random.h"
#include "nn/parameters.h"

namespace assay {

class KeyValueCache;

enum class Mode { train, evaluate };

/// Receives inner values on request (attention weights [B, H, N, M] by layer path). Null: nobody
/// asks.
using Tap = std::function<void(std::string_view path, const Shape& shape, std::span<const float>)>;

class ASSAY_API Pass {
 public:
  /// gradients: a buffer laid out like parameters, or empty (evaluation). All references outlive
  /// the pass.
  Pass(Tape& tape, const Parameters& parameters, std::span<float> gradients, Mode mode,
       const Random& random);

  Tape& tape() const { return *tape_; }
  Mode mode() const { return mode_; }
  bool training() const { return mode_ == Mode::train; }
  /// Random numbers of this step; a use makes its own with("dropout/layer0") and counts from
  /// first_row() x numbers per row, so that cutting a batch into shards changes nothing.
  const Random& random() const { return random_; }
  std::int64_t first_row() const { return first_row_; }
  void set_first_row(std::int64_t row) { first_row_ = row; }

  /// The parameter as a tensor of this pass. The same id gives the same tensor: gradients add up.
  Tensor parameter(ParameterId id) const { return tensors_[static_cast<std::size_t>(id.index)]; }

  const Tap* tap = nullptr;
  /// Not null while text is generated token by token: attention layers append their keys and
  /// values.
  KeyValueCache* cache = nullptr;

  /// Adds to what is minimised, per target of the batch: the training step adds the sum of all
  /// penalties [] times the weight of its loss. They are no part of the loss that is told.
  void penalise(Tensor penalty);
  Tensor penalty() const { return penalty_; }  // the sum; empty: none

  /// After Tape::backward: zeroes the gradient of every trainable parameter that no gradient
  /// reached.
  void complete_gradients() const;

 private:
  Tape* tape_;
  Mode mode_;
  Random random_;
  std::int64_t first_row_ = 0;
  std::vector<Tensor> tensors_;
  Tensor penalty_;
};

}  // namespace assay
