// What holds for attention whatever its weights: rows of weights sum to 1 and mix the inputs; one
// shared map gives symmetric scores, two do not; forbidden weights are 0, and a query that may
// attend to nothing gives 0 and finite gradients; heads add up, with 4 D^2 parameters; a layer
// without positions is permutation equivariant.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "assay.h"

namespace {

using namespace assay;

double difference(std::span<const float> a, std::span<const float> b) {
  double most = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    most = std::max(most, std::abs(double{a[i]} - double{b[i]}));
  return most;
}

class AttentionIdentities final : public Probe {
 public:
  struct Options {
    std::int64_t tokens = 7, width = 16, heads = 4;
    static void describe(OptionList<Options>& o) {
      o.add("tokens", &Options::tokens, "Tokens N.").at_least(2);
      o.add("width", &Options::width, "Width D.").at_least(1);
      o.add("heads", &Options::heads, "Attention heads H.").at_least(1);
      o.rule("width must be a multiple of heads",
             [](const Options& p) { return p.width % p.heads == 0; });
    }
  };
  AttentionIdentities(const Options& o, const ProbeBuild& b)
      : n_(o.tokens), d_(o.width), heads_(o.heads), seed_(b.seed) {}

  void measure(Measurements& out) const override {
    simplest(out);
    scores(out);
    masks(out);
    heads_add_up(out);
    equivariance(out);
    MeasuredTable table("Attention of " + std::to_string(n_) + " tokens, D = " +
                            std::to_string(d_) + ", H = " + std::to_string(heads_),
                        {{"property"}, {"value", ".3g"}});
    for (const auto& [name, value] : out.scalars) table.row({name, value});
    out.tables["identities"] = std::move(table);
  }

 private:
  std::vector<float> normals(const char* purpose, std::int64_t count) const {
    std::vector<float> values(static_cast<std::size_t>(count));
    Initialiser::normal(1).fill(values, Random(seed_, purpose));
    return values;
  }
  Tensor tokens(Tape& tape) const { return tape.constant({1, n_, d_}, normals("tokens", n_ * d_)); }

  // softmax(X X^T) X: the operation divides by sqrt(D), so the queries are multiplied by it.
  void simplest(Measurements& out) const {
    Tape tape(false);
    std::vector<float> a(static_cast<std::size_t>(n_ * n_));
    const Tensor x = tokens(tape);
    const Tensor y =
        attention(scale(x, std::sqrt(static_cast<float>(d_))), x, x, 1, {}, std::span(a));
    double sums = 0;
    for (std::int64_t n = 0; n < n_; ++n)
      sums = std::max(
          sums, std::abs(std::accumulate(a.begin() + n * n_, a.begin() + (n + 1) * n_, 0.0) - 1));
    out.scalars["weights/row_sum_error"] = sums;
    out.scalars["weights/least"] = *std::min_element(a.begin(), a.end());
    const Tensor mixed = matmul(tape.constant({1, n_, n_}, a), x);
    out.scalars["weights/mixture_error"] = difference(mixed.values(), y.values());
    out.arrays["weights"] = {{n_, n_}, a};
  }

  void scores(Measurements& out) const {
    Tape tape(false);
    const Tensor x = tape.constant({n_, d_}, normals("tokens", n_ * d_));
    const Tensor u = tape.constant({d_, d_}, normals("u", d_ * d_));
    const Tensor k = tape.constant({d_, d_}, normals("k", d_ * d_));
    const auto asymmetry = [](Tensor s) {
      double most = 0, size = 0;
      for (const float v : s.values()) size = std::max(size, std::abs(double{v}));
      most = difference(s.values(), transpose(s).values());
      return most / size;
    };
    const Tensor shared = linear(x, u);
    out.scalars["scores/shared_asymmetry"] = asymmetry(matmul(shared, transpose(shared)));
    out.scalars["scores/separate_asymmetry"] = asymmetry(matmul(shared, transpose(linear(x, k))));
  }

