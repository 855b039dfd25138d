// Properties of the sinusoidal encoding (Vaswani et al., 2017, section 3.5) of positions 0 ... N-1:
// r[n, 2j] = sin(w_j n), r[n, 2j+1] = cos(w_j n), w_j = base^(-2j/D). All in float64.
#include <algorithm>
#include <cmath>

#include "assay.h"

namespace {

using namespace assay;

using Matrix = std::vector<double>;  // row by row

// The least squares solution of a w = b by normal equations, then the RMS of what is left.
double residual_of_best_map(const Matrix& a, const Matrix& b, std::size_t rows, std::size_t width) {
  Matrix normal(width * width), right(width * width);
  for (std::size_t n = 0; n < rows; ++n)
    for (std::size_t i = 0; i < width; ++i)
      for (std::size_t j = 0; j < width; ++j) {
        normal[i * width + j] += a[n * width + i] * a[n * width + j];
        right[i * width + j] += a[n * width + i] * b[n * width + j];
      }
  for (std::size_t column = 0; column < width; ++column) {  // Gauss and Jordan, with pivots
    std::size_t pivot = column;
    for (std::size_t i = column + 1; i < width; ++i)
      if (std::abs(normal[i * width + column]) > std::abs(normal[pivot * width + column]))
        pivot = i;
    for (std::size_t j = 0; j < width; ++j) {
      std::swap(normal[column * width + j], normal[pivot * width + j]);
      std::swap(right[column * width + j], right[pivot * width + j]);
    }
    for (std::size_t i = 0; i < width; ++i) {
      if (i == column) continue;
      const double factor = normal[i * width + column] / normal[column * width + column];
      for (std::size_t j = 0; j < width; ++j) {
        normal[i * width + j] -= factor * normal[column * width + j];
        right[i * width + j] -= factor * right[column * width + j];
      }
    }
  }
  double squares = 0;
  for (std::size_t n = 0; n < rows; ++n)
    for (std::size_t j = 0; j < width; ++j) {
      double rest = -b[n * width + j];
      for (std::size_t i = 0; i < width; ++i)
        rest += a[n * width + i] * right[i * width + j] / normal[i * width + i];
      squares += rest * rest;
    }
  return std::sqrt(squares / static_cast<double>(rows * width));
}

class SinusoidalPositions final : public Probe {
 public:
  struct Options {
    std::int64_t positions = 2000, width = 32, shift = 7, offset = 3;
    double base = 10000;
    static void describe(OptionList<Options>& o) {
      o.add("positions", &Options::positions, "Positions N.").at_least(2);
      o.add("width", &Options::width, "Width D, even.").at_least(2);
      o.add("base", &Options::base, "The base L of the wavelengths.").above(1);
      o.add("shift", &Options::shift, "k of the matrix with r_(n+k) = M_k r_n.").at_least(1);
      o.add("offset", &Options::offset, "Of the product r_n . r_(n+offset).").at_least(1);
      o.rule(
          "width must be even", [](const Options& p) { return p.width % 2 == 0; },
          "{properties: {width: {multipleOf: 2}}}");
      o.rule("positions must be above twice shift, offset and width", [](const Options& p) {
        return p.positions > 2 * std::max({p.shift, p.offset, p.width});
      });
    }
  };
  SinusoidalPositions(const Options& o, const ProbeBuild&)
      : options_(o),
        rows_(static_cast<std::size_t>(o.positions)),
        width_(static_cast<std::size_t>(o.width)) {
    for (std::size_t j = 0; j < width_ / 2; ++j)
      frequencies_.push_back(
          std::pow(o.base, -2.0 * static_cast<double>(j) / static_cast<double>(width_)));
    for (std::size_t n = 0; n < rows_; ++n)
      for (const double w : frequencies_) {
        encoding_.push_back(std::sin(w * static_cast<double>(n)));
        encoding_.push_back(std::cos(w * static_cast<double>(n)));
      }
  }

