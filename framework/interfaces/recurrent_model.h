// What the recurrent models share: options, and a model around RecurrentNetwork (nn/recurrent.h).
//
//   struct Lstm {
//     using Options = RecurrentOptions;
//     static RecurrentStackOptions start(const Options&);  // cell and first numbers
//   };
//   ASSAY_PLUGIN(Model, "lstm", RecurrentModel<Lstm>, "Recurrent network of gated memory cells.")
//
// A token per position asks for logits per position; one answer per row ("target" [B]), for logits
// from the state after the last real token. Padding leaves the state as it is.
#pragma once

#include <cstdint>

#include "config/options.h"
#include "interfaces/model.h"
#include "nn/recurrent.h"

namespace assay {

struct RecurrentOptions {
  std::int64_t units = 128, layers = 1, embedding = 0;
  double dropout = 0;
  bool bidirectional = false, recurrent_bias = true;

  /// Owner: these options, or a struct that inherits them.
  template <class Owner>
  static void describe(OptionList<Owner>& o) {
    o.add("units", &Owner::units, "Units H of a layer, in each direction.").at_least(1);
    o.add("layers", &Owner::layers, "Recurrent layers, one above the other.").at_least(1);
    o.add("embedding", &Owner::embedding,
          "Width of a token embedding below; 0: tokens enter one-hot.")
        .at_least(0);
    o.add("dropout", &Owner::dropout,
          "Probability of dropping a unit of what a layer hands upwards.")
        .at_least(0)
        .below(1);
    o.add("bidirectional", &Owner::bidirectional,
          "Reads in both directions: for classification, not for text that goes on.");
    o.add("recurrent_bias", &Owner::recurrent_bias, "A second bias, beside the recurrent product.");
  }
};

/// Kind: its Options, and start(options), which says cell and first numbers.
template <class Kind>
class RecurrentModel final : public Model {
 public:
  using Options = typename Kind::Options;

  RecurrentModel(const Options& o, const ModelBuild& b) : bidirectional_(o.bidirectional) {
    const FieldSpec& target = b.data.field("target");
    RecurrentNetworkOptions network;
    network.stack = Kind::start(o);
    network.stack.units = o.units, network.stack.layers = o.layers;
    network.stack.bidirectional = o.bidirectional;
    network.stack.recurrent_bias = o.recurrent_bias;
    network.stack.dropout = o.dropout;
    network.vocabulary = b.data.field("input").vocabulary;
    network.classes = target.vocabulary;
    network.embedding = o.embedding;
    network.per_position = per_position_ = target.length > 0;
    network_ = RecurrentNetwork(b.scope, network);
  }

  Output forward(const Batch& batch, Pass& pass) const override {
    const Field<std::int32_t> input = batch.ids("input");  // [B, N]
    const auto [logits, hidden] =
        network_(input.values, input.shape, batch.marks_or_none("mask"), pass);
    return {logits, hidden};
  }

  bool caches() const override { return per_position_ && !bidirectional_; }
  bool causal() const override { return !bidirectional_; }

 private:
  bool bidirectional_, per_position_ = true;
  RecurrentNetwork network_;
};

}  // namespace assay
