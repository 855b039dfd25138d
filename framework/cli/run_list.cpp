#include "cli/run_list.h"

#include <cmath>

#include "results/run_summary.h"

namespace assay {

bool before(const Outcome& a, const Outcome& b) {
  const auto last = [](const Outcome& outcome) {
    return outcome.missing() ||
           (outcome.kind == Outcome::Kind::number && std::isnan(outcome.number));
  };
  if (last(a) || last(b)) return !last(a) && last(b);
  if (a.kind != b.kind) return a.kind < b.kind;
  return a.kind == Outcome::Kind::number ? a.number < b.number : a.text < b.text;
}

void RunList::read_for(const std::string& expressions, const std::string& what) {
  for (const Expression& expression : Expression::parse_list(expressions, what))
    for (const std::string& measure : expression.measures()) whole_files_ |= !in_summary(measure);
}

void RunList::load() {
  set_ = whole_files_ ? load_runs(paths_) : load_summaries(paths_);
  names_ = known_names(set_.runs);
}

std::vector<const LoadedRun*> RunList::runs() const {
  std::vector<const LoadedRun*> all;
  for (const LoadedRun& run : set_.runs) all.push_back(&run);
  return all;
}

std::vector<const LoadedRun*> RunList::filtered(const std::string& condition,
                                                const std::string& what) const {
  const Expression filter = Expression::parse(condition, what);
  if (!set_.runs.empty()) filter.check(names_);
  std::vector<const LoadedRun*> kept;
  for (const LoadedRun& run : set_.runs)
    if (filter.holds(RunSubject(run))) kept.push_back(&run);
  return kept;
}

void RunList::sort(std::vector<const LoadedRun*>& runs, const std::string& by,
                   const std::string& what) const {
  const Expression key = Expression::parse(by, what);
  if (!set_.runs.empty()) key.check(names_);
  sort_by_outcome(runs, [&](const LoadedRun* run) { return key.evaluate(RunSubject(*run)); });
}

}  // namespace assay
