// Sequence to sequence with two recurrent networks (Sutskever, Vinyals and Le, 2014; Cho et al.,
// 2014): the encoder reads the source, and its last state, all that it knows of it, is where the
// decoder starts. The decoder reads the target up to each position and predicts what comes next.
// Padding of the source leaves the state as it is.
#include <string>
#include <vector>

#include "assay.h"

namespace {

using namespace assay;

class Seq2SeqRnn final : public Model {
 public:
  struct Options {
    std::string cell = "gru";
    std::int64_t units = 128, layers = 1, embedding = 32;
    double dropout = 0;
    static void describe(OptionList<Options>& o) {
      o.add("cell", &Options::cell, "Kind of the units, as in the models of these names.")
          .one_of({"rnn", "lstm", "gru"});
      o.add("units", &Options::units, "Units H of a layer.").at_least(1);
      o.add("layers", &Options::layers, "Layers of the encoder, and of the decoder.").at_least(1);
      o.add("embedding", &Options::embedding,
            "Width of the token embeddings; 0: tokens enter one-hot.")
          .at_least(0);
      o.add("dropout", &Options::dropout,
            "Probability of dropping a unit of what a layer hands upwards.")
          .at_least(0)
          .below(1);
    }
  };

  Seq2SeqRnn(const Options& o, const ModelBuild& b) {
    RecurrentNetworkOptions network;
    network.stack.cell = o.cell == "rnn"    ? RecurrentCell::elman
                         : o.cell == "lstm" ? RecurrentCell::lstm
                                            : RecurrentCell::gru;
    network.stack.units = o.units, network.stack.layers = o.layers;
    network.stack.dropout = o.dropout;
    network.stack.elman_start = o.cell == "rnn";
    network.stack.recurrent_bias = o.cell != "rnn";
    network.embedding = o.embedding;
    network.vocabulary = b.data.field("source").vocabulary;
    encoder_ = RecurrentReader(b.scope / "encoder", network);
    network.vocabulary = b.data.field("input").vocabulary;
    network.classes = b.data.field("target").vocabulary;
    decoder_ = RecurrentNetwork(b.scope / "decoder", network);
  }

  Output forward(const Batch& batch, Pass& pass) const override {
    std::vector<RecurrentState> states(static_cast<std::size_t>(encoder_.layers()));
    // A decoder that goes on has its state in the cache.
    if (!pass.cache || pass.cache->length() == 0) {
      const Field<std::int32_t> source = batch.ids("source");  // [B, S]
      encoder_(source.values, source.shape, batch.marks_or_none("source_mask"), pass, states);
    }
    const Field<std::int32_t> input = batch.ids("input");  // [B, N]
    const auto [logits, hidden] =
        decoder_(input.values, input.shape, batch.marks_or_none("mask"), pass, states);
    return {logits, hidden};
  }

  bool caches() const override { return true; }

 private:
  RecurrentReader encoder_;
  RecurrentNetwork decoder_;
};

}  // namespace

ASSAY_PLUGIN(Model, "seq2seq_rnn", Seq2SeqRnn,
             "Recurrent encoder and decoder, joined by the encoder's last state.")
