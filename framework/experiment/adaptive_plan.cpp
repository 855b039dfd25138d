#include "experiment/adaptive_plan.h"

#include "base/clock.h"
#include "config/yaml.h"

namespace assay {

void AdaptivePlan::open() {
  open_ = true;
  folder_ = session_.runs().front().file.parent_path();
  plan_.name = session_.name();
  plan_.experiment = session_.runs().front().setup.experiment.string();
  plan_.arguments = session_.request().overrides;
  plan_.sweep = sweep_.frozen;
  auto then = read_plan(folder_);
  if (!then || session_.request().force) return;
  if (write_yaml(then->sweep) == write_yaml(plan_.sweep)) {
    written_ = then->runs.size();
    seconds_before_ = then->seconds;
    plan_.ended_after = then->ended_after;
    plan_.ended_because = then->ended_because;
    plan_.generations = std::move(then->generations);
    if (then->points.size() > plan_.points.size()) plan_.points = std::move(then->points);
    return;
  }
  for (const std::string& line : plan_difference(*then, plan_))
    session_.reporter().note(session_.name(),
                             "another plan than " + plan_in(folder_).string() + ": " + line);
}

void AdaptivePlan::write() {
  plan_.runs.clear();
  for (const PlannedRun& run : session_.runs()) {
    plan_.runs.push_back(frozen(run));
    // A search finds its trials again; their configurations are in the result files.
    if (sweep_.search) plan_.runs.back().config = Value();
  }
  if (sweep_.stop.after) plan_.seconds = seconds();
  write_plan(folder_, plan_);
  written_ = plan_.runs.size();
}

void AdaptivePlan::write_if_longer() {
  if (session_.runs().size() > written_) write();
}

double AdaptivePlan::seconds() const {
  return seconds_before_ + seconds_since(began_);
}

}  // namespace assay
