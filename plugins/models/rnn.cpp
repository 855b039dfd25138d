// Elman network (Elman, 1990): what it has read is a vector h, and each token makes of it
// h' = tanh(x w_x + h w_h + b). Without an embedding x is one-hot: the rows of w_x are the tokens'.
//
// First numbers: w_x N(0, 0.1) at the first layer and N(0, 1/sqrt(inputs)) above, w_h and the
// output matrix N(0, 1/sqrt(units)), biases 0.
//
// A token per position asks for logits per position; one answer per row ("target" [B]), for logits
// from the state after the last real token. Padding leaves the state as it is.
#include "assay.h"

namespace {

using namespace assay;

class Rnn final : public Model {
 public:
  struct Options {
    std::int64_t units = 128, layers = 1, embedding = 0;
    double dropout = 0;
    bool bidirectional = false, recurrent_bias = false;
    static void describe(OptionList<Options>& o) {
      o.add("units", &Options::units, "Units H of a layer, in each direction.").at_least(1);
      o.add("layers", &Options::layers, "Recurrent layers, one above the other.").at_least(1);
      o.add("embedding", &Options::embedding,
            "Width of a token embedding below; 0: tokens enter one-hot.")
          .at_least(0);
      o.add("dropout", &Options::dropout,
            "Probability of dropping a unit of what a layer hands upwards.")
          .at_least(0)
          .below(1);
      o.add("bidirectional", &Options::bidirectional,
            "Reads in both directions: for classification, not for text that goes on.");
      o.add("recurrent_bias", &Options::recurrent_bias,
            "A second bias, beside the recurrent product.");
    }
  };

  Rnn(const Options& o, const ModelBuild& b) : bidirectional_(o.bidirectional) {
    const FieldSpec& target = b.data.field("target");
    RecurrentNetworkOptions network;
    network.stack.cell = RecurrentCell::elman;
    network.stack.units = o.units, network.stack.layers = o.layers;
    network.stack.bidirectional = o.bidirectional;
    network.stack.recurrent_bias = o.recurrent_bias;
    network.stack.dropout = o.dropout;
    network.stack.elman_start = true;
    network.vocabulary = b.data.field("input").vocabulary;
    network.classes = target.vocabulary;
    network.embedding = o.embedding;
    network.per_position = per_position_ = target.length > 0;
    network_ = RecurrentNetwork(b.scope, network);
  }

  Output forward(const Batch& batch, Pass& pass) const override {
    const Field<std::int32_t> input = batch.ids("input");  // [B, N]
    std::span<const std::uint8_t> mask;
    if (batch.has("mask")) mask = batch.marks("mask").values;
    const auto [logits, hidden] = network_(input.values, input.shape, mask, pass);
    return {logits, hidden};
  }

  bool caches() const override { return per_position_ && !bidirectional_; }
  bool causal() const override { return !bidirectional_; }

 private:
  bool bidirectional_, per_position_ = true;
  RecurrentNetwork network_;
};

}  // namespace

ASSAY_PLUGIN(Model, "rnn", Rnn, "Recurrent network of tanh units.")
