// Text from a trained model, token by token.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/api.h"
#include "base/random.h"
#include "interfaces/model.h"
#include "interfaces/sampler.h"

namespace assay {

/// Continues prompt by length ids. Each next token is drawn from softmax of the logits as the
/// samplers leave them, with draw.uniform(i) for token i; a distribution with one token left draws
/// nothing. Beyond the model's longest input only the last ids are seen, at positions from 0.
/// Models that cache compute each position once until then. The id `stop` ends it before, and is
/// left out; -1: nothing does. Throws Error(usage) for an empty
/// prompt, or an id that is not in the vocabulary.
ASSAY_API std::vector<std::int32_t> generate(const Model& model, const Parameters& parameters,
                                             std::span<const std::unique_ptr<Sampler>> samplers,
                                             std::span<const std::int32_t> prompt,
                                             std::int64_t length, const Random& draw,
                                             std::int32_t stop = -1);

}  // namespace assay
