// Low-rank adapters (Hu et al., 2022) beside the linear layers of a small GPT: how many numbers
// they train, that they change nothing at first, and that adding them to the matrices gives the
// same.
#include <algorithm>
#include <cmath>

#include "assay.h"

namespace {

using namespace assay;

class LowRank final : public Probe {
 public:
  struct Options : TransformerSettings {
    std::int64_t vocabulary = 65, context = 64, rank = 4;
    std::vector<std::string> on = {"layer*/attention/q", "layer*/attention/v"};
    static void describe(OptionList<Options>& o) {
      TransformerSettings::describe(o);
      o.add("vocabulary", &Options::vocabulary, "Tokens K that there are.").at_least(2);
      o.add("context", &Options::context, "Positions N.").at_least(1);
      o.add("rank", &Options::rank, "Rank R of the adapters.").at_least(1);
      o.add("on", &Options::on, "Patterns of the matrices that have adapters.");
    }
  };
  LowRank(const Options& o, const ProbeBuild& b) : options_(o), seed_(b.seed) {}

  void measure(Measurements& out) const override {
    Stack bare(options_, 0, seed_), adapted(options_, options_.rank, seed_);
    double trained = 0;
    for (const ParameterInfo& info : adapted.parameters.infos())
      if (is_adapter(info.path)) trained += static_cast<double>(info.shape.elements());
    out.scalars["parameters"] = static_cast<double>(bare.parameters.count());
    out.scalars["trained"] = trained;
    out.scalars["trained_share"] = trained / static_cast<double>(bare.parameters.count());
    const std::vector<float> before = logits(bare);
    out.scalars["start_error"] = difference(logits(adapted), before);
    fill_outputs(adapted.parameters);
    const std::vector<float> with_adapters = logits(adapted);
    out.scalars["effect"] = difference(with_adapters, before);
    merge(adapted.parameters, bare.parameters);
    out.scalars["merge_error"] = difference(logits(bare), with_adapters);
  }

 private:
  struct Stack {
    Stack(const Options& o, std::int64_t rank, std::uint64_t seed) {
      if (rank > 0) parameters.adapt({rank, 1, o.on});
      layers = Transformer(Scope(parameters), o.stack(o.vocabulary, o.context, "probe 'low_rank'"));
      OutputOptions output;
      output.width = o.width, output.classes = o.vocabulary;
      head = OutputLayer(Scope(parameters) / "head", output);
      parameters.initialise(seed);
    }
    Parameters parameters;
    Transformer layers;
    OutputLayer head;
  };

  static bool is_adapter(std::string_view path) {
    return path.ends_with("/lora_a") || path.ends_with("/lora_b");
  }

  static double difference(std::span<const float> a, std::span<const float> b) {
    double most = 0;
    for (std::size_t i = 0; i < a.size(); ++i)
      most = std::max(most, std::abs(double{a[i]} - double{b[i]}));
    return most;
  }

  std::vector<float> logits(const Stack& stack) const {
    const Random random(seed_, "tokens");
    std::vector<std::int32_t> ids;
    for (std::int64_t i = 0; i < options_.context; ++i)
      ids.push_back(static_cast<std::int32_t>(random.below(
          static_cast<std::uint64_t>(i), static_cast<std::uint64_t>(options_.vocabulary))));
    Tape tape(false);
    Pass pass(tape, stack.parameters, {}, Mode::evaluate, random);
    const Tensor x = stack.layers(ids, {1, options_.context}, {}, pass);
    const auto values = stack.head(x, pass).values();
    return {values.begin(), values.end()};
  }

  // Numbers such as training leaves, in place of the zeros.
  void fill_outputs(Parameters& parameters) const {
    for (std::int32_t i = 0; i < parameters.size(); ++i) {
      const std::string& path = parameters.info({i}).path;
      if (path.ends_with("/lora_b"))
        Initialiser::normal(0.05).fill(parameters.values({i}), Random(seed_, path));
    }
  }

  // W + A B for each matrix that has an adapter.
  static void merge(const Parameters& adapted, Parameters& bare) {
    for (std::int32_t i = 0; i < bare.size(); ++i) {
      const ParameterInfo& info = bare.info({i});
      std::string layer = info.path;
      if (layer.ends_with("/weight")) layer.resize(layer.size() - 7);
      const ParameterId in = adapted.find(layer + "/lora_a"), out = adapted.find(layer + "/lora_b");
      if (!in || info.shape.rank() != 2) continue;
      const auto a = adapted.values(in), b = adapted.values(out);
      const auto outputs = static_cast<std::size_t>(info.shape[1]), rank = b.size() / outputs;
      const auto w = bare.values({i});
      for (std::size_t at = 0; at < w.size(); ++at) {
        double sum = 0;
        for (std::size_t r = 0; r < rank; ++r)
          sum += double{a[at / outputs * rank + r]} * double{b[r * outputs + at % outputs]};
        w[at] = static_cast<float>(w[at] + sum);
      }
    }
  }

  Options options_;
  std::uint64_t seed_;
};

}  // namespace

ASSAY_PLUGIN(Probe, "low_rank", LowRank, "Low-rank adapters: how many numbers, and merging.")
