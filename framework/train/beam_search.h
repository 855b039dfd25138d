// The most likely continuation, as far as a beam finds it: the best `width` beginnings are kept and
// extended by each next token (Graves, 2012; Sutskever, Vinyals and Le, 2014, section 3.2).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/api.h"
#include "train/generate.h"

namespace assay {

struct BeamOptions {
  std::int64_t width = 5;
  std::int64_t length = 0;    // tokens at most
  std::int32_t end = -1;      // the id that ends a sequence; -1: none, all have the same length
  double length_penalty = 1;  // sequences are compared by log-probability / length^this
};

/// The search that samplers ask for; none if they draw. Throws Error(usage) for one that does not
/// stand alone.
ASSAY_API std::optional<BeamSettings> beam_of(std::span<const std::unique_ptr<Sampler>> samplers);

struct BeamResult {
  std::vector<std::int32_t> ids;          // with the end, if it came
  std::vector<double> log_probabilities;  // of each id
  double score = 0;
};

/// The sequences that the beam ends with, best first. Of equal scores the lower ids come first.
ASSAY_API std::vector<BeamResult> beam_search(const Model& model, const Parameters& parameters,
                                              const Prompt& prompt, const BeamOptions& options);

}  // namespace assay
