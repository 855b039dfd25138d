// A sampler that does nothing, for plugins whose fault lies elsewhere.
#pragma once

#include "assay.h"

class Nothing final : public assay::Sampler {
 public:
  explicit Nothing(const assay::SamplerBuild&) {}
  void apply(std::span<float>) const override {}
};
