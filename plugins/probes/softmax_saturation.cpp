// What becomes of the softmax when the scores of one query and some keys are not divided by
// sqrt(D_k): the largest weight nears 1, and the norm of the Jacobian diag(a) - a a^T, which
// gradients pass through, nears 0.
#include <algorithm>
#include <cmath>

#include "assay.h"

namespace {

using namespace assay;

struct Saturation {
  double weight = 0, jacobian = 0;
};

Saturation saturation_of(std::vector<double> scores) {
  const double most = *std::max_element(scores.begin(), scores.end());
  double sum = 0, squares = 0;
  for (double& s : scores) sum += s = std::exp(s - most);
  for (std::size_t i = 0; i < scores.size(); ++i)
    for (std::size_t j = 0; j < scores.size(); ++j) {
      const double a = scores[i] / sum, b = scores[j] / sum;
      double element = -a * b;
      // a (1 - a), without cancellation near a = 1
      if (i == j) {
        double others = 0;
        for (std::size_t k = 0; k < scores.size(); ++k)
          if (k != i) others += scores[k] / sum;
        element = a * others;
      }
      squares += element * element;
    }
  return {*std::max_element(scores.begin(), scores.end()) / sum, std::sqrt(squares)};
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  return values.size() % 2 ? values[half] : (values[half - 1] + values[half]) / 2;
}

class SoftmaxSaturation final : public Probe {
 public:
  struct Options {
    std::vector<std::int64_t> widths = {4, 64, 512};
    std::int64_t keys = 10, draws = 1001;
    static void describe(OptionList<Options>& o) {
      o.add("widths", &Options::widths, "Widths D_k of query and keys.").at_least(1);
      o.add("keys", &Options::keys, "Keys for one query.").at_least(2);
      o.add("draws", &Options::draws, "Queries with their keys; the medians are reported.")
          .at_least(1);
      o.rule(
          "widths: wanted at least one", [](const Options& p) { return !p.widths.empty(); },
          "{properties: {widths: {minItems: 1}}}");
    }
  };
  SoftmaxSaturation(const Options& o, const ProbeBuild& b) : options_(o), seed_(b.seed) {}

  void measure(Measurements& out) const override {
    MeasuredTable table(
        "Softmax of the scores of one query (medians over draws)",
        {{"D_k", "d"}, {"divide by", ".2f"}, {"largest weight", ".3f"}, {"Jacobian norm", ".2e"}});
    for (const std::int64_t width : options_.widths) {
      const double root = std::sqrt(static_cast<double>(width));
      for (const bool scaled : {false, true}) {
        const double divisor = scaled ? root : 1;
        const Saturation found = median_of(width, divisor);
        table.row({width, divisor, found.weight, found.jacobian});
        const std::string name =
            "width_" + std::to_string(width) + (scaled ? "/scaled" : "/unscaled");
        out.scalars[name + "/largest_weight"] = found.weight;
        out.scalars[name + "/jacobian"] = found.jacobian;
      }
    }
    out.tables["softmax"] = std::move(table);
  }

 private:
  Saturation median_of(std::int64_t width, double divisor) const {
    const Random random(seed_, "scores", static_cast<std::uint64_t>(width));
    std::vector<double> weights(static_cast<std::size_t>(options_.draws)), jacobians(weights);
    parallel_for(options_.draws, [&](std::int64_t d) {
      const std::int64_t first = d * width * (options_.keys + 1);
      const auto at = [&](std::int64_t row, std::int64_t j) {
        return random.normal(static_cast<std::uint64_t>(first + row * width + j));
      };
      std::vector<double> query, scores(static_cast<std::size_t>(options_.keys));
      for (std::int64_t j = 0; j < width; ++j) query.push_back(at(0, j));
      for (std::int64_t k = 0; k < options_.keys; ++k)
        for (std::int64_t j = 0; j < width; ++j)
          scores[static_cast<std::size_t>(k)] +=
              query[static_cast<std::size_t>(j)] * at(k + 1, j) / divisor;
      const Saturation one = saturation_of(scores);
      weights[static_cast<std::size_t>(d)] = one.weight;
      jacobians[static_cast<std::size_t>(d)] = one.jacobian;
    });
    return {median(weights), median(jacobians)};
  }

  Options options_;
  std::uint64_t seed_;
};

}  // namespace

ASSAY_PLUGIN(Probe, "softmax_saturation", SoftmaxSaturation,
             "Largest weight and Jacobian of the softmax, with and without scaling.")
