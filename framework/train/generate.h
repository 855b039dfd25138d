// Text from a trained model, token by token.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "autograd/tape.h"
#include "base/api.h"
#include "base/random.h"
#include "interfaces/model.h"
#include "interfaces/sampler.h"
#include "nn/key_value_cache.h"

namespace assay {

/// What a model goes on from: ids and, for models that read one, a source.
struct Prompt {
  std::span<const std::int32_t> ids, source = {};
};

/// The logits of the next token, of one sequence as it grows. Beyond the model's longest input only
/// the last ids are seen, at positions from 0. Models that cache compute each position once until
/// then. One thread uses it at a time.
class ASSAY_API NextLogits {
 public:
  /// most: the longest sequence that will be asked for. Model, parameters and source outlive this.
  NextLogits(const Model& model, const Parameters& parameters, std::int64_t most,
             std::span<const std::int32_t> source = {});
  /// After the last of ids, which go on where those of the call before ended. Valid until the next
  /// call. Throws Error(usage) if there is none, or one is not in the vocabulary.
  std::span<const float> operator()(std::span<const std::int32_t> ids);

 private:
  std::span<const float> forward(std::span<const std::int32_t> ids, KeyValueCache* cache);
  const Model& model_;
  const Parameters& parameters_;
  std::span<const std::int32_t> source_;
  Tape tape_;
  std::optional<KeyValueCache> cache_;
  std::int64_t window_ = -1;
};

/// How many of the last ids a model sees; -1: all.
ASSAY_API std::int64_t longest_window(const Model& model);

struct DrawnToken {
  std::int32_t id = 0;
  double log_probability = 0;  // under the model, before any sampler
};

/// Continues the prompt by up to `length` tokens; each is handed over as it is drawn, and one for
/// which `each` says false is the last. A token is drawn from softmax of the logits as the samplers
/// leave them, with draw.uniform(i) for token i; a distribution with one token left draws nothing.
ASSAY_API void generate(const Model& model, const Parameters& parameters,
                        std::span<const std::unique_ptr<Sampler>> samplers, const Prompt& prompt,
                        std::int64_t length, const Random& draw,
                        const std::function<bool(const DrawnToken&)>& each);

/// The ids of the same. The id `stop` ends it before, and is left out; -1: nothing does.
ASSAY_API std::vector<std::int32_t> generate(const Model& model, const Parameters& parameters,
                                             std::span<const std::unique_ptr<Sampler>> samplers,
                                             std::span<const std::int32_t> prompt,
                                             std::int64_t length, const Random& draw,
                                             std::int32_t stop = -1);

/// Log-probability of each of `continuation`, given the prompt and what comes before it.
ASSAY_API std::vector<double> log_probabilities(const Model& model, const Parameters& parameters,
                                                const Prompt& prompt,
                                                std::span<const std::int32_t> continuation);

/// log softmax of logits, in double; -infinity where they are.
ASSAY_API std::vector<double> log_softmax(std::span<const float> logits);

}  // namespace assay
