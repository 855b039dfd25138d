// Encoder-decoder transformer (Vaswani et al., 2017): the encoder reads the source both ways, and
// each layer of the decoder looks at all of it by cross-attention.
//
// First numbers: token N(0, 1); learned positions N(0, 0.1); the rest as those of `gpt`. Where
// source and target have the same ids, they share the embedding. The encoder's output has no norm
// of its own.
#include <optional>

#include "assay.h"

namespace {

using namespace assay;

class EncoderDecoder final : public Model {
 public:
  struct Options : TransformerSettings {
    std::optional<std::int64_t> decoder_layers;
    static void describe(OptionList<Options>& o) {
      TransformerSettings::describe(o);
      o.add("decoder_layers", &Options::decoder_layers,
            "Layers of the decoder; default: as many as the encoder has.")
          .at_least(1);
      o.rule("block parallel has no place for cross-attention",
             [](const Options& g) { return g.block != "parallel"; });
    }
  };

  EncoderDecoder(const Options& o, const ModelBuild& b) {
    const FieldSpec &source = b.data.field("source"), &input = b.data.field("input");
    const char* const owner = "model 'encoder_decoder'";
    TransformerOptions encoder = o.stack(source.vocabulary, source.length, owner);
    encoder.causal = false, encoder.last_norm = false, encoder.position_deviation = 0.1;
    encoder_ = Transformer(b.scope / "encoder", encoder);

    context_ = input.length;
    TransformerOptions decoder = o.stack(input.vocabulary, context_, owner);
    decoder.layers = o.decoder_layers.value_or(o.layers);
    decoder.block.cross = true, decoder.position_deviation = 0.1;
    if (source.vocabulary == input.vocabulary) decoder.shared = &encoder_.token();
    decoder_ = Transformer(b.scope / "decoder", decoder);
    OutputOptions output;
    output.width = o.width, output.classes = b.data.field("target").vocabulary;
    head_ = OutputLayer(b.scope / "head", output);
  }

  Output forward(const Batch& batch, Pass& pass) const override {
    const auto source_keys = batch.marks_or_none("source_mask");
    Tensor source;
    // A decoder that goes on has what it needs of the source in the cache.
    if (!pass.cache || pass.cache->length() == 0) source = encoded(batch, source_keys, pass);
    const Field<std::int32_t> input = batch.ids("input");  // [B, N]
    const Tensor x =
        decoder_(input.values, input.shape, batch.marks_or_none("mask"), pass, source, source_keys);
    return {head_(x, pass), x};
  }

  std::int64_t longest_input() const override { return context_; }
  bool caches() const override { return true; }

 private:
  // [B, S, D], without the cache, which is the decoder's.
  Tensor encoded(const Batch& batch, std::span<const std::uint8_t> keys, Pass& pass) const {
    const Field<std::int32_t> source = batch.ids("source");  // [B, S]
    KeyValueCache* const cache = pass.cache;
    pass.cache = nullptr;
    const Tensor z = encoder_(source.values, source.shape, keys, pass);
    pass.cache = cache;
    return z;
  }

  std::int64_t context_ = 0;
  Transformer encoder_, decoder_;
  OutputLayer head_;
};

}  // namespace

ASSAY_PLUGIN(Model, "encoder_decoder", EncoderDecoder,
             "Encoder-decoder transformer for sequence to sequence.")
