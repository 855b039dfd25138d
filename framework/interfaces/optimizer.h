// Plugin kind `optimizer`: one update from gradients.
//
//   Sgd(const Options& o, const OptimizerBuild& b) : o_(o), parameters_(b.parameters) {}
//   void step(std::span<const float> gradient, double learning_rate) override { ... }
//
// gradient is laid out like Parameters::buffer(): use parameters.slice(gradient, id). It is already divided by the
// batch's weight and clipped. Parameters that are not trainable are left alone.
// Threads: step runs alone and may use parallel_for over disjoint parts. Ownership: parameters outlive it; gradient is
// lent for the call. Errors: none in step; the trainer has checked that gradients are finite.
#pragma once

#include <span>

#include "base/api.h"
#include "base/state.h"
#include "config/options.h"
#include "nn/parameters.h"

namespace assay {

struct OptimizerBuild {
  Parameters& parameters;
};

class ASSAY_API Optimizer {
 public:
  static constexpr const char* kKind = "optimizer";
  using Build = OptimizerBuild;
  virtual ~Optimizer();

  /// The peak learning rate that its options give; a scheduler shapes it over the steps.
  virtual double learning_rate() const = 0;
  virtual void step(std::span<const float> gradient, double learning_rate) = 0;
  /// Paths of the parameters that weight decay shrinks, for the record.
  virtual std::vector<std::string> decayed() const;
  virtual void state(StateIo& io) = 0;
};

}  // namespace assay
