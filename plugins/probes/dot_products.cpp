// Products of random vectors of D_k independent N(0, 1) elements: the variance of q.k is D_k, which
// is why scores are divided by sqrt(D_k) (Vaswani et al., 2017, section 3.2.1), and the cosine of
// two directions has standard deviation 1/sqrt(D_k).
#include <cmath>

#include "assay.h"

namespace {

using namespace assay;

double variance(const std::vector<double>& values) {
  double sum = 0, squares = 0;
  for (const double v : values) sum += v;
  const double mean = sum / static_cast<double>(values.size());
  for (const double v : values) squares += (v - mean) * (v - mean);
  return squares / static_cast<double>(values.size() - 1);
}

class DotProducts final : public Probe {
 public:
  struct Options {
    std::vector<std::int64_t> widths = {4, 16, 64, 256};
    std::int64_t draws = 20000;
    static void describe(OptionList<Options>& o) {
      o.add("widths", &Options::widths, "Numbers of elements D_k.").at_least(1);
      o.add("draws", &Options::draws, "Pairs of vectors for each.").at_least(2);
      o.rule(
          "widths: wanted at least one", [](const Options& p) { return !p.widths.empty(); },
          "{properties: {widths: {minItems: 1}}}");
    }
  };
  DotProducts(const Options& o, const ProbeBuild& b) : options_(o), seed_(b.seed) {}

  void measure(Measurements& out) const override {
    MeasuredTable table("Products of random vectors", {{"D_k", "d"},
                                                       {"var(q.k)", ".2f"},
                                                       {"var(q.k/sqrt(D_k))", ".3f"},
                                                       {"std of cos(angle)", ".4f"},
                                                       {"1/sqrt(D_k)", ".4f"}});
    for (const std::int64_t width : options_.widths) {
      std::vector<double> products(static_cast<std::size_t>(options_.draws)), cosines(products);
      const Random random(seed_, "vectors", static_cast<std::uint64_t>(width));
      parallel_for(options_.draws,
                   [&](std::int64_t i) { draw(random, width, i, products, cosines); });
      const double raw = variance(products), scaled = raw / static_cast<double>(width);
      const double deviation = std::sqrt(variance(cosines));
      const double root = 1 / std::sqrt(static_cast<double>(width));
      table.row({width, raw, scaled, deviation, root});
      const std::string name = "width_" + std::to_string(width);
      out.scalars[name + "/variance"] = raw;
      out.scalars[name + "/scaled_variance"] = scaled;
      out.scalars[name + "/cosine_deviation"] = deviation;
    }
    out.tables["products"] = std::move(table);
  }

 private:
  static void draw(const Random& random, std::int64_t width, std::int64_t i,
                   std::vector<double>& products, std::vector<double>& cosines) {
    double qk = 0, qq = 0, kk = 0;
    for (std::int64_t j = 0; j < width; ++j) {
      const auto index = static_cast<std::uint64_t>(2 * (i * width + j));
      const double q = random.normal(index), k = random.normal(index + 1);
      qk += q * k, qq += q * q, kk += k * k;
    }
    products[static_cast<std::size_t>(i)] = qk;
    cosines[static_cast<std::size_t>(i)] = qk / std::sqrt(qq * kk);
  }

  Options options_;
  std::uint64_t seed_;
};

}  // namespace

ASSAY_PLUGIN(Probe, "dot_products", DotProducts,
             "Variance of products of random vectors, by width.")
