#include "tensor/kernels/normalise.h"

#include <cmath>
#include <limits>

#include "support/kernel_targets.h"

namespace assay {
namespace {

using Normalise = KernelTest;
ASSAY_ALL_TARGETS(Normalise);

const std::int64_t kWidths[] = {1, 3, 8, 16, 17, 64, 100, 384};

TEST_P(Normalise, LayerNormForwardAndBackwardAgreeWithDoubles) {
  for (std::int64_t width : kWidths) {
    const std::int64_t rows = 7;
    const auto w = static_cast<std::size_t>(width);
    const auto x = normal_numbers(rows * width, "x"), dy = normal_numbers(rows * width, "dy");
    const auto gain = normal_numbers(width, "gain"), bias = normal_numbers(width, "bias");
    std::vector<float> y(x.size()), dx(x.size(), 1.0F), dgain(w, 2.0F), dbias(w, -1.0F), mean(7),
        inverse(7);
    std::vector<double> ey(x.size()), edx(x.size(), 1.0), edgain(w), edbias(w);
    for (std::size_t r = 0; r < 7; ++r) {
      const float *xr = x.data() + r * w, *dr = dy.data() + r * w;
      double m = 0, v = 0, e = 0, eh = 0;
      for (std::size_t i = 0; i < w; ++i) m += static_cast<double>(xr[i]) / static_cast<double>(w);
      for (std::size_t i = 0; i < w; ++i)
        v += std::pow(static_cast<double>(xr[i]) - m, 2) / static_cast<double>(w);
      const double s = 1 / std::sqrt(v + static_cast<double>(1e-5F));
      for (std::size_t i = 0; i < w; ++i) {
        const double h = (static_cast<double>(xr[i]) - m) * s, d = static_cast<double>(dr[i]);
        ey[r * w + i] = h * static_cast<double>(gain[i]) + static_cast<double>(bias[i]);
        edgain[i] += d * h;
        edbias[i] += d;
        e += d * static_cast<double>(gain[i]) / static_cast<double>(w);
        eh += d * static_cast<double>(gain[i]) * h / static_cast<double>(w);
      }
      for (std::size_t i = 0; i < w; ++i) {
        const double h = (static_cast<double>(xr[i]) - m) * s;
        edx[r * w + i] +=
            s * (static_cast<double>(dr[i]) * static_cast<double>(gain[i]) - e - h * eh);
      }
    }
    layer_norm_forward(rows, width, x.data(), gain.data(), bias.data(), 1e-5F, y.data(),
                       mean.data(), inverse.data());
    LayerNormGradient g;
    g.rows = rows, g.width = width, g.x = x.data(), g.gain = gain.data(), g.mean = mean.data();
    g.inverse_deviation = inverse.data(), g.dy = dy.data();
    g.dx = {dx.data(), true}, g.dgain = {dgain.data(), false}, g.dbias = {dbias.data(), false};
    layer_norm_backward(g);
    EXPECT_LT(relative_difference(y, ey), 2e-6) << width;
    EXPECT_LT(relative_difference(dx, edx), width == 1 ? 1e-3 : 5e-6) << width;
    EXPECT_LT(relative_difference(dgain, edgain), 2e-6) << width;
    EXPECT_LT(relative_difference(dbias, edbias), 2e-6) << width;
  }
}

TEST_P(Normalise, RmsNormForwardAndBackwardAgreeWithDoubles) {
  for (std::int64_t width : kWidths) {
    const auto w = static_cast<std::size_t>(width);
    const auto x = normal_numbers(7 * width, "x"), dy = normal_numbers(7 * width, "dy");
    const auto gain = normal_numbers(width, "gain");
    std::vector<float> y(x.size()), dx(x.size(), 1.0F), dgain(w, 2.0F), inverse(7);
    std::vector<double> ey(x.size()), edx(x.size(), 1.0), edgain(w);
    for (std::size_t r = 0; r < 7; ++r) {
      const float *xr = x.data() + r * w, *dr = dy.data() + r * w;
      double squares = 0, eh = 0;
      for (std::size_t i = 0; i < w; ++i) squares += std::pow(static_cast<double>(xr[i]), 2);
      const double s = 1 / std::sqrt(squares / static_cast<double>(w) + static_cast<double>(1e-5F));
      for (std::size_t i = 0; i < w; ++i) {
        const double h = static_cast<double>(xr[i]) * s, d = static_cast<double>(dr[i]);
        ey[r * w + i] = h * static_cast<double>(gain[i]);
        edgain[i] += d * h;
        eh += d * static_cast<double>(gain[i]) * h / static_cast<double>(w);
      }
      for (std::size_t i = 0; i < w; ++i)
        edx[r * w + i] += s * (static_cast<double>(dr[i]) * static_cast<double>(gain[i]) -
                               static_cast<double>(xr[i]) * s * eh);
    }
    rms_norm_forward(7, width, x.data(), gain.data(), 1e-5F, y.data(), inverse.data());
    RmsNormGradient g;
    g.rows = 7, g.width = width, g.x = x.data(), g.gain = gain.data();
    g.inverse_root = inverse.data(), g.dy = dy.data();
    g.dx = {dx.data(), true}, g.dgain = {dgain.data(), false};
    rms_norm_backward(g);
    EXPECT_LT(relative_difference(y, ey), 2e-6) << width;
    EXPECT_LT(relative_difference(dx, edx), width == 1 ? 1e-3 : 5e-6) << width;
    EXPECT_LT(relative_difference(dgain, edgain), 2e-6) << width;
  }
}

TEST_P(Normalise, LayerNormGradientsThatNobodyWantsAreLeftOut) {
  for (std::int64_t width : kWidths) {
    const auto w = static_cast<std::size_t>(width);
    const auto x = normal_numbers(4 * width, "x"), dy = normal_numbers(4 * width, "dy");
    const auto gain = normal_numbers(width, "gain");
    std::vector<float> y(4 * w), mean(4), inverse(4), all(4 * w), alone(4 * w), dgain(w), dbias(w),
        dbias_alone(w);
    layer_norm_forward(4, width, x.data(), gain.data(), gain.data(), 1e-5F, y.data(), mean.data(),
                       inverse.data());
    LayerNormGradient g;
    g.rows = 4, g.width = width, g.x = x.data(), g.gain = gain.data(), g.mean = mean.data();
    g.inverse_deviation = inverse.data(), g.dy = dy.data();
    g.dx = {all.data(), false}, g.dgain = {dgain.data(), false}, g.dbias = {dbias.data(), false};
    layer_norm_backward(g);
    g.dx = {}, g.dgain = {}, g.dbias = {dbias_alone.data(), false};
    layer_norm_backward(g);
    g.dx = {alone.data(), false}, g.dbias = {};
    layer_norm_backward(g);
    EXPECT_EQ(alone, all);
    EXPECT_EQ(dbias_alone, dbias);
  }
}

TEST_P(Normalise, ALargeMeanCostsNoAccuracy) {
  std::vector<float> x(64), y(64), gain(64, 1.0F), bias(64);
  for (std::size_t i = 0; i < 64; ++i) x[i] = 10000.0F + (i % 2 ? 1.0F : -1.0F);
  layer_norm_forward(1, 64, x.data(), gain.data(), bias.data(), 0.0F, y.data(), nullptr, nullptr);
  for (std::size_t i = 0; i < 64; ++i) EXPECT_NEAR(y[i], i % 2 ? 1.0F : -1.0F, 1e-5F);
}

TEST_P(Normalise, ARowDoesNotDependOnItsNeighbours) {
  const auto x = normal_numbers(10 * 50, "x"), gain = normal_numbers(50, "gain");
  std::vector<float> all(500), one(50), soft(500), soft_one(50);
  layer_norm_forward(10, 50, x.data(), gain.data(), gain.data(), 1e-5F, all.data(), nullptr,
                     nullptr);
  layer_norm_forward(1, 50, x.data() + 150, gain.data(), gain.data(), 1e-5F, one.data(), nullptr,
                     nullptr);
  EXPECT_TRUE(std::equal(one.begin(), one.end(), all.begin() + 150));
  softmax_forward(10, 50, x.data(), soft.data());
  softmax_forward(1, 50, x.data() + 150, soft_one.data());
  EXPECT_TRUE(std::equal(soft_one.begin(), soft_one.end(), soft.begin() + 150));
}

TEST_P(Normalise, SoftmaxForwardAndBackwardAgreeWithDoubles) {
  for (std::int64_t width : kWidths) {
    const auto w = static_cast<std::size_t>(width);
    const auto x = normal_numbers(3 * width, "x"), dy = normal_numbers(3 * width, "dy");
    std::vector<float> y(x.size()), dx(x.size());
    std::vector<double> ey(x.size()), edx(x.size());
    for (std::size_t r = 0; r < 3; ++r) {
      double total = 0, inner = 0;
      for (std::size_t i = r * w; i < (r + 1) * w; ++i)
        total += std::exp(static_cast<double>(x[i]));
      for (std::size_t i = r * w; i < (r + 1) * w; ++i) {
        ey[i] = std::exp(static_cast<double>(x[i])) / total;
        inner += ey[i] * static_cast<double>(dy[i]);
      }
      for (std::size_t i = r * w; i < (r + 1) * w; ++i)
        edx[i] = ey[i] * (static_cast<double>(dy[i]) - inner);
    }
    softmax_forward(3, width, x.data(), y.data());
    softmax_backward(3, width, y.data(), dy.data(), {dx.data(), false});
    EXPECT_LT(relative_difference(y, ey), 1e-6) << width;
    EXPECT_LT(relative_difference(dx, edx), width == 1 ? 1e30 : 3e-6) << width;
  }
}

TEST_P(Normalise, SoftmaxStandsHugeAndForbiddenScores) {
  const float infinity = std::numeric_limits<float>::infinity();
  std::vector<float> x = {1e30F,     -infinity, 1e30F,         -infinity, -infinity,
                          -infinity, 1.0F,      std::nanf(""), 2.0F};
  softmax_forward(3, 3, x.data(), x.data());  // in place
  EXPECT_EQ(x[0], 0.5F);
  EXPECT_EQ(x[1], 0.0F);
  EXPECT_EQ(x[3], 0.0F);
  EXPECT_EQ(x[5], 0.0F);
  EXPECT_TRUE(std::isnan(x[6]) && std::isnan(x[8]));
}

}  // namespace
}  // namespace assay
