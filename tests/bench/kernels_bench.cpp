// Times the kernels on the shapes of the reference models, one core:   kernels_bench [FILTER]
// Prints the median over 15 repeats of the time per call, by the clock of the thread, and GFLOP/s
// where the work is known.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/parallel.h"
#include "base/random.h"
#include "tensor/kernels/activations.h"
#include "tensor/kernels/attention.h"
#include "tensor/kernels/cross_entropy.h"
#include "tensor/kernels/elementwise.h"
#include "tensor/kernels/embedding.h"
#include "tensor/kernels/matmul.h"
#include "tensor/kernels/normalise.h"
#include "tensor/kernels/target.h"
#include "tensor/kernels/update.h"

namespace assay {
namespace {

double seconds() {
  timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

class Bench {
 public:
  explicit Bench(std::string_view filter) : filter_(filter) {}

  /// flops: of one call, or 0.
  void time(const std::string& name, double flops, const std::function<void()>& call) {
    if (name.find(filter_) == std::string::npos) return;
    call();
    int calls = 1;
    for (double spent = 0; spent < 2e-3; calls *= 2) {
      const double start = seconds();
      for (int i = 0; i < calls; ++i) call();
      spent = seconds() - start;
    }
    std::vector<double> times;
    for (int repeat = 0; repeat < 15; ++repeat) {
      const double start = seconds();
      for (int i = 0; i < calls; ++i) call();
      times.push_back((seconds() - start) / calls);
    }
    std::sort(times.begin(), times.end());
    fmt::print("{:44} {:10.2f} us (best {:.2f})", name, times[7] * 1e6, times[0] * 1e6);
    if (flops > 0)
      fmt::print(" {:8.1f} GFLOP/s (best {:.1f})", flops / times[7] * 1e-9,
                 flops / times[0] * 1e-9);
    fmt::print("\n");
  }

 private:
  std::string filter_;
};

std::vector<float> numbers(std::int64_t count, std::string_view name) {
  const Random random(1, name);
  std::vector<float> v;
  for (std::int64_t i = 0; i < count; ++i)
    v.push_back(static_cast<float>(random.normal(static_cast<std::uint64_t>(i))));
  return v;
}

void products(Bench& bench) {
  Workspace workspace;
  const auto time = [&](const char* kind, std::int64_t m, std::int64_t n, std::int64_t k, bool ta,
                        bool tb, bool extra) {
    const auto a = numbers(m * k, "a"), b = numbers(k * n, "b"), bias = numbers(n, "bias");
    auto c = numbers(m * n, "c");
    Matmul p;
    p.m = m, p.n = n, p.k = k;
    p.a = a.data(), p.transpose_a = ta;
    p.b = b.data(), p.transpose_b = tb;
    p.c = c.data();
    if (ta)
      p.accumulate = extra;
    else if (extra)
      p.bias = bias.data();
    bench.time(fmt::format("matmul/{} {}x{}x{}", kind, m, n, k),
               2.0 * static_cast<double>(m * n * k), [&] { matmul(p, workspace); });
  };
  for (std::int64_t rows : {256, 512, 1024}) {
    for (auto [in, out] : {std::pair{64, 64}, {64, 256}, {256, 64}, {64, 65}}) {
      time("forward", rows, out, in, false, false, true);
      time("backward x", rows, in, out, false, true, false);
      time("backward w", in, out, rows, true, false, true);
    }
  }
  time("one token", 1, 64, 64, false, false, true);
  time("one token", 1, 256, 64, false, false, true);
  time("large", 1024, 1536, 384, false, false, true);
}

void attentions(Bench& bench) {
  Workspace workspace;
  const auto time = [&](std::int64_t b, std::int64_t n, std::int64_t h, std::int64_t w,
                        bool causal) {
    const std::int64_t count = b * n * h * w;
    const auto q = numbers(count, "q"), k = numbers(count, "k"), v = numbers(count, "v"),
               d = numbers(count, "d");
    std::vector<float> out(q), dq(q), dk(q), dv(q), lse(static_cast<std::size_t>(b * h * n));
    const std::int64_t row = h * w, sequence = n * row;
    Attention p;
    p.batch = b, p.queries = n, p.keys = n, p.heads = h, p.head_width = w;
    p.scale = static_cast<float>(1 / std::sqrt(static_cast<double>(w)));
    p.causal = causal;
    p.q = {q.data(), row, sequence}, p.k = {k.data(), row, sequence},
    p.v = {v.data(), row, sequence};
    const double product =
        2.0 * static_cast<double>(b * h * w) *
        (causal ? static_cast<double>(n * (n + 1) / 2) : static_cast<double>(n * n));
    const std::string shape = fmt::format("B{} N{} H{} W{}{}", b, n, h, w, causal ? " causal" : "");
    bench.time("attention/forward " + shape, 2 * product, [&] {
      attention_forward(p, {{out.data(), false}, row, sequence}, lse.data(), nullptr, workspace);
    });
    const AttentionResult r{{out.data(), row, sequence}, {d.data(), row, sequence}, lse.data()};
    bench.time("attention/backward " + shape, 5 * product, [&] {
      attention_backward(p, r, {{dq.data(), false}, row, sequence},
                         {{dk.data(), false}, row, sequence}, {{dv.data(), false}, row, sequence},
                         workspace);
    });
  };
  time(8, 64, 4, 16, true);
  time(8, 64, 4, 16, false);
  time(8, 64, 4, 8, true);
  time(8, 64, 4, 32, true);
  time(8, 64, 4, 64, true);
  time(8, 64, 4, 5, true);
  time(2, 256, 6, 64, true);
  time(1, 4096, 1, 64, false);
  time(1, 4096, 1, 64, true);
}

void rows(Bench& bench) {
  const std::int64_t count = 512, width = 64, wide = 256, classes = 65;
  auto x = numbers(count * width, "x"), dy = numbers(count * width, "dy"), y = x, dx = x;
  auto gain = numbers(width, "gain"), bias = numbers(width, "bias"), dgain = gain, dbias = bias;
  std::vector<float> mean(512), deviation(512);
  bench.time("layer_norm/forward 512x64", 0, [&] {
    layer_norm_forward(count, width, x.data(), gain.data(), bias.data(), 1e-5F, y.data(),
                       mean.data(), deviation.data());
  });
  LayerNormGradient g;
  g.rows = count, g.width = width, g.x = x.data(), g.gain = gain.data(), g.mean = mean.data();
  g.inverse_deviation = deviation.data(), g.dy = dy.data();
  g.dx = {dx.data(), true}, g.dgain = {dgain.data(), true}, g.dbias = {dbias.data(), true};
  bench.time("layer_norm/backward 512x64", 0, [&] { layer_norm_backward(g); });

  auto h = numbers(count * wide, "h"), z = h, slope = h;
  bench.time("gelu/with_derivative 512x256", 0, [&] {
    std::copy(h.begin(), h.end(), slope.begin());
    gelu_with_derivative(slope, z);
  });
  bench.time("gelu/backward 512x256", 0, [&] { multiply(h, slope, {z.data(), false}); });
  bench.time("activations/tanh 512x256", 0, [&] { activate(Activation::tanh, h, z); });
  bench.time("column_sums 512x256", 0, [&] {
    column_sums(count, wide, h.data(), {z.data(), true});
  });
  bench.time("add 512x64", 0, [&] { add(x, dy, {y.data(), false}); });
  bench.time("dropout 512x64", 0, [&] { dropout(x, 0.1F, Random(1, "d"), 3, {y.data(), false}); });
  bench.time("transpose 512x64", 0, [&] {
    transpose(1, count, width, x.data(), {y.data(), false});
  });

  auto logits = numbers(count * classes, "logits"), dlogits = logits;
  std::vector<std::int32_t> targets(512, 7);
  const CrossEntropy c{count, classes, logits.data(), targets, {}};
  std::vector<float> lse(512);
  bench.time("cross_entropy/forward 512x65", 0, [&] { cross_entropy_forward(c, lse.data()); });
  bench.time("cross_entropy/backward 512x65", 0, [&] {
    cross_entropy_backward(c, lse.data(), 0.5F, {dlogits.data(), false});
  });
  bench.time("softmax/forward 512x64", 0,
             [&] { softmax_forward(count, width, x.data(), y.data()); });

  std::vector<std::int32_t> ids;
  for (std::int64_t i = 0; i < count; ++i) ids.push_back(static_cast<std::int32_t>(i % classes));
  auto table = numbers(classes * width, "table");
  bench.time("embedding/scatter 512x64", 0, [&] {
    scatter_add_rows(dy.data(), width, ids, classes, {table.data(), true});
  });

  auto weights = numbers(112065, "w"), m = weights, v = weights;
  for (float& value : v) value *= value;
  const auto gradient = numbers(112065, "g");
  AdamStep step;
  step.step_size = 1e-3F;
  bench.time("adam 112065", 0, [&] { adam_update(step, weights, gradient, m, v); });
  bench.time("sum_of_squares 112065", 0,
             [&] { weights[0] += static_cast<float>(sum_of_squares(gradient)) * 1e-30F; });
}

}  // namespace
}  // namespace assay

int main(int argc, char** argv) {
  assay::select_kernels(std::getenv("ASSAY_KERNELS") ? std::getenv("ASSAY_KERNELS") : "");
  fmt::print("kernels: {}\n", assay::kernel_target());
  assay::Bench bench(argc > 1 ? argv[1] : "");
  assay::Pool one_thread(1);  // the clock sees only this thread
  one_thread.run([&] {
    assay::products(bench);
    assay::attentions(bench);
    assay::rows(bench);
  });
}
