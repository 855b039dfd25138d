// Operations of a mixture of experts: which experts see which token, and what they say together.
#pragma once

#include <cstdint>
#include <span>

#include "base/api.h"
#include "tensor/tensor.h"

namespace assay {

struct Gates {
  std::span<const std::int32_t> chosen;  // [T, k]: of each token, the likeliest first
  Tensor weights;                        // [T, k]
};
/// The k likeliest of probabilities [T, E]; of equal ones the lower number. Of one, the weight is
/// its probability (Fedus et al., 2021, "Switch Transformers", eq. 2); of several, those
/// probabilities over their sum (Lepikhin et al., 2020, "GShard", algorithm 1). chosen lives as
/// long as the tensors.
ASSAY_API Gates top_gates(Tensor probabilities, std::int64_t k);

/// E sum over i of f_i P_i: f_i the share of choices that fell on i, P_i its mean probability
/// (Fedus et al., 2021, eq. 4 to 6): 1 where all are used alike. Only f is not differentiated.
/// marks [T]: tokens that count; empty: all. [] of value 0 where none does.
ASSAY_API Tensor load_balance(Tensor probabilities, std::span<const std::int32_t> chosen,
                              std::span<const std::uint8_t> marks);

/// Matrices [n, D] of one width below each other.
ASSAY_API Tensor stack_rows(std::span<const Tensor> parts);

/// Sums of rows of table [K, D], each times its weight [T, k]: ids [T, k] -> [T, D]. A negative id
/// is left out. Throws if an id is K or more.
ASSAY_API Tensor weighted_rows(Tensor weights, Tensor table, std::span<const std::int32_t> ids);

}  // namespace assay
