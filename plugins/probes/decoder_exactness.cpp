// What a decoder must hold to whatever its layers are made of: a token changes nothing before it,
// to the bit; a padded sequence has the outputs it has alone; text that is generated with a cache
// of keys and values has the logits of recomputing.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "assay.h"

namespace {

using namespace assay;

using Ids = std::vector<std::int32_t>;

double difference(std::span<const float> a, std::span<const float> b) {
  double most = 0;
  for (std::size_t i = 0; i < b.size(); ++i)
    most = std::max(most, std::abs(double{a[i]} - double{b[i]}));
  return most;
}

class DecoderExactness final : public Probe {
 public:
  struct Options : TransformerSettings {
    std::int64_t vocabulary = 65, tokens = 12, changed = 6;
    static void describe(OptionList<Options>& o) {
      TransformerSettings::describe(o);
      o.add("vocabulary", &Options::vocabulary, "Tokens K that there are.").at_least(2);
      o.add("tokens", &Options::tokens, "Tokens N of the sequences.").at_least(2);
      o.add("changed", &Options::changed,
            "The first token that is another one; padding starts there.")
          .at_least(1);
      o.rule("changed must be below tokens", [](const Options& p) { return p.changed < p.tokens; });
    }
  };
  DecoderExactness(const Options& o, const ProbeBuild& b) : options_(o), seed_(b.seed) {}

  void measure(Measurements& out) const override {
    const Stack decoder(options_, true, seed_), encoder(options_, false, seed_);
    causality(decoder, out);
    padding(decoder, encoder, out);
    cache(decoder, out);
  }

 private:
  // Layers and output, with weights.
  struct Stack {
    Stack(const Options& o, bool causal, std::uint64_t seed) {
      TransformerOptions stack = o.stack(o.vocabulary, o.tokens, "probe 'decoder_exactness'");
      stack.causal = causal;
      layers = Transformer(Scope(parameters), stack);
      OutputOptions output;
      output.width = o.width, output.classes = o.vocabulary;
      head = OutputLayer(Scope(parameters) / "head", output);
      parameters.initialise(seed);
    }
    // [N, K]
    std::vector<float> operator()(std::span<const std::int32_t> ids,
                                  std::span<const std::uint8_t> keys = {},
                                  KeyValueCache* cache = nullptr) const {
      Tape tape(false);
      Pass pass(tape, parameters, {}, Mode::evaluate, Random(0, "pass"));
      pass.cache = cache;
      const Shape shape = {1, static_cast<std::int64_t>(ids.size())};
      const auto logits = head(layers(ids, shape, keys, pass), pass).values();
      return {logits.begin(), logits.end()};
    }
    Parameters parameters;
    Transformer layers;
    OutputLayer head;
  };

  Ids drawn(const char* purpose, std::int64_t count) const {
    const Random random(seed_, purpose);
    Ids ids;
    for (std::int64_t i = 0; i < count; ++i)
      ids.push_back(static_cast<std::int32_t>(random.below(
          static_cast<std::uint64_t>(i), static_cast<std::uint64_t>(options_.vocabulary))));
    return ids;
  }

  void causality(const Stack& decoder, Measurements& out) const {
    const Ids ids = drawn("tokens", options_.tokens);
    Ids others = ids;
    for (std::size_t i = before(); i < others.size(); ++i)
      others[i] = static_cast<std::int32_t>((others[i] + 1) % options_.vocabulary);
    const std::vector<float> a = decoder(ids), b = decoder(others);
    double earlier = 0, later = 0;
    for (std::size_t i = 0; i < a.size(); ++i)
      if (a[i] != b[i]) ++(i < before() * classes() ? earlier : later);
    out.scalars["causality/changed_before"] = earlier;
    out.scalars["causality/share_changed_after"] =
        later / static_cast<double>(a.size() - before() * classes());
  }

  // Without the mask a decoder would still be right where padding follows: an encoder would not,
  // nor a decoder where it comes first.
  void padding(const Stack& decoder, const Stack& encoder, Measurements& out) const {
    Ids ids = drawn("tokens", options_.changed);
    const std::vector<float> alone = encoder(ids), decoded = decoder(ids);
    const std::size_t length = static_cast<std::size_t>(options_.tokens),
                      fill = length - ids.size();
    std::vector<std::uint8_t> keys(length, 1);
    Ids after = ids;
    after.resize(length, 1);
    std::fill(keys.end() - static_cast<std::ptrdiff_t>(fill), keys.end(), std::uint8_t{0});
    out.scalars["padding/encoder_error"] = difference(encoder(after, keys), alone);
    out.scalars["padding/encoder_error_without_mask"] = difference(encoder(after), alone);
    ids.insert(ids.begin(), fill, 1);
    std::reverse(keys.begin(), keys.end());
    const std::vector<float> padded = decoder(ids, keys);
    out.scalars["padding/decoder_error"] =
        difference(std::span(padded).subspan(fill * classes()), decoded);
  }

  void cache(const Stack& decoder, Measurements& out) const {
    const Ids ids = drawn("tokens", options_.tokens);
    const std::vector<float> recomputed = decoder(ids);
    KeyValueCache cache(1, options_.tokens);
    double most = 0;
    for (std::size_t i = 0; i < ids.size(); ++i) {
      const std::vector<float> next = decoder(std::span(ids).subspan(i, 1), {}, &cache);
      cache.advance(1);
      most =
          std::max(most, difference(next, std::span(recomputed).subspan(i * classes(), classes())));
    }
    out.scalars["cache/error"] = most;
  }

  std::size_t before() const { return static_cast<std::size_t>(options_.changed); }
  std::size_t classes() const { return static_cast<std::size_t>(options_.vocabulary); }

  Options options_;
  std::uint64_t seed_;
};

}  // namespace

ASSAY_PLUGIN(Probe, "decoder_exactness", DecoderExactness,
             "Causality, padding and cache of a stack of transformer layers.")
