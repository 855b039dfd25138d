// Adam (Kingma and Ba, 2015, "Adam: a method for stochastic optimization", algorithm 1), with
// weight decay as an L2 penalty: decay x weight joins the gradient, and so passes through the
// moments. For decay beside them see adamw.
#include "assay.h"

namespace {

using namespace assay;

class Adam final : public Optimizer {
 public:
  struct Options {
    double learning_rate = 1e-3;
    std::vector<double> betas = {0.9, 0.999};
    double epsilon = 1e-8;
    double weight_decay = 0;
    static void describe(OptionList<Options>& o) {
      o.add("learning_rate", &Options::learning_rate, "Peak learning rate.").above(0);
      o.add("betas", &Options::betas, "Decay rates of the two moments.").at_least(0).below(1);
      o.add("epsilon", &Options::epsilon, "Added to the root of the second moment.").above(0);
      o.add("weight_decay", &Options::weight_decay, "L2 penalty, added to the gradient.")
          .at_least(0);
      o.rule(
          "betas must be two numbers", [](const Options& a) { return a.betas.size() == 2; },
          "{properties: {betas: {minItems: 2, maxItems: 2}}}");
    }
  };

  Adam(const Options& options, const OptimizerBuild& build)
      : o_(options), parameters_(build.parameters), moments_(build.parameters) {}

  double learning_rate() const override { return o_.learning_rate; }

  void step(std::span<const float> gradient, double learning_rate) override {
    moments_.step(gradient, {learning_rate, o_.betas[0], o_.betas[1], o_.epsilon},
                  [&](const ParameterInfo&) {
                    return AdamMoments::Decay{0, o_.weight_decay};
                  });
  }

  std::vector<std::string> decayed() const override {
    std::vector<std::string> paths;
    for (const ParameterInfo& info : parameters_.infos())
      if (info.trainable && o_.weight_decay > 0) paths.push_back(info.path);
    return paths;
  }

  void state(StateIo& io) override { moments_.state(io); }

 private:
  Options o_;
  const Parameters& parameters_;
  AdamMoments moments_;
};

}  // namespace

ASSAY_PLUGIN(Optimizer, "adam", Adam, "Adam; weight decay as an L2 penalty in the gradient.")
