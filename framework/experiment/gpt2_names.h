// The weights of a `gpt` under the names that Hugging Face's GPT-2 gives them (Radford et al.,
// 2019): wte.weight, h.0.attn.c_attn.weight, ... With such weights the model is
//
//   model: {type: gpt, mlp: gelu_tanh, attention_bias: true, tied: true, ...}
#pragma once

#include "base/api.h"
#include "base/state.h"

namespace assay {

ASSAY_API bool has_gpt2_names(const State& weights);
/// Throws Error(data) for arrays of shapes that do not fit.
ASSAY_API State from_gpt2_names(const State& weights);
/// Throws Error(usage) if the weights are not those of such a model, naming one that is missing or
/// has no name there.
ASSAY_API State to_gpt2_names(const State& weights);

}  // namespace assay
