// Back-propagation through time: norms of dE/dz_n in z_n = tanh(x_n + z_(n-1) W), W = gain times a
// random orthogonal matrix, E a random linear function of the last state. Small gains make
// gradients vanish, large ones explode (Bengio, Simard and Frasconi, 1994).
#include <algorithm>
#include <cmath>

#include "assay.h"

namespace {

using namespace assay;

class GradientFlow final : public Probe {
 public:
  struct Options {
    std::vector<double> gains = {0.5, 1.0, 1.5, 3.0};
    std::int64_t width = 64, steps = 60;
    std::vector<std::int64_t> back = {0, 10, 30, 59};
    static void describe(OptionList<Options>& o) {
      o.add("gains", &Options::gains, "Every singular value of W.").above(0);
      o.add("width", &Options::width, "Width M of the state.").at_least(1);
      o.add("steps", &Options::steps, "Steps N.").at_least(1);
      o.add("back", &Options::back, "Steps before the last at which norms are shown.").at_least(0);
      o.rule(
          "gains and back: wanted at least one of each",
          [](const Options& p) { return !p.gains.empty() && !p.back.empty(); },
          "{properties: {gains: {minItems: 1}, back: {minItems: 1}}}");
      o.rule("back: must be below steps", [](const Options& p) {
        return std::all_of(p.back.begin(), p.back.end(),
                           [&](std::int64_t b) { return b < p.steps; });
      });
    }
  };
  GradientFlow(const Options& o, const ProbeBuild& b) : options_(o), seed_(b.seed) {}

  void measure(Measurements& out) const override {
    std::vector<MeasuredColumn> columns = {{"gain", ".1f"}};
    for (const std::int64_t b : options_.back)
      columns.push_back({b ? "n = N-" + std::to_string(b) : "n = N", ".2e"});
    MeasuredTable table("Norm of dE/dz_n", std::move(columns));
    const std::vector<double> orthogonal = random_orthogonal();
    for (std::size_t g = 0; g < options_.gains.size(); ++g) {
      const std::vector<double> norms = gradient_norms(options_.gains[g], orthogonal);
      std::vector<MeasuredCell> row = {options_.gains[g]};
      for (const std::int64_t b : options_.back) {
        const double norm = norms[static_cast<std::size_t>(options_.steps - 1 - b)];
        row.emplace_back(norm);
        const std::string name = "gain" + std::to_string(g) + "/back" + std::to_string(b);
        out.scalars[name] = norm;
        // Norms of different draws differ by orders of magnitude: their logarithms have a mean.
        out.scalars[name + "/log10"] = std::log10(norm);
      }
      table.row(row);
      out.arrays["norms/gain" + std::to_string(g)] = {{options_.steps}, norms};
    }
    out.tables["gradients"] = std::move(table);
  }

 private:
  // Gram and Schmidt on normal rows, twice for orthogonality to rounding.
  std::vector<double> random_orthogonal() const {
    const auto m = static_cast<std::size_t>(options_.width);
    const Random random(seed_, "orthogonal");
    std::vector<double> q(m * m);
    for (std::size_t i = 0; i < q.size(); ++i) q[i] = random.normal(i);
    const auto dot = [&](std::size_t a, std::size_t b) {
      double sum = 0;
      for (std::size_t j = 0; j < m; ++j) sum += q[a * m + j] * q[b * m + j];
      return sum;
    };
    for (std::size_t row = 0; row < m; ++row) {
      for (int pass = 0; pass < 2; ++pass)
        for (std::size_t above = 0; above < row; ++above) {
          const double share = dot(row, above);
          for (std::size_t j = 0; j < m; ++j) q[row * m + j] -= share * q[above * m + j];
        }
      const double length = std::sqrt(dot(row, row));
      for (std::size_t j = 0; j < m; ++j) q[row * m + j] /= length;
    }
    return q;
  }

  std::vector<double> gradient_norms(double gain, const std::vector<double>& orthogonal) const {
    const std::int64_t m = options_.width;
    std::vector<float> w(orthogonal.size()), x(static_cast<std::size_t>(options_.steps * m));
    for (std::size_t i = 0; i < w.size(); ++i) w[i] = static_cast<float>(gain * orthogonal[i]);
    const Random inputs(seed_, "inputs"), readout(seed_, "readout");
    Initialiser::normal(0.5).fill(x, inputs);
    std::vector<float> start(static_cast<std::size_t>(m)), gradient(start), direction(start);
    Initialiser::normal(1).fill(direction, readout);

    Tape tape;
    const Tensor weights = tape.constant({m, m}, w);
    Tensor z = tape.variable({1, m}, start.data(), gradient.data());
    std::vector<Tensor> states;
    for (std::int64_t n = 0; n < options_.steps; ++n) {
      const auto row = std::span(x).subspan(static_cast<std::size_t>(n * m), start.size());
      z = tanh(add(linear(z, weights), tape.constant({1, m}, row)));
      states.push_back(z);
    }
    tape.backward(sum(multiply(z, tape.constant({1, m}, direction))));
    std::vector<double> norms;
    for (const Tensor state : states) {
      double squares = 0;
      for (const float g : state.gradient()) squares += double{g} * double{g};
      norms.push_back(std::sqrt(squares));
    }
    return norms;
  }

  Options options_;
  std::uint64_t seed_;
};

}  // namespace

ASSAY_PLUGIN(Probe, "gradient_flow", GradientFlow,
             "Gradient norms back through time, by gain of the recurrent matrix.")
