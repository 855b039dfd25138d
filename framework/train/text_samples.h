// What the section `samples` asks for: texts that a model writes while it is trained. Their draws
// are their own, so that training goes the same way with and without them.
//
//   const TextSamples samples(asked, std::move(chains), options, {.seed = 1});
//   for (TextSample& sample : samples.written(step)) record.samples.push_back(std::move(sample));
//
// Threads: written() is const; call it from within a Pool.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/api.h"
#include "interfaces/model.h"
#include "results/record.h"
#include "train/options.h"
#include "train/text_start.h"

namespace assay {

/// Samplers in the order in which they are applied.
struct SamplerChain {
  std::vector<std::unique_ptr<Sampler>> samplers;
  std::string name;  // "temperature 0.8, top_k 40"
};

struct WritingModel {
  const Model& model;
  const Parameters& parameters;
  const DataSpec& spec;
  TextCodec codec;
  std::int32_t stop = -1;  // an id that ends a sample, beside what the data end it with
  std::uint64_t seed = 1;
};

class ASSAY_API TextSamples {
 public:
  /// All that asked refers to outlives it. Throws for a prompt that cannot be encoded, and for more
  /// samples than a beam finds.
  TextSamples(const WritingModel& asked, std::vector<SamplerChain> chains,
              const SampleOptions& options);

  /// `count` samples of each prompt by each chain, with the model as it is: the same draws at every
  /// step, or the best that a beam finds. One ends where logits are not finite.
  std::vector<TextSample> written(std::int64_t step) const;

 private:
  using Ids = std::vector<std::int32_t>;
  std::vector<Ids> drawn(const SamplerChain& chain, const TextStart& start,
                         std::uint64_t first) const;
  std::vector<Ids> searched(const BeamSettings& beam, const TextStart& start) const;
  std::vector<std::string> texts(const SamplerChain& chain, const TextStart& start,
                                 std::uint64_t first) const;

  WritingModel asked_;
  std::vector<SamplerChain> chains_;
  std::vector<std::string> prompts_;
  std::vector<TextStart> starts_;
  std::int64_t length_, count_;
};

}  // namespace assay
