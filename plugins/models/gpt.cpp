// Decoder-only transformer (Radford et al., 2018, 2019): token and learned position embeddings,
// pre-norm layers with a causal mask, a final layer norm, and an output layer over the vocabulary.
// Each part can be another one by its option.
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
  struct Options : TransformerSettings {
    bool tied = false;
    std::optional<bool> head_bias;
    static void describe(OptionList<Options>& o) {
      TransformerSettings::describe(o);
      o.add("tied", &Options::tied, "Output weights are the token embedding's.");
      o.add("head_bias", &Options::head_bias, "Bias of the output; default: unless tied.");
    }
  };

  Gpt(const Options& o, const ModelBuild& b) : context_(b.context) {
    const std::int64_t vocabulary = b.data.field("input").vocabulary;
    const std::int64_t classes = b.data.field("target").vocabulary;
    if (o.tied && vocabulary != classes)
      throw Error(ExitCode::usage,
                  "model 'gpt': tied needs as many targets as inputs, but there are " +
                      std::to_string(classes) + " and " + std::to_string(vocabulary));
    TransformerOptions stack = o.stack(vocabulary, context_, "model 'gpt'");
    if (o.tied) stack.token = Initialiser::normal(1.0 / std::sqrt(static_cast<double>(o.width)));
    layers_ = Transformer(b.scope, stack);
    OutputOptions output;
    output.width = o.width, output.classes = classes, output.bias = o.head_bias;
    if (o.tied) output.tied = &layers_.token();
    head_ = OutputLayer(b.scope / "head", output);
  }

  Output forward(const Batch& batch, Pass& pass) const override {
    const Field<std::int32_t> input = batch.ids("input");  // [B, N]
    const Tensor x = layers_(input.values, input.shape, batch.marks_or_none("mask"), pass);
    return {head_(x, pass), x};
  }

  std::int64_t longest_input() const override { return context_; }
  bool caches() const override { return true; }

 private:
  std::int64_t context_;
  Transformer layers_;
  OutputLayer head_;
};

}  // namespace

ASSAY_PLUGIN(Model, "gpt", Gpt, "Decoder-only transformer language model.")
