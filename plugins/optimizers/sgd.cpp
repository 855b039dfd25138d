// Stochastic gradient descent, with momentum (Polyak, 1964) or Nesterov's form of it (Sutskever et
// al., 2013, "On the importance of initialization and momentum in deep learning"), and weight decay
// as an L2 penalty:
//   g = gradient + decay w     v = momentum v + g     w -= rate v, or rate (g + momentum v) for
//   Nesterov's
#include "assay.h"

namespace {

using namespace assay;

class Sgd final : public Optimizer {
 public:
  struct Options {
    double learning_rate = 0.01;
    double momentum = 0;
    bool nesterov = false;
    double weight_decay = 0;
    static void describe(OptionList<Options>& o) {
      o.add("learning_rate", &Options::learning_rate, "Peak learning rate.").above(0);
      o.add("momentum", &Options::momentum, "Share of the velocity that is kept.")
          .at_least(0)
          .below(1);
      o.add("nesterov", &Options::nesterov, "Nesterov's momentum.");
      o.add("weight_decay", &Options::weight_decay, "L2 penalty, added to the gradient.")
          .at_least(0);
      o.rule(
          "nesterov needs a momentum above 0",
          [](const Options& s) { return !s.nesterov || s.momentum != 0; },
          "{if: {properties: {nesterov: {const: true}}, required: [nesterov]}, "
          "then: {properties: {momentum: {exclusiveMinimum: 0}}, required: [momentum]}}");
    }
  };

  Sgd(const Options& options, const OptimizerBuild& build)
      : o_(options), parameters_(build.parameters), parts_(parameters_) {
    if (o_.momentum > 0) velocity_.resize(parameters_.buffer().size());
  }

  double learning_rate() const override { return o_.learning_rate; }

  void step(std::span<const float> gradient, double learning_rate) override {
    const auto rate = static_cast<float>(learning_rate);
    const auto decay = static_cast<float>(o_.weight_decay);
    const auto momentum = static_cast<float>(o_.momentum);
    parts_.for_each([&](const ParameterPart& part) {
      const std::span<float> w = part.of(parameters_.buffer());
      const std::span<const float> g = part.of(gradient);
      if (momentum > 0) {
        const std::span<float> v = part.of(std::span<float>(velocity_));
        scale_in_place(v, momentum);
        add_into(v, g);
        if (decay > 0) add_scaled(v, decay, w);
        if (!o_.nesterov) return add_scaled(w, -rate, v);
      }
      if (decay > 0) scale_in_place(w, 1 - rate * decay);
      add_scaled(w, -rate, g);
      if (momentum > 0) add_scaled(w, -rate * momentum, part.of(std::span<float>(velocity_)));
    });
  }

  std::vector<std::string> decayed() const override {
    std::vector<std::string> paths;
    for (const ParameterInfo& info : parameters_.infos())
      if (info.trainable && o_.weight_decay > 0) paths.push_back(info.path);
    return paths;
  }

  void state(StateIo& io) override {
    if (velocity_.empty()) return;
    for (std::int32_t i = 0; i < parameters_.size(); ++i)
      io.reals("velocity/" + parameters_.info({i}).path, parameters_.slice(velocity_, {i}));
  }

 private:
  Options o_;
  Parameters& parameters_;
  ParameterParts parts_;
  std::vector<float> velocity_;  // laid out like the parameters; empty without momentum
};

}  // namespace

ASSAY_PLUGIN(Optimizer, "sgd", Sgd, "Gradient descent, with momentum or Nesterov's.")