  // Token 0 may attend to nothing, the others to those before them.
  void masks(Measurements& out) const {
    std::vector<std::uint8_t> allowed(static_cast<std::size_t>(n_ * n_));
    for (std::int64_t i = 0; i < n_; ++i)
      for (std::int64_t j = 0; j < i; ++j) allowed[static_cast<std::size_t>(i * n_ + j)] = 1;
    AttentionMask mask;
    mask.pairs = allowed;
    std::vector<float> values = normals("tokens", n_ * d_), gradient(values.size());
    std::vector<float> weights(static_cast<std::size_t>(heads_ * n_ * n_));
    Tape tape;
    const Tensor x = tape.variable({1, n_, d_}, values.data(), gradient.data());
    const Tensor y = attention(x, x, x, heads_, mask, std::span(weights));
    double forbidden = 0, sums = 0, blocked = 0;
    for (std::int64_t row = 0; row < heads_ * n_; ++row) {
      double sum = 0;
      for (std::int64_t j = 0; j < n_; ++j) {
        const double weight = weights[static_cast<std::size_t>(row * n_ + j)];
        sum += weight;
        if (j >= row % n_) forbidden = std::max(forbidden, std::abs(weight));
      }
      if (row % n_ > 0) sums = std::max(sums, std::abs(sum - 1));
    }
    for (const float v : y.values().first(static_cast<std::size_t>(d_)))
      blocked = std::max(blocked, std::abs(double{v}));
    tape.backward(sum(multiply(y, y)));
    const bool finite =
        std::all_of(gradient.begin(), gradient.end(), [](float g) { return std::isfinite(g); });
    out.scalars["mask/forbidden_weight"] = forbidden;
    out.scalars["mask/row_sum_error"] = sums;
    out.scalars["mask/blocked_row"] = blocked;
    out.scalars["mask/gradient_is_finite"] = finite;
  }

  // sum over heads of A_h X Wv_h Wo_h, against the layer.
  void heads_add_up(Measurements& out) const {
    Parameters parameters;
    AttentionOptions options;
    options.width = d_, options.heads = heads_;
    const MultiHeadAttention layer(Scope(parameters) / "attention", options);
    parameters.initialise(seed_);
    Tape tape(false);
    Pass pass(tape, parameters, {}, Mode::evaluate, Random(seed_, "pass"));
    std::vector<float> a;
    const Tap tap = [&](std::string_view, const Shape&, std::span<const float> weights) {
      a.assign(weights.begin(), weights.end());
    };
    pass.tap = &tap;
    const Tensor x = tokens(tape);
    const Tensor y = layer(x, x, {}, pass);
    const auto v = parameters.values(parameters.find("attention/v"));
    const auto o = parameters.values(parameters.find("attention/o"));
    const std::int64_t w = d_ / heads_;
    Tensor total;
    for (std::int64_t h = 0; h < heads_; ++h) {
      std::vector<float> block;
      for (std::int64_t i = 0; i < d_; ++i)
        for (std::int64_t j = 0; j < w; ++j)
          block.push_back(v[static_cast<std::size_t>(i * d_ + h * w + j)]);
      const Tensor map =
          matmul(tape.constant({d_, w}, block),
                 tape.constant({w, d_}, o.subspan(static_cast<std::size_t>(h * w * d_),
                                                  static_cast<std::size_t>(w * d_))));
      const auto weights = std::span(a).subspan(static_cast<std::size_t>(h * n_ * n_),
                                                static_cast<std::size_t>(n_ * n_));
      const Tensor part = matmul(tape.constant({1, n_, n_}, weights), linear(x, map));
      total = total ? add(total, part) : part;
    }
    out.scalars["heads/sum_error"] = difference(total.values(), y.values());
    out.scalars["heads/parameters"] = static_cast<double>(parameters.count());
  }

  // layer(P x) against P layer(x), P the reversal of the tokens; then with positions added.
  void equivariance(Measurements& out) const {
    Parameters parameters;
    BlockOptions block;
    block.width = d_, block.heads = heads_;
    const TransformerBlock layer(Scope(parameters) / "layer", block);
    parameters.initialise(seed_);
    Tape tape(false);
    Pass pass(tape, parameters, {}, Mode::evaluate, Random(seed_, "pass"));
    const auto reversed = [&](std::span<const float> rows) {
      std::vector<float> values;
      for (std::int64_t n = n_ - 1; n >= 0; --n)
        for (std::int64_t j = 0; j < d_; ++j)
          values.push_back(rows[static_cast<std::size_t>(n * d_ + j)]);
      return values;
    };
    const Tensor x = tokens(tape), px = tape.constant({1, n_, d_}, reversed(x.values()));
    const Tensor positions = tape.constant({n_, d_}, normals("positions", n_ * d_));
    out.scalars["permutation/without_positions"] =
        difference(layer(px, {}, pass).values(), reversed(layer(x, {}, pass).values()));
    out.scalars["permutation/with_positions"] =
        difference(layer(add(px, positions), {}, pass).values(),
                   reversed(layer(add(x, positions), {}, pass).values()));
  }

  std::int64_t n_, d_, heads_;
  std::uint64_t seed_;
};

}  // namespace

ASSAY_PLUGIN(Probe, "attention_identities", AttentionIdentities,
             "Row sums, symmetry, masks, heads and permutations of attention.")
