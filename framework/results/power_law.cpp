#include "results/power_law.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>

#include "base/error.h"

namespace assay {
namespace {

using Vector = std::vector<double>;
using Matrix = std::vector<Vector>;

constexpr const char* kTooLittle =
    "; runs that differ more in what the loss is fitted against may help";

// The inverse of a symmetric positive definite matrix by Gauss and Jordan; nothing if it is
// singular to working precision.
std::optional<Matrix> inverse(Matrix a) {
  const std::size_t n = a.size();
  Matrix result(n, Vector(n));
  for (std::size_t i = 0; i < n; ++i) result[i][i] = 1;
  for (std::size_t column = 0; column < n; ++column) {
    std::size_t pivot = column;
    for (std::size_t row = column; row < n; ++row)
      if (std::abs(a[row][column]) > std::abs(a[pivot][column])) pivot = row;
    if (!(std::abs(a[pivot][column]) > 0) || !std::isfinite(a[pivot][column])) return std::nullopt;
    std::swap(a[pivot], a[column]), std::swap(result[pivot], result[column]);
    const double scale = a[column][column];
    for (std::size_t k = 0; k < n; ++k) a[column][k] /= scale, result[column][k] /= scale;
    for (std::size_t row = 0; row < n; ++row) {
      if (row == column) continue;
      const double factor = a[row][column];
      for (std::size_t k = 0; k < n; ++k)
        a[row][k] -= factor * a[column][k], result[row][k] -= factor * result[column][k];
    }
  }
  return result;
}

// The law with each x over its geometric mean g, so that numbers are of one size: parameters are
// A'_j = A_j g_j^(-a_j), a_j, and E last, where there is one.
class LeastSquares {
 public:
  LeastSquares(const std::vector<Vector>& x, const Vector& y, bool floor) : y_(y), floor_(floor) {
    for (const Vector& values : x) {
      double mean = 0;
      for (const double value : values) mean += std::log(value);
      centres_.push_back(mean / static_cast<double>(values.size()));
      Vector& logs = logs_.emplace_back();
      for (const double value : values) logs.push_back(std::log(value) - centres_.back());
    }
  }
  std::size_t terms() const { return logs_.size(); }
  std::size_t parameters() const { return 2 * terms() + (floor_ ? 1 : 0); }
  double centre(std::size_t term) const { return centres_[term]; }

  double residual(const Vector& p, std::size_t point) const {
    double sum = floor_ ? p.back() : 0;
    for (std::size_t j = 0; j < terms(); ++j)
      sum += p[2 * j] * std::exp(-p[2 * j + 1] * logs_[j][point]);
    return y_[point] - sum;
  }
  double squares(const Vector& p) const {
    double sum = 0;
    for (std::size_t i = 0; i < y_.size(); ++i) sum += residual(p, i) * residual(p, i);
    return sum;
  }
  // J^T J and J^T r of the law at p.
  void normal_equations(const Vector& p, Matrix& left, Vector& right) const {
    left.assign(p.size(), Vector(p.size()));
    right.assign(p.size(), 0);
    Vector slope(p.size(), 1);  // the last stays 1: E
    for (std::size_t i = 0; i < y_.size(); ++i) {
      for (std::size_t j = 0; j < terms(); ++j) {
        slope[2 * j] = std::exp(-p[2 * j + 1] * logs_[j][i]);
        slope[2 * j + 1] = -p[2 * j] * logs_[j][i] * slope[2 * j];
      }
      const double r = residual(p, i);
      for (std::size_t a = 0; a < p.size(); ++a) {
        right[a] += slope[a] * r;
        for (std::size_t b = 0; b < p.size(); ++b) left[a][b] += slope[a] * slope[b];
      }
    }
  }

