#include "experiment/population.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "base/error.h"
#include "base/stop.h"
#include "config/yaml.h"
#include "experiment/rungs.h"
#include "io/sha256.h"
#include "results/run_file.h"

namespace assay {

void name_members(const AdaptiveSweep& sweep, const ComposedExperiment& composed,
                  const ExperimentRequest& request, std::vector<ProposedTrial>& trials) {
  const std::string whole = write_yaml(sweep.frozen);
  const std::size_t digits = std::to_string(trials.size()).size();
  for (std::size_t t = 0; t < trials.size(); ++t)
    for (std::size_t r = 0; r < trials[t].runs.size(); ++r) {
      PlannedRun& run = trials[t].runs[r];
      const std::string name = fmt::format("member={:0{}}", t + 1, digits);
      run.setup.config_hash = sha256_hex(fmt::format("{}\n{}\n{}", whole, name, r));
      Trial named;
      named.label = joined_label(name, composed.trials[r].label);
      PlannedRun member = planned_run(named, run.setup, request);
      run.run = std::move(member.run);
      run.file = std::move(member.file);
    }
}

Population::Population(Session& session, const ComposedExperiment& composed,
                       const AdaptiveSweep& sweep, Trials& trials, AdaptivePlan& plan)
    : session_(session),
      composed_(composed),
      sweep_(sweep),
      trials_(trials),
      plan_(plan),
      seed_(search_seed(composed)) {}

bool Population::train(const std::vector<std::size_t>& trials) {
  gather(trials);
  if (session_.waiting() == 0) return advance(std::nullopt);
  const std::vector<std::int64_t> steps = comparisons();
  follow_plan();
  adopt_files();
  for (std::size_t i = plan_.decided().generations.size(); i < steps.size(); ++i) {
    if (!advance(steps[i])) return false;
    const Generation generation = compare(steps[i], i);
    plan_.decided().generations.push_back(generation);
    plan_.write();
    replace(generation, i, true);
    for (Individual& member : members_)
      for (const auto& run : member.runs) run->save_if_due();
  }
  return advance(std::nullopt);
}

void Population::gather(const std::vector<std::size_t>& trials) {
  std::vector<std::size_t> all;
  for (const std::size_t t : trials) {
    Individual& member = members_.emplace_back();
    member.trial = t;
    member.point = trials_[t].point;
    for (const std::size_t index : trials_[t].runs) {
      all.push_back(index);
      const PlannedRun& run = session_.runs()[index];
      member.runs.push_back(std::make_unique<Member>(run));
      member.runs.back()->follow({{0, run.run, std::make_shared<const PlannedRun>(run)}});
    }
  }
  refuse_without_evaluations(session_, all, "sweep.population");
}

std::vector<std::int64_t> Population::comparisons() const {
  std::set<std::int64_t> steps;
  const std::int64_t end = members_.front().runs.front()->now().steps;
  for (const Individual& member : members_)
    for (const auto& run : member.runs)
      if (run->now().steps != end)
        throw Error(ExitCode::usage,
                    fmt::format("sweep.population: members go on as copies of each other, so all "
                                "train for as many steps; there are some of {} and of {}",
                                end, run->now().steps));
  for (std::int64_t step = sweep_.population->every; step < end; step += sweep_.population->every)
    if (const auto at = evaluation_at(members_.front().runs.front()->now(), step))
      steps.insert(*at);
  return {steps.begin(), steps.end()};
}

// What was decided before, without the weights.
void Population::follow_plan() {
  const std::vector<Generation>& generations = plan_.decided().generations;
  for (const Generation& generation : generations)
    for (const std::size_t from : generation.from)
      if (generation.from.size() != members_.size() || from >= members_.size())
        throw Error(ExitCode::data,
                    fmt::format("{}: generations: is not of {} members; --force begins anew",
                                plan_in(session_.runs().front().file.parent_path()).string(),
                                members_.size()));
  for (std::size_t i = 0; i < generations.size(); ++i) replace(generations[i], i, false);
}

// What a member needs may stand in the file of any, as far as their lineages are the same.
void Population::adopt_files() {
  if (session_.request().force || session_.request().resume == Resume::never) return;
  for (const Individual& from : members_)
    for (std::size_t r = 0; r < from.runs.size(); ++r) {
      const std::size_t index = trials_[from.trial].runs[r];
      const std::filesystem::path& file = session_.runs()[index].file;
      if (!std::filesystem::exists(file)) continue;
      const RunRecord found = read_run(file);
      if (found.status != RunStatus::stopped) continue;
      for (const Individual& member : members_) member.runs[r]->adopt(found);
    }
}

bool Population::advance(std::optional<std::int64_t> until) {
  std::vector<Leg> legs;
  std::vector<std::size_t> which;
  for (const Individual& member : members_) {
    which.push_back(member.trial);
    for (std::size_t r = 0; r < member.runs.size(); ++r)
      if (!until || !member.runs[r]->failed())
        legs.push_back({trials_[member.trial].runs[r], until, member.runs[r].get()});
  }
  session_.advance(legs);
  trials_.look_at(which);
  if (!trials_.interrupted() && session_.may_start()) return true;
  for (Individual& member : members_)
    for (const auto& run : member.runs) run->save();
  return false;
}

Generation Population::compare(std::int64_t step, std::size_t index) const {
  std::vector<PrunerRun> curves;
  std::vector<double> values;
  for (const Individual& member : members_) {
    curves.push_back(curve_to(trials_[member.trial].curve, step));
    const bool failed = std::any_of(member.runs.begin(), member.runs.end(),
                                    [](const auto& run) { return run->failed(); });
    values.push_back(failed ? kWorstValue : curves.back().at(step));
  }
  refuse_without_metric(curves, sweep_, "a population");
  std::vector<std::size_t> order(values.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return values[a] < values[b]; });
  const auto part = std::max<std::size_t>(
      1, static_cast<std::size_t>(static_cast<double>(order.size()) * sweep_.population->replace));
  Generation generation{step, {}};
  for (std::size_t i = 0; i < members_.size(); ++i) generation.from.push_back(i);
  const Random draw(seed_, "population/donor", index);
  for (std::size_t place = 0; place < order.size(); ++place) {
    const std::size_t member = order[place];
    const std::size_t donor = order[draw.below(member, part)];
    const bool worst = place + part >= order.size() || !std::isfinite(values[member]);
    if (worst && values[donor] < values[member]) generation.from[member] = donor;
  }
  return generation;
}

