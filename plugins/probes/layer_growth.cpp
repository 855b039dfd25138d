// How long token vectors are after each of many fresh transformer layers: post-norm holds them at
// sqrt(D), pre-norm lets the residual stream grow (Xiong et al., 2020).
#include <cmath>

#include "assay.h"

namespace {

using namespace assay;

class LayerGrowth final : public Probe {
 public:
  struct Options {
    std::int64_t layers = 12, width = 32, heads = 4, sequences = 8, tokens = 20;
    static void describe(OptionList<Options>& o) {
      o.add("layers", &Options::layers, "Layers in the stack.").at_least(1);
      o.add("width", &Options::width, "Width D.").at_least(1);
      o.add("heads", &Options::heads, "Attention heads.").at_least(1);
      o.add("sequences", &Options::sequences, "Random sequences.").at_least(1);
      o.add("tokens", &Options::tokens, "Tokens in each.").at_least(1);
      o.rule("width must be a multiple of heads",
             [](const Options& p) { return p.width % p.heads == 0; });
    }
  };
  LayerGrowth(const Options& o, const ProbeBuild& b) : options_(o), seed_(b.seed) {}

  void measure(Measurements& out) const override {
    const std::vector<double> post = lengths(true), pre = lengths(false);
    MeasuredTable table("Mean length of the tokens after each layer",
                        {{"layer", "d"}, {"post-norm", ".2f"}, {"pre-norm", ".2f"}});
    for (std::size_t i = 0; i < post.size(); ++i) table.row({i + 1, post[i], pre[i]});
    out.tables["growth"] = std::move(table);
    out.scalars["post_norm/first"] = post.front(), out.scalars["post_norm/last"] = post.back();
    out.scalars["pre_norm/first"] = pre.front(), out.scalars["pre_norm/last"] = pre.back();
  }

 private:
  std::vector<double> lengths(bool post_norm) const {
    Parameters parameters;
    BlockOptions block;
    block.width = options_.width, block.heads = options_.heads;
    if (post_norm) block.order = BlockOrder::post_norm;
    std::vector<TransformerBlock> stack;
    for (std::int64_t i = 0; i < options_.layers; ++i)
      stack.emplace_back(Scope(parameters) / std::string("layer").append(std::to_string(i)), block);
    parameters.initialise(seed_);

    const Shape shape = {options_.sequences, options_.tokens, options_.width};
    const Random random(seed_, "tokens");
    std::vector<float> first(static_cast<std::size_t>(shape.elements()));
    Initialiser::normal(1).fill(first, random);
    Tape tape(false);
    Pass pass(tape, parameters, {}, Mode::evaluate, random);
    Tensor x = tape.constant(shape, first);
    std::vector<double> means;
    for (const TransformerBlock& layer : stack) {
      x = layer(x, {}, pass);
      means.push_back(mean_length(x));
    }
    return means;
  }

  static double mean_length(Tensor x) {
    const auto width = static_cast<std::size_t>(x.shape()[-1]);
    double sum = 0;
    for (std::size_t row = 0; row < x.values().size(); row += width) {
      double squares = 0;
      for (const float v : x.values().subspan(row, width)) squares += double{v} * double{v};
      sum += std::sqrt(squares);
    }
    return sum / static_cast<double>(x.shape().rows());
  }

  Options options_;
  std::uint64_t seed_;
};

}  // namespace

ASSAY_PLUGIN(Probe, "layer_growth", LayerGrowth,
             "Length of tokens through fresh layers, pre-norm and post-norm.")