 private:
  std::vector<Vector> logs_;
  Vector y_, centres_;
  bool floor_;
};

// From p downhill, until no step leads further down.
Vector descended(const LeastSquares& problem, Vector p) {
  double squares = problem.squares(p), damping = 1e-3;
  Matrix left;
  Vector right;
  for (int step = 0; step < 500 && damping < 1e12; ++step) {
    problem.normal_equations(p, left, right);
    for (std::size_t i = 0; i < p.size(); ++i) left[i][i] *= 1 + damping;
    const auto solve = inverse(left);
    Vector next = p;
    if (solve)
      for (std::size_t a = 0; a < p.size(); ++a)
        for (std::size_t b = 0; b < p.size(); ++b) next[a] += (*solve)[a][b] * right[b];
    const double fresh = solve ? problem.squares(next) : squares;
    if (solve && fresh < squares) {
      p = next, damping /= 10;
      squares = fresh;
    } else {
      damping *= 10;
    }
  }
  return p;
}

void check(const std::vector<Vector>& x, const Vector& y, const PowerLawOptions& options) {
  const std::size_t wanted = 2 * x.size() + (options.floor ? 1 : 0) + 1;
  if (y.size() < wanted)
    throw Error(ExitCode::usage,
                fmt::format("a power law of {} numbers needs {} points or more, got {}", wanted - 1,
                            wanted, y.size()));
  const std::size_t different = options.floor ? 3 : 2;
  for (std::size_t j = 0; j < x.size(); ++j)
    if (const std::size_t got = std::set<double>(x[j].begin(), x[j].end()).size(); got < different)
      throw Error(ExitCode::usage,
                  fmt::format("term {} has {} different values; a power law{} needs {}", j + 1, got,
                              options.floor ? " with a floor" : "", different));
}

Vector best_of_starts(const LeastSquares& problem, const Vector& y, bool floor) {
  const auto [least, most] = std::minmax_element(y.begin(), y.end());
  const double range = std::max(*most - *least, 1e-12);
  std::optional<Vector> best;
  for (const double exponent : {0.1, 0.3, 1.0, 2.0})
    for (const double share : {0.1, 0.5, 1.0}) {
      Vector p;
      for (std::size_t j = 0; j < problem.terms(); ++j)
        p.push_back(floor ? share * range : *least), p.push_back(exponent);
      if (floor) p.push_back(*least - share * range / 2);
      p = descended(problem, p);
      if (!best || problem.squares(p) < problem.squares(*best)) best = p;
    }
  return *best;
}

}  // namespace

PowerLaw fit_power_law(const std::vector<Vector>& x, const Vector& y,
                       const PowerLawOptions& options) {
  check(x, y, options);
  const LeastSquares problem(x, y, options.floor);
  const Vector p = best_of_starts(problem, y, options.floor);
  Matrix left;
  Vector right;
  problem.normal_equations(p, left, right);
  const auto covariance = inverse(left);
  PowerLaw law;
  law.points = y.size(), law.degrees = y.size() - p.size();
  const double squares = problem.squares(p);
  const double variance = squares / static_cast<double>(law.degrees);
  law.deviation = std::sqrt(variance);
  const double t = critical_t(static_cast<double>(law.degrees));
  const auto estimate = [&](double value, double of_value) {
    const double half = t * std::sqrt(variance * of_value);
    if (!std::isfinite(half) || !std::isfinite(value))
      throw Error(ExitCode::usage,
                  std::string("the points do not determine a power law") + kTooLittle);
    return Estimate{value, {value - half, value + half}};
  };
  if (!covariance)
    throw Error(ExitCode::usage,
                std::string("the points do not determine a power law") + kTooLittle);
  const Matrix& c = *covariance;
  for (std::size_t j = 0; j < problem.terms(); ++j) {
    // A = A' g^a: its variance follows from those of A' and a, and their covariance.
    const std::size_t f = 2 * j, e = f + 1;
    const double grown = std::exp(p[e] * problem.centre(j)), factor = p[f] * grown;
    const double by_exponent = factor * problem.centre(j);
    const double of_factor = grown * grown * c[f][f] + 2 * grown * by_exponent * c[f][e] +
                             by_exponent * by_exponent * c[e][e];
    law.terms.push_back({estimate(factor, of_factor), estimate(p[e], c[e][e])});
  }
  if (options.floor) law.floor = estimate(p.back(), c.back().back());
  const double mean = spread_of(y).mean;
  double total = 0;
  for (const double value : y) total += (value - mean) * (value - mean);
  law.explained = total > 0 ? 1 - squares / total : 1;
  return law;
}

}  // namespace assay
