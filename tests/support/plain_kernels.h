// The kernels as plain loops in double: what the fast ones are checked against. Slow on purpose.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "tensor/kernels/attention.h"
#include "tensor/kernels/matmul.h"

namespace assay::plain {

using Doubles = std::vector<double>;

inline double gelu(double x) {
  return 0.5 * x * std::erfc(-x / std::sqrt(2.0));
}
inline double gelu_slope(double x) {
  return 0.5 * std::erfc(-x / std::sqrt(2.0)) +
         x * std::exp(-0.5 * x * x) / std::sqrt(2 * 3.14159265358979323846);
}

/// c of one product with dense c, starting from what c held.
inline Doubles matmul(const Matmul& p, const std::vector<float>& c) {
  Doubles out;
  const std::int64_t lda = p.lda ? p.lda : (p.transpose_a ? p.m : p.k);
  const std::int64_t ldb = p.ldb ? p.ldb : (p.transpose_b ? p.k : p.n);
  for (std::int64_t i = 0; i < p.m; ++i)
    for (std::int64_t j = 0; j < p.n; ++j) {
      double sum =
          p.accumulate ? static_cast<double>(c[static_cast<std::size_t>(i * p.n + j)]) : 0.0;
      if (p.bias) sum += static_cast<double>(p.bias[j]);
      if (p.addend) sum += static_cast<double>(p.addend[i * p.n + j]);
      for (std::int64_t x = 0; x < p.k; ++x)
        sum += static_cast<double>(p.transpose_a ? p.a[x * lda + i] : p.a[i * lda + x]) *
               static_cast<double>(p.transpose_b ? p.b[j * ldb + x] : p.b[x * ldb + j]);
      out.push_back(p.gelu ? gelu(sum) : sum);
    }
  return out;
}

/// Dense operands: q [B, N, H W], k and v [B, M, G W].
struct AttentionResult {
  Doubles out, weights, log_sum_exp;  // [B, N, D], [B, H, N, M], [B, H, N]
  Doubles dq, dk, dv, dbias;          // dk, dv: [B, M, H W]
};

inline bool allowed(const Attention& p, std::int64_t b, std::int64_t i, std::int64_t j) {
  if (p.causal && j > i + p.keys - p.queries) return false;
  if (p.key_mask && !p.key_mask[b * p.keys + j]) return false;
  if (p.window > 0 && std::abs(i + p.keys - p.queries - j) >= p.window) return false;
  return !p.pair_mask || p.pair_mask[i * p.keys + j];
}

inline AttentionResult attention(const Attention& p, const std::vector<float>& dout) {
  const std::int64_t width = p.heads * p.head_width;
  AttentionResult r;
  r.out.resize(static_cast<std::size_t>(p.batch * p.queries * width));
  r.dq.resize(r.out.size());
  r.dk.resize(static_cast<std::size_t>(p.batch * p.keys * width));
  r.dbias.resize(static_cast<std::size_t>(p.heads * 2 * p.bias.reach));
  r.dv.resize(r.dk.size());
  r.weights.resize(static_cast<std::size_t>(p.batch * p.heads * p.queries * p.keys));
  const auto at = [width, &p](std::int64_t b, std::int64_t n, std::int64_t h, std::int64_t rows) {
    return static_cast<std::size_t>((b * rows + n) * width + h * p.head_width);
  };
  const auto key_at = [width, &p](std::int64_t b, std::int64_t n, std::int64_t h) {
    return (b * p.keys + n) * (width / p.sharing) + h / p.sharing * p.head_width;
  };
  const auto bias_at = [&p](std::int64_t h, std::int64_t i, std::int64_t j) {
    return (2 * h + 1) * p.bias.reach + i + p.keys - p.queries - j;
  };
  for (std::int64_t b = 0; b < p.batch; ++b)
    for (std::int64_t h = 0; h < p.heads; ++h)
      for (std::int64_t i = 0; i < p.queries; ++i) {
        const float* q = p.q.data + at(b, i, h, p.queries);
        double* w = r.weights.data() + ((b * p.heads + h) * p.queries + i) * p.keys;
        double largest = -std::numeric_limits<double>::infinity(), sum = 0;
        for (std::int64_t j = 0; j < p.keys; ++j) {
          if (!allowed(p, b, i, j)) continue;
          const float* k = p.k.data + key_at(b, j, h);
          w[j] = p.bias.values ? static_cast<double>(p.bias.values[bias_at(h, i, j)]) : 0.0;
          for (std::int64_t x = 0; x < p.head_width; ++x)
            w[j] += static_cast<double>(p.scale) * static_cast<double>(q[x]) *
                    static_cast<double>(k[x]);
          largest = std::max(largest, w[j]);
        }
        for (std::int64_t j = 0; j < p.keys; ++j) {
          w[j] = allowed(p, b, i, j) ? std::exp(w[j] - largest) : 0.0;
          sum += w[j];
        }
        r.log_sum_exp.push_back(largest + std::log(sum));
        double* out = r.out.data() + at(b, i, h, p.queries);
        double delta = 0;
        const float* d = dout.data() + at(b, i, h, p.queries);
        for (std::int64_t j = 0; j < p.keys; ++j) {
          if (!allowed(p, b, i, j)) continue;
          w[j] /= sum;
          const float* v = p.v.data + key_at(b, j, h);
          for (std::int64_t x = 0; x < p.head_width; ++x)
            out[x] += w[j] * static_cast<double>(v[x]);
        }
        for (std::int64_t x = 0; x < p.head_width; ++x) delta += out[x] * static_cast<double>(d[x]);
        for (std::int64_t j = 0; j < p.keys; ++j) {
          if (!allowed(p, b, i, j)) continue;
          const float *k = p.k.data + key_at(b, j, h), *v = p.v.data + key_at(b, j, h);
          double dw = 0;
          for (std::int64_t x = 0; x < p.head_width; ++x)
            dw += static_cast<double>(v[x]) * static_cast<double>(d[x]);
          if (p.bias.values)
            r.dbias[static_cast<std::size_t>(bias_at(h, i, j))] += w[j] * (dw - delta);
          const double ds = w[j] * (dw - delta) * static_cast<double>(p.scale);
          for (std::int64_t x = 0; x < p.head_width; ++x) {
            r.dq[at(b, i, h, p.queries) + static_cast<std::size_t>(x)] +=
                ds * static_cast<double>(k[x]);
            r.dk[at(b, j, h, p.keys) + static_cast<std::size_t>(x)] +=
                ds * static_cast<double>(q[x]);
            r.dv[at(b, j, h, p.keys) + static_cast<std::size_t>(x)] +=
                w[j] * static_cast<double>(d[x]);
          }
        }
      }
  return r;
}

}  // namespace assay::plain
