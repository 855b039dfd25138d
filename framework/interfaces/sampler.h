// Plugin kind `sampler`: shapes the distribution of the next token; samplers can be chained.
//
//   void apply(std::span<float> logits) const override {        // temperature
//     for (float& l : logits) l /= temperature_;
//   }
//
// A forbidden token has -infinity (whatever forbade it: a mask of allowed tokens, an earlier
// sampler) and stays so. The framework draws from softmax(logits) afterwards with one counter-based
// random number per token, or takes the one token that is left without drawing. A sampler with a
// beam() searches whole sequences instead, and stands alone. Threads: const, any. Ownership: logits
// are lent. Errors: from the constructor.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "base/api.h"
#include "config/options.h"

namespace assay {

struct SamplerBuild {};  // nothing is needed beyond the options yet

/// A search for the likeliest sequence: the best `width` beginnings are kept, and extended by each
/// next token.
struct BeamSettings {
  std::int64_t width = 5;
  double length_penalty = 1;  // sequences are compared by log-probability / length^this
};

class ASSAY_API Sampler {
 public:
  static constexpr const char* kKind = "sampler";
  using Build = SamplerBuild;
  virtual ~Sampler();
  /// logits [K]: finite or -infinity, at least one finite; the same holds afterwards.
  virtual void apply(std::span<float> logits) const = 0;
  /// The search that it asks for in place of draws. Default: none.
  virtual std::optional<BeamSettings> beam() const;
};

}  // namespace assay
