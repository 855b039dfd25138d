// Plugin kind `probe`: an experiment that measures and does not train.
//
//   void measure(Measurements& out) const override {               // probe: {type: row_sums}
//     const Random random(seed_, "row_sums");
//     MeasuredTable table("Sums of rows", {{"tokens", "d"}, {"error", ".1e"}});
//     for (std::int64_t n : lengths_) table.row({n, error_of(n, random)});
//     out.scalars["row_sum_error"] = worst_;    // a metric: sweeps, compare and expect see it
//     out.tables["rows"] = std::move(table);    // `assay show` prints it
//   }
//
// What is measured is a function of the options and the seed, whatever the number of threads;
// except for probes of time. A probe may use parallel_for. Threads: measure is const and
// re-entrant; runs of a sweep measure at once, unless the probe measures time. Errors:
// Error(usage) from the constructor for options that do not go together.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "base/api.h"
#include "base/measured_table.h"
#include "base/random.h"
#include "base/state.h"
#include "config/options.h"

namespace assay {

struct ProbeBuild {
  std::uint64_t seed = 1;  // of the run: Random(seed, "purpose")
};

/// All that a probe found, by name.
struct Measurements {
  std::map<std::string, double> scalars;
  std::map<std::string, MeasuredTable> tables;
  State arrays;
};

class ASSAY_API Probe {
 public:
  static constexpr const char* kKind = "probe";
  using Build = ProbeBuild;
  virtual ~Probe();
  virtual void measure(Measurements& out) const = 0;
  /// Whether it measures time, so that it finds something else each time.
  virtual bool measures_time() const;
};

}  // namespace assay
