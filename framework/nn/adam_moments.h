// The two moments of Adam and its kin, and the update from them (Kingma and Ba, 2015, algorithm 1).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/aligned.h"
#include "base/api.h"
#include "base/function_ref.h"
#include "base/state.h"
#include "nn/parameter_parts.h"
#include "nn/parameters.h"

namespace assay {

struct AdamRates {
  double learning_rate = 0;
  double beta1 = 0.9, beta2 = 0.999;
  double epsilon = 1e-8;
};

class ASSAY_API AdamMoments {
 public:
  /// parameters outlive this; none is added afterwards.
  explicit AdamMoments(Parameters& parameters);

  /// How much a parameter decays: beside the moments (its weights shrink by this share), and
  /// through them (this times the weights joins the gradient).
  struct Decay {
    double decoupled = 0, l2 = 0;
  };
  /// One update of all trainable parameters. gradient is laid out like Parameters::buffer().
  void step(std::span<const float> gradient, const AdamRates& rates,
            FunctionRef<Decay(const ParameterInfo&)> decay);
  void state(StateIo& io);

 private:
  Parameters& parameters_;
  ParameterParts parts_;
  AlignedFloats first_, second_;  // laid out like the parameters
  std::int64_t updates_ = 0;
};

}  // namespace assay
