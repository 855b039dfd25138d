// What one asks of runs: filters, metrics and gates, in one small language.
//
//   val/loss < 2 and model.type == gpt
//   min(val/loss)    last(train/loss)    at(val/loss, 300)    step_of_min(val/loss) auc(val/loss)
//   val/loss > 1.02 * baseline
//
// A name is a metric (its last value), a fact of the run (status, seed, steps, ...) or a key of its
// configuration; `...` (backquotes) around one that is not made of letters, digits and _ . /
// ("a/b" is one name: put spaces around a division). Beside == and != a name that no run knows is
// text, as is anything in quotes. Operators: or, and, not, == != < <= > >=, + -, * / %. What a run
// does not have is missing: arithmetic and comparisons with it are missing, as are < <= > >= with
// NaN; a filter leaves such runs out. `baseline` stands for the other side of its comparison, in
// the baseline run; `baseline(E)` for any E.
//
// Errors: Error(usage) that show the text and point to the character.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/api.h"

namespace assay {

/// What an expression comes to for a run.
struct Outcome {
  enum class Kind { missing, number, text, truth };
  Kind kind = Kind::missing;
  double number = 0;
  std::string text;  // also of a number: as the configuration has it, else empty
  bool truth = false;

  static Outcome of(double number) { return {Kind::number, number, {}, false}; }
  static Outcome of(std::optional<double> number) { return number ? of(*number) : Outcome(); }
  static Outcome of(std::string text) { return {Kind::text, 0, std::move(text), false}; }
  static Outcome yes_or_no(bool truth) { return {Kind::truth, 0, {}, truth}; }
  /// Typed as configurations are: a number, true or false, else text.
  ASSAY_API static Outcome of_scalar(const std::string& text);
  bool missing() const { return kind == Kind::missing; }
};

/// A function of a metric: "min", or "at" with its step.
struct Measure {
  std::string function;
  std::int64_t step = 0;
};

/// What expressions are asked of: a run, or a group of runs.
class Subject {
 public:
  virtual ~Subject() = default;
  virtual Outcome value(const std::string& name) const = 0;
  virtual std::optional<double> measure(const Measure& measure,
                                        const std::string& metric) const = 0;
};

/// Which names exist, over all runs that an expression will be asked of.
struct KnownNames {
  std::vector<std::string> metrics, others;
};

class ASSAY_API Expression {
 public:
  /// what: where the text is from ("--filter"), for messages.
  static Expression parse(const std::string& text, const std::string& what);
  /// Separated by commas; at least one.
  static std::vector<Expression> parse_list(const std::string& text, const std::string& what);

  /// As it was written.
  const std::string& text() const;
  /// Throws Error(usage), with a near match, for a name that no run has.
  void check(const KnownNames& known) const;
  /// Throws Error(usage) for arithmetic with text and the like.
  Outcome evaluate(const Subject& subject, const Subject* baseline = nullptr) const;
  /// Of a filter: whether it is true. Missing is not; a number is refused.
  bool holds(const Subject& subject) const;
  bool mentions_baseline() const;
  /// The measures that it takes of metrics.
  std::vector<std::string> measures() const;

  struct Node;

 private:
  Expression(std::shared_ptr<const std::string> whole, std::string what, std::string text,
             std::shared_ptr<const Node> root);
  std::shared_ptr<const std::string> whole_;  // of a list: all of it, which messages show
  std::string what_, text_;
  std::shared_ptr<const Node> root_;
};

/// A name as expressions write it: in backquotes where it must be.
ASSAY_API std::string name_text(const std::string& name);

}  // namespace assay
