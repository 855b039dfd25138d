// A mixture of experts in place of a layer's MLP: a router gives each token to a few of many MLPs,
// so that parameters grow and work does not (Shazeer et al., 2017, "Outrageously large neural
// networks"). No token is dropped, so what becomes of one depends on no other.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "nn/mlp.h"

namespace assay {

struct ExpertOptions {
  std::int64_t experts = 0;    // 0: an MLP alone
  std::int64_t per_token = 1;  // experts that see a token
  double balance = 0.01;       // factor of load_balance in what is minimised
};

class ASSAY_API Experts {
 public:
  Experts() = default;
  /// Parameters router [D, E], expert0 ... under scope. mlp: of each expert.
  Experts(const Scope& scope, const MlpOptions& mlp, const ExpertOptions& options);

  /// residual + experts(x): x [B, N, D]. keys: marks [B, N] of what is no padding, or empty. In
  /// training the pass gets the penalty for uneven use.
  Tensor add_to(Tensor residual, Tensor x, std::span<const std::uint8_t> keys, Pass& pass) const;

 private:
  ExpertOptions options_;
  Linear router_;
  std::vector<Mlp> experts_;
  Dropout dropout_;  // of the output, before it joins the residual stream
};

}  // namespace assay
