// AdamW (Loshchilov and Hutter, 2019, "Decoupled weight decay regularization", algorithm 2): Adam's
// update from the moments of the gradient alone, and beside it each weight shrinks by learning rate
// x decay.
#include "assay.h"

namespace {

using namespace assay;

class AdamW final : public Optimizer {
 public:
  struct Options {
    double learning_rate = 1e-3;
    std::vector<double> betas = {0.9, 0.999};
    double epsilon = 1e-8;
    double weight_decay = 0.01;
    std::string decay = "all";
    static void describe(OptionList<Options>& o) {
      o.add("learning_rate", &Options::learning_rate, "Peak learning rate.").above(0);
      o.add("betas", &Options::betas, "Decay rates of the two moments.").at_least(0).below(1);
      o.add("epsilon", &Options::epsilon, "Added to the root of the second moment.").above(0);
      o.add("weight_decay", &Options::weight_decay, "Share by which rate 1 shrinks a weight.")
          .at_least(0);
      o.add("decay", &Options::decay,
            "What decays: all parameters, or matrices alone (no biases, no norms).")
          .one_of({"all", "matrices"});
      o.rule(
          "betas must be two numbers", [](const Options& a) { return a.betas.size() == 2; },
          "{properties: {betas: {minItems: 2, maxItems: 2}}}");
    }
  };

  AdamW(const Options& options, const OptimizerBuild& build)
      : o_(options), parameters_(build.parameters), moments_(build.parameters) {}

  double learning_rate() const override { return o_.learning_rate; }

  void step(std::span<const float> gradient, double learning_rate) override {
    moments_.step(gradient, {learning_rate, o_.betas[0], o_.betas[1], o_.epsilon},
                  [&](const ParameterInfo& info) {
                    const double share = decays(info) ? learning_rate * o_.weight_decay : 0;
                    return AdamMoments::Decay{share, 0};
                  });
  }

  std::vector<std::string> decayed() const override {
    std::vector<std::string> paths;
    for (const ParameterInfo& info : parameters_.infos())
      if (info.trainable && decays(info)) paths.push_back(info.path);
    return paths;
  }

  void state(StateIo& io) override { moments_.state(io); }

 private:
  bool decays(const ParameterInfo& info) const {
    return o_.weight_decay > 0 && (o_.decay == "all" || info.shape.rank() >= 2);
  }

  Options o_;
  const Parameters& parameters_;
  AdamMoments moments_;
};

}  // namespace

ASSAY_PLUGIN(Optimizer, "adamw", AdamW, "Adam with decoupled weight decay.")