  void measure(Measurements& out) const override {
    const double turn = 2 * std::acos(-1.0);
    auto& found = out.scalars;
    found["least"] = *std::min_element(encoding_.begin(), encoding_.end());
    found["greatest"] = *std::max_element(encoding_.begin(), encoding_.end());
    found["wavelength/first"] = turn / frequencies_.front();
    found["wavelength/last"] = turn / frequencies_.back();
    found["least_distance"] = least_distance();
    found["shift_error"] = shift_error();
    found["product/least"] = 1e300, found["product/greatest"] = -1e300;
    for (std::size_t n = 0; n + offset() < rows_; ++n) {
      const double product = dot(n, n + offset());
      found["product/least"] = std::min(found["product/least"], product);
      found["product/greatest"] = std::max(found["product/greatest"], product);
    }
    found["sines_only/residual"] = sines_only_residual();

    MeasuredTable table("Sinusoidal encoding of " + std::to_string(rows_) +
                            " positions, D = " + std::to_string(width_),
                        {{"property"}, {"value", ".6g"}});
    const std::string k = std::to_string(options_.shift), m = std::to_string(options_.offset);
    table.row({"least element", found["least"]});
    table.row({"greatest element", found["greatest"]});
    table.row({"first wavelength", found["wavelength/first"]});
    table.row({"last wavelength", found["wavelength/last"]});
    table.row({"least distance of two encodings", found["least_distance"]});
    table.row({"greatest error of r_(n+" + k + ") = M r_n", found["shift_error"]});
    table.row({"r_n . r_(n+" + m + "), least over n", found["product/least"]});
    table.row({"r_n . r_(n+" + m + "), greatest over n", found["product/greatest"]});
    table.row({"sines only: RMS error of the best linear shift", found["sines_only/residual"]});
    out.tables["properties"] = std::move(table);
  }

 private:
  double at(std::size_t n, std::size_t i) const { return encoding_[n * width_ + i]; }
  std::size_t shift() const { return static_cast<std::size_t>(options_.shift); }
  std::size_t offset() const { return static_cast<std::size_t>(options_.offset); }

  double dot(std::size_t n, std::size_t m) const {
    double sum = 0;
    for (std::size_t i = 0; i < width_; ++i) sum += at(n, i) * at(m, i);
    return sum;
  }

  double least_distance() const {
    std::vector<double> nearest(rows_, 1e300);
    parallel_for(options_.positions, [&](std::int64_t row) {
      const auto n = static_cast<std::size_t>(row);
      for (std::size_t m = 0; m < n; ++m) {
        double squares = 0;
        for (std::size_t i = 0; i < width_; ++i)
          squares += (at(n, i) - at(m, i)) * (at(n, i) - at(m, i));
        nearest[n] = std::min(nearest[n], squares);
      }
    });
    return std::sqrt(*std::min_element(nearest.begin(), nearest.end()));
  }

  // One rotation for each frequency.
  double shift_error() const {
    double error = 0;
    for (std::size_t j = 0; j < frequencies_.size(); ++j) {
      const double angle = frequencies_[j] * static_cast<double>(shift());
      const double c = std::cos(angle), s = std::sin(angle);
      for (std::size_t n = 0; n + shift() < rows_; ++n) {
        const double sine = at(n, 2 * j), cosine = at(n, 2 * j + 1);
        error = std::max({error, std::abs(c * sine + s * cosine - at(n + shift(), 2 * j)),
                          std::abs(c * cosine - s * sine - at(n + shift(), 2 * j + 1))});
      }
    }
    return error;
  }

  double sines_only_residual() const {
    Matrix before, after;
    for (std::size_t n = 0; n + shift() < rows_; ++n)
      for (std::size_t j = 0; j < frequencies_.size(); ++j) {
        before.push_back(at(n, 2 * j));
        after.push_back(at(n + shift(), 2 * j));
      }
    return residual_of_best_map(before, after, rows_ - shift(), frequencies_.size());
  }

  Options options_;
  std::size_t rows_, width_;
  std::vector<double> frequencies_;
  Matrix encoding_;
};

}  // namespace

ASSAY_PLUGIN(Probe, "sinusoidal_positions", SinusoidalPositions,
             "Properties of the sinusoidal position encoding.")
