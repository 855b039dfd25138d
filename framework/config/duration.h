// How long something lasts or how often it comes, in steps, tokens, epochs or (where an option says
// so) seconds. The same everywhere: train.steps, evaluate.every, scheduler.warmup, ...
//
//   warmup: 100      steps        warmup: 20Mt     tokens: 5kt, 1.5Mt, 2Gt, 800t
//   warmup: 2e       epochs: every target of the training split once; 0.5e is half of that
//   every: 30s       seconds, of checkpoints only
//
//   Duration warmup;                                             // a member of an options struct
//   o.add("warmup", &Options::warmup, "...").at_least(0);        // bounds are of steps
//   std::int64_t steps = build.pace.steps(options.warmup);       // the first step that reaches it
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "base/api.h"

namespace assay {

struct Duration {
  enum class Unit { steps, tokens, epochs, seconds };
  double amount = 0;  // whole for steps and tokens
  Unit unit = Unit::steps;

  Duration() = default;
  Duration(std::int64_t steps) : amount(static_cast<double>(steps)) {}  // NOLINT: 100 is steps
  Duration(double how_much, Unit of) : amount(how_much), unit(of) {}
  bool operator==(const Duration&) const = default;
  bool in_seconds() const { return unit == Unit::seconds; }
};

/// "100", "20Mt", "1500kt", "2e", "30s": one text for one duration, which parse_duration reads
/// back.
ASSAY_API std::string duration_text(const Duration& duration);
enum class DurationError { none, syntax, fraction, range };
/// Sets into only where there is no error.
ASSAY_API DurationError parse_duration(std::string_view text, Duration& into);

/// What a run's step amounts to; turns durations into steps.
struct ASSAY_API Pace {
  double examples_per_step = 1;                // batch x accumulate
  double tokens_per_step = 1;                  // that times the context
  std::function<double()> examples_per_epoch;  // asked only where epochs are used

  /// Completed steps at which the duration is first reached: rounded up, so 0 is for 0 only. Epochs
  /// REQUIRE examples_per_epoch. At most 2^53. Throws std::logic_error for seconds.
  std::int64_t steps(const Duration& duration) const;
};

}  // namespace assay