// Copies are of what the others were before any of them changed.
void Population::replace(const Generation& generation, std::size_t index, bool computed) {
  for (std::size_t i = 0; i < members_.size(); ++i) {
    const std::size_t from = generation.from[i];
    if (from == i) continue;
    Individual& member = members_[i];
    const Individual& donor = members_[from];
    member.point = donor.point;
    const auto stretches = changed(i, member.point, generation.step, index);
    for (std::size_t r = 0; r < member.runs.size(); ++r)
      computed ? member.runs[r]->copy(*donor.runs[r], stretches[r])
               : member.runs[r]->follow_copy(*donor.runs[r], stretches[r]);
    trials_[member.trial].point = member.point;
    if (computed)
      session_.reporter().note(member.runs.front()->name(),
                               fmt::format("goes on from step {} as a copy of {}", generation.step,
                                           donor.runs.front()->name()));
  }
}

// Settings that do not go together leave those of the donor as they are.
std::vector<PlannedStretch> Population::changed(std::size_t member, SearchPoint& point,
                                                std::int64_t step, std::size_t index) {
  const Random draw(seed_, "population/explore", index * members_.size() + member);
  const SearchPoint other = explored(point, draw);
  auto stretches = planned(member, other, step);
  if (stretches.empty()) return planned(member, point, step);
  point = other;
  return stretches;
}

std::vector<PlannedStretch> Population::planned(std::size_t member, const SearchPoint& point,
                                                std::int64_t step) {
  std::vector<PlannedStretch> stretches;
  auto proposed = propose(sweep_, composed_, {point}, session_.request(), session_.registry(),
                          session_.materials());
  std::vector<PlannedRun>& runs = proposed.front().runs;
  for (std::size_t r = 0; r < runs.size(); ++r)
    stretches.push_back({step, members_[member].runs[r]->name(),
                         std::make_shared<const PlannedRun>(std::move(runs[r]))});
  return stretches;
}

SearchPoint Population::explored(SearchPoint point, const Random& draw) const {
  const PopulationOptions& o = *sweep_.population;
  const auto& dimensions = sweep_.space.dimensions();
  for (std::size_t d = 0; d < point.size(); ++d) {
    if (!is_explored(dimensions[d].name)) continue;
    if (draw.uniform(3 * d) < o.resample) {
      point[d] = draw.uniform(3 * d + 1);
    } else if (dimensions[d].ordered) {
      const double cell =
          dimensions[d].values > 0 ? 1 / static_cast<double>(dimensions[d].values) : 0;
      const double move = std::max(o.perturb, cell);
      double u = point[d] + (draw.uniform(3 * d + 2) < 0.5 ? -move : move);
      if (u < 0) u = -u;
      if (u >= 1) u = 2 - u;
      point[d] = std::min(std::max(u, 0.0), std::nextafter(1.0, 0.0));
    }
  }
  return point;
}

bool Population::is_explored(const std::string& key) const {
  const auto& chosen = sweep_.population->explore;
  if (!chosen.empty()) return std::find(chosen.begin(), chosen.end(), key) != chosen.end();
  if (key == "train.clip" || key == "model.dropout") return true;
  for (const char* section : {"optimizer.", "scheduler.", "objective."})
    if (key.starts_with(section)) return !key.ends_with(".type");
  return false;
}

}  // namespace assay
