// The logits of the next token, of one sequence or several as they grow.
//
//   NextLogits next(model, parameters, 300);
//   for (...) ids.push_back(drawn_from(next(ids)));
//
// Beyond the model's longest input only the last ids are seen, at positions from 0. Models that
// cache compute each position once until then. Many positions are cut into parts of a fixed size
// that the pool shares. What comes out for a sequence depends on neither threads nor its mates, and
// is that of computing everything anew up to rounding. One thread uses it at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "autograd/tape.h"
#include "base/api.h"
#include "base/error.h"
#include "interfaces/model.h"
#include "nn/key_value_cache.h"

namespace assay {

/// How many of the last ids a model sees; -1: all.
ASSAY_API std::int64_t longest_window(const Model& model);

/// The model gives no distribution of the next token.
class ASSAY_API NotFinite : public Error {
 public:
  explicit NotFinite(const std::string& message) : Error(ExitCode::failed, message) {}
};

class ASSAY_API NextLogits {
 public:
  using Ids = std::vector<std::int32_t>;

  /// most: the longest sequence that will be asked for. Model, parameters and source outlive this.
  NextLogits(const Model& model, const Parameters& parameters, std::int64_t most,
             std::span<const std::int32_t> source = {});
  /// [K] after the last of ids, which go on where those of the call before ended. Valid until the
  /// next call. Throws Error(usage) if there is none, or one is not in the vocabulary; NotFinite
  /// unless all logits are finite or -infinity, and one is finite.
  std::span<const float> operator()(std::span<const std::int32_t> ids);

  /// From here on there are so many sequences, each of which was number origins[i] before (there is
  /// one at first).
  void select(std::span<const std::int64_t> origins);
  /// The same of all of them; of equal lengths.
  std::vector<std::span<const float>> operator()(std::span<const Ids> sequences);

 private:
  /// Computes positions behind those that a cache holds.
  class Runner {
   public:
    /// Logits [rows, K] after the last of the new positions: ids [rows, n], n of them.
    std::span<const float> run(const NextLogits& asked, std::span<const std::int32_t> ids,
                               std::int64_t rows, KeyValueCache* cache);

   private:
    std::span<const float> pass(const NextLogits& asked, std::span<const std::int32_t> ids,
                                std::int64_t rows, KeyValueCache* cache, Tape& tape);
    std::vector<std::unique_ptr<Tape>> tapes_;
    std::vector<float> logits_;
  };
  /// A sequence that is longer than the window is computed anew for each token.
  struct Sliding {
    KeyValueCache cache;
    Runner runner;
  };
  std::span<const float> anew(std::span<const std::int32_t> window, std::size_t row);

  const Model& model_;
  const Parameters& parameters_;
  std::span<const std::int32_t> source_;
  std::int64_t window_ = -1, rows_ = 1;
  std::optional<KeyValueCache> cache_;
  Runner runner_;
  std::vector<std::unique_ptr<Sliding>> sliding_;
};

}  // namespace assay
