// The section `expect`: what an experiment states beforehand about its results.
//
//   expect:
//     val/loss: {between: [1.87, 1.915], seeds: 4}          # the mean over seeds, from 4 on
//     min(val/loss): {at_most: 1.95, over: runs}            # each run
//     parameters: [{exactly: 112065}, {at_least: 1, over: runs}]
//     val/f1: {higher: {where: model.checkpoint == final}}  # than in all other runs, by its 95%
//                                                           # interval; `than`: in these
//
// A key is an expression (results/expression.h); its value one expectation or a list of them.
// Expectations are no part of a run's identity: changing them repeats nothing.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/api.h"
#include "config/problems.h"
#include "config/value.h"
#include "results/expression.h"
#include "results/record.h"
#include "results/run_set.h"

namespace assay {

/// Runs in which a metric is to be higher (or lower) than in others.
struct Contrast {
  Expression where;
  std::optional<Expression> than;  // not set: all other runs
  bool higher = true;
  double by = 0;  // at least so much
};

struct Expectation {
  Expression metric;
  std::optional<double> least, most;  // both inclusive
  std::string wanted;                 // "1.87 to 1.915"
  bool each_run = false;              // else the mean over seeds
  std::int64_t seeds = 1;             // that the mean, or each side of the contrast, needs
  std::optional<Contrast> contrast;
};

/// Everything wrong becomes a problem.
ASSAY_API std::vector<Expectation> read_expectations(const Value& section, Problems& problems);

/// "val/loss: 1.87 to 1.915 (mean over seeds, at least 4)".
ASSAY_API std::string expectation_text(const Expectation& expectation);

struct Verdict {
  enum class Kind { met, missed, open };
  Kind kind = Kind::open;
  std::string of;  // a run, or what the runs have in common
  std::string metric, wanted;
  std::optional<double> got;
  std::int64_t seeds = 0;  // whose mean it is; 0: one run's
  std::string note;        // why there is no value, or why it is open
};
ASSAY_API std::string_view name(Verdict::Kind kind);

/// A run with what is expected of it.
struct JudgedRun {
  const LoadedRun* run = nullptr;
  const std::vector<Expectation>* expectations = nullptr;
};
/// One verdict for each expectation and each run or group of runs that differ only in their seed. A
/// run that is not done misses what is expected of it, unless it was stopped.
ASSAY_API std::vector<Verdict> judge(const std::vector<JudgedRun>& runs);

/// What the file of one run says of its expectations.
ASSAY_API std::map<std::string, StatedExpectation> stated_expectations(
    const std::vector<Expectation>& expectations, const LoadedRun& run);

}  // namespace assay
