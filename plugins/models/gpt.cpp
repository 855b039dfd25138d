// Decoder-only transformer (Radford et al., 2018, 2019): token and learned position embeddings,
// pre-norm layers with a causal mask, a final layer norm, and an output layer over the vocabulary.
//
// First numbers: token N(0, 1), or N(0, 1/sqrt(D)) where the output is tied to it, so that logits
// start near size 1; position N(0, 0.02); attention N(0, 1/sqrt(D)); other linear layers uniform in
// +-1/sqrt(inputs).
#include <cmath>

#include "assay.h"

namespace {

using namespace assay;

class Gpt final : public Model {
 public:
  struct Options {
    std::int64_t layers = 2, heads = 4, width = 64;
    double dropout = 0;
    bool tied = false, attention_bias = false;
    std::optional<bool> head_bias;
    static void describe(OptionList<Options>& o) {
      o.add("layers", &Options::layers, "Number of transformer layers.").at_least(1);
      o.add("heads", &Options::heads, "Attention heads per layer.").at_least(1);
      o.add("width", &Options::width, "Width D of the residual stream.").at_least(1);
      o.add("dropout", &Options::dropout, "Probability of dropping a unit.").at_least(0).below(1);
      o.add("tied", &Options::tied, "Output weights are the token embedding's.");
      o.add("attention_bias", &Options::attention_bias, "Biases in the attention maps.");
      o.add("head_bias", &Options::head_bias, "Bias of the output; default: unless tied.");
      o.rule("width must be a multiple of heads",
             [](const Options& g) { return g.width % g.heads == 0; });
    }
  };

  Gpt(const Options& o, const ModelBuild& b)
      : context_(b.context), tied_(o.tied), embedding_dropout_(b.scope / "embedding", o.dropout) {
    const std::int64_t vocabulary = b.data.field("input").vocabulary;
    const std::int64_t classes = b.data.field("target").vocabulary;
    if (tied_ && vocabulary != classes)
      throw Error(ExitCode::usage,
                  "model 'gpt': tied needs as many targets as inputs, but there are " +
                      std::to_string(classes) + " and " + std::to_string(vocabulary));
    const double unit = 1.0 / std::sqrt(static_cast<double>(o.width));
    token_ =
        Embedding(b.scope / "token", vocabulary, o.width, Initialiser::normal(tied_ ? unit : 1));
    position_ = Embedding(b.scope / "position", context_, o.width, Initialiser::normal(0.02));

    BlockOptions block;
    block.width = o.width, block.heads = o.heads;
    block.attention_bias = o.attention_bias, block.dropout = o.dropout;
    for (std::int64_t i = 0; i < o.layers; ++i)
      layers_.emplace_back(b.scope / std::string("layer").append(std::to_string(i)), block);
    norm_ = LayerNorm(b.scope / "norm", o.width);

    LinearOptions head;
    head.bias = o.head_bias.value_or(!tied_);
    if (!tied_)
      head_ = Linear(b.scope / "head", o.width, classes, head);
    else if (head.bias)
      tied_bias_ = (b.scope / "head").add("bias", {classes}, Initialiser::uniform(unit));
  }

  Output forward(const Batch& batch, Pass& pass) const override {
    const Field<std::int32_t> input = batch.ids("input");  // [B, N]
    AttentionMask mask;
    mask.causal = true;
    mask.keys = batch.marks_or_none("mask");

    Tensor x = token_(input.values, input.shape, pass);  // [B, N, D]
    x = embedding_dropout_(with_positions(x, mask.keys, pass), pass);
    for (const TransformerBlock& layer : layers_) x = layer(x, mask, pass);
    x = norm_(x, pass);
    return {logits(x, pass), x};
  }

  std::int64_t longest_input() const override { return context_; }
  bool caches() const override { return true; }

 private:
  // Positions count from the first real token, so that padding on the left changes nothing; those
  // of a cache come before. keys: marks of all positions, cached ones included, or empty.
  Tensor with_positions(Tensor x, std::span<const std::uint8_t> keys, Pass& pass) const {
    const std::int64_t rows = x.shape()[0], added = x.shape()[1];
    const std::int64_t first = pass.cache ? pass.cache->length() : 0;
    if (first + added > context_)
      throw Error(ExitCode::usage, "model 'gpt': " + std::to_string(first + added) +
                                       " positions, but its context is " +
                                       std::to_string(context_));
    if (keys.empty()) return add_positions(x, pass.parameter(position_.weight()), first);
    const std::int64_t all = first + added;
    if (static_cast<std::int64_t>(keys.size()) != rows * all)
      throw Error(ExitCode::usage, "model 'gpt': the mask has " + std::to_string(keys.size()) +
                                       " marks, but there are " + std::to_string(rows) + " x " +
                                       std::to_string(all) + " positions");
    auto* ids = static_cast<std::int32_t*>(
        pass.tape().arena().take(static_cast<std::size_t>(rows * added) * sizeof(std::int32_t)));
    for (std::int64_t row = 0; row < rows; ++row) {
      std::int32_t real = 0;
      for (std::int64_t n = 0; n < all; ++n) {
        const bool is_real = keys[static_cast<std::size_t>(row * all + n)] != 0;
        if (n >= first) ids[row * added + n - first] = is_real ? real : -1;
        real += is_real;
      }
    }
    const std::span<const std::int32_t> positions = {ids, static_cast<std::size_t>(rows * added)};
    return add(x, position_(positions, {rows, added}, pass));
  }

  Tensor logits(Tensor x, Pass& pass) const {
    if (!tied_) return head_(x, pass);
    return linear_transposed(x, pass.parameter(token_.weight()),
                             tied_bias_ ? pass.parameter(tied_bias_) : Tensor());
  }

  std::int64_t context_;
  bool tied_;
  Dropout embedding_dropout_;
  Embedding token_, position_;
  std::vector<TransformerBlock> layers_;
  LayerNorm norm_;
  Linear head_;
  ParameterId tied_bias_;
};

}  // namespace

ASSAY_PLUGIN(Model, "gpt", Gpt, "Decoder-only transformer language model.")
