// Text from a trained model, token by token.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "base/api.h"
#include "base/random.h"
#include "interfaces/model.h"
#include "interfaces/sampler.h"
#include "train/next_logits.h"

namespace assay {

/// What a model goes on from: ids and, for models that read one, a source.
struct Prompt {
  std::span<const std::int32_t> ids, source = {};
};

struct DrawnToken {
  std::int32_t id = 0;
  double log_probability = 0;  // under the model, before any sampler
};

/// Continues the prompt by up to `length` tokens; each is handed over as it is drawn, and one for
/// which `each` says false is the last. A token is drawn from softmax of the logits as the samplers
/// leave them, with draw.uniform(i) for token i; a distribution with one token left draws nothing.
/// Throws NotFinite where the model gives none, Error(usage) for a sampler with a beam.
ASSAY_API void generate(const Model& model, const Parameters& parameters,
                        std::span<const std::unique_ptr<Sampler>> samplers, const Prompt& prompt,
                        std::int64_t length, const Random& draw,
                        const std::function<bool(const DrawnToken&)>& each);

/// The same several times at once, each with a draw of its own: each(which, token), from several
/// threads for different ones. What comes out for one does not depend on the others.
ASSAY_API void generate(const Model& model, const Parameters& parameters,
                        std::span<const std::unique_ptr<Sampler>> samplers, const Prompt& prompt,
                        std::int64_t length, std::span<const Random> draws,
                        const std::function<bool(std::size_t, const DrawnToken&)>& each);

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
