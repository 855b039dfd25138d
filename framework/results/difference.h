// In what two runs differ: what stands behind `assay diff`.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/api.h"
#include "results/record.h"

namespace assay {

/// A fact that the two have differently; absent where a side does not have it.
struct FactDifference {
  std::string name;
  std::optional<std::string> a, b;
};
/// In the order of a, then what only b has.
ASSAY_API std::vector<FactDifference> differences(const Facts& a, const Facts& b);

/// Plugins as facts: "model gpt" -> version and SHA-256.
ASSAY_API Facts plugin_facts(const RunRecord& record);

/// How far a parameter of one run is from that of the other.
struct WeightDistance {
  std::string path;
  std::int64_t count = 0;      // numbers
  double distance = 0;         // Euclidean norm of the difference
  double relative = 0;         // over the norm of a's
  double largest = 0;          // of the absolute differences
  std::int64_t differing = 0;  // numbers whose bits differ
  std::string only;            // "a", "b" or "shape" where the two cannot be compared
};
ASSAY_API std::vector<WeightDistance> weight_distances(const State& a, const State& b);

/// Which rows are compared: those that both runs have, or every one.
enum class Compared { common, all };

/// The first step at which two runs have other bits, and the first such metric there by name.
struct Parting {
  std::int64_t step = 0;
  std::string metric;
  std::optional<double> a, b;  // absent: that run has no such row (Compared::all)
};
ASSAY_API std::optional<Parting> first_parting(const RunRecord& a, const RunRecord& b,
                                               Compared rows);

}  // namespace assay
