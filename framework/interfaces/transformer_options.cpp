#include "interfaces/transformer_options.h"

#include <initializer_list>
#include <string_view>
#include <utility>

namespace assay {
namespace {

// The value of a name that is one of them.
template <class T>
T named(const std::string& name, std::initializer_list<std::pair<std::string_view, T>> all) {
  for (const auto& [known, value] : all)
    if (known == name) return value;
  return all.begin()->second;
}

}  // namespace

TransformerOptions TransformerSettings::stack(std::int64_t vocabulary, std::int64_t context,
                                              std::string owner) const {
  TransformerOptions o;
  o.layers = layers, o.vocabulary = vocabulary, o.context = context;
  o.owner = std::move(owner);
  o.positions = named<PositionKind>(positions, {{"none", PositionKind::none},
                                                {"learned", PositionKind::learned},
                                                {"sinusoidal", PositionKind::sinusoidal},
                                                {"rotary", PositionKind::rotary},
                                                {"alibi", PositionKind::alibi},
                                                {"relative", PositionKind::relative}});
  BlockOptions& b = o.block;
  b.width = width, b.heads = heads, b.dropout = dropout;
  b.order = named<BlockOrder>(block, {{"pre_norm", BlockOrder::pre_norm},
                                      {"post_norm", BlockOrder::post_norm},
                                      {"parallel", BlockOrder::parallel}});
  b.norm = norm == "rms" ? NormKind::rms : NormKind::layer;
  b.mlp = named<MlpUnit>(mlp, {{"gelu", MlpUnit::gelu},
                               {"gelu_tanh", MlpUnit::gelu_tanh},
                               {"relu", MlpUnit::relu},
                               {"swiglu", MlpUnit::swiglu},
                               {"geglu", MlpUnit::geglu}});
  b.attention_bias = attention_bias, b.mlp_bias = mlp_bias, b.qk_norm = qk_norm;
  b.key_heads = key_heads.value_or(0), b.window = window.value_or(0);
  b.mlp_width = mlp_width.value_or(0);
  b.experts = {experts, experts_per_token, balance};
  return o;
}

}  // namespace assay
