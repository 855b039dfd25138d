// The options that all transformers share: the parts of their layers by name.
//
//   model: {type: gpt, norm: rms, positions: rotary, mlp: swiglu, key_heads: 2, attention_bias:
//   false}
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/api.h"
#include "config/options.h"
#include "nn/transformer.h"

namespace assay {

struct ASSAY_API TransformerSettings {
  std::int64_t layers = 2, heads = 4, width = 64;
  std::string block = "pre_norm", norm = "layer", positions = "learned", mlp = "gelu";
  std::optional<std::int64_t> key_heads, window, mlp_width;
  std::int64_t experts = 0, experts_per_token = 2;
  double balance = 0.01;
  bool attention_bias = false, mlp_bias = true, qk_norm = false;
  double dropout = 0;

  /// Owner: these options, or a struct that inherits them.
  template <class Owner>
  static void describe(OptionList<Owner>& o) {
    o.add("layers", &Owner::layers, "Number of transformer layers.").at_least(1);
    o.add("heads", &Owner::heads, "Attention heads per layer.").at_least(1);
    o.add("width", &Owner::width, "Width D of the residual stream.").at_least(1);
    o.add("block", &Owner::block,
          "Norm before each branch, after each sum, or once for attention and MLP side by side.")
        .one_of({"pre_norm", "post_norm", "parallel"});
    o.add("norm", &Owner::norm, "Layer norm, or RMS norm, which has neither mean nor bias.")
        .one_of({"layer", "rms"});
    o.add("positions", &Owner::positions,
          "Added to the embedding (learned, sinusoidal), or told to attention.")
        .one_of({"learned", "sinusoidal", "rotary", "alibi", "relative", "none"});
    o.add("mlp", &Owner::mlp,
          "Unit of the MLP; gelu_tanh is GPT-2's, swiglu and geglu have a gate.")
        .one_of({"gelu", "gelu_tanh", "relu", "swiglu", "geglu"});
    o.add("mlp_width", &Owner::mlp_width,
          "Width within the MLP; default: 4 D, with a gate 8/3 D up to a multiple of 8.")
        .at_least(1);
    o.add("experts", &Owner::experts,
          "MLPs of a layer, among which a router chooses for each token; 0: one MLP for all.")
        .at_least(0);
    o.add("experts_per_token", &Owner::experts_per_token,
          "Experts that see a token: 1 as in Switch, 2 as in GShard.")
        .at_least(1);
    o.add("balance", &Owner::balance,
          "Weight in training of the penalty for using some experts more than others.")
        .at_least(0);
    o.add("key_heads", &Owner::key_heads,
          "Heads of keys and values, each shared by heads / key_heads; default: as many as heads.")
        .at_least(1);
    o.add("window", &Owner::window,
          "A token sees only tokens less than so many positions away; default: all.")
        .at_least(1);
    o.add("attention_bias", &Owner::attention_bias, "Biases in the attention maps.");
    o.add("mlp_bias", &Owner::mlp_bias, "Biases in the MLP.");
    o.add("qk_norm", &Owner::qk_norm, "RMS norm of each head's queries and keys.");
    o.add("dropout", &Owner::dropout, "Probability of dropping a unit.").at_least(0).below(1);
    o.rule("experts_per_token must be at most experts",
           [](const Owner& g) { return g.experts == 0 || g.experts_per_token <= g.experts; });
    o.rule("width must be a multiple of heads",
           [](const Owner& g) { return g.width % g.heads == 0; });
    o.rule("heads must be a multiple of key_heads",
           [](const Owner& g) { return g.heads % g.key_heads.value_or(1) == 0; });
    o.rule("positions rotary needs heads of an even width",
           [](const Owner& g) { return g.positions != "rotary" || g.width % (2 * g.heads) == 0; });
    o.rule("positions sinusoidal needs an even width",
           [](const Owner& g) { return g.positions != "sinusoidal" || g.width % 2 == 0; });
  }

  /// For a stack of such layers. owner: "model 'gpt'", in messages.
  TransformerOptions stack(std::int64_t vocabulary, std::int64_t context, std::string owner) const;
};

}  // namespace assay
