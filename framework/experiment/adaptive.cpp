#include "experiment/adaptive.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/error.h"
#include "base/text.h"
#include "config/interpolation.h"
#include "config/scalar.h"
#include "experiment/plan.h"

namespace assay {
namespace {

void read_options(const Value& sweep, AdaptiveSweep& into, Problems& problems) {
  std::vector<Value::Entry> entries;
  std::vector<Location> places;
  for (std::size_t i = 0; i < sweep.entries().size(); ++i) {
    const auto& entry = sweep.entries()[i];
    if (std::find(kAdaptiveKeys.begin(), kAdaptiveKeys.end(), entry.first) == kAdaptiveKeys.end())
      continue;
    entries.push_back(entry);
    places.push_back(sweep.key_location(i));
  }
  const Value own = Value::map(std::move(entries), sweep.at(), std::move(places));
  describe_options<AdaptiveOptions>().read(&into.options, own, "sweep", "a sweep", problems);
  if (!into.options.metric.is_null())
    describe_options<MetricOptions>().read(&into.metric, into.options.metric, "sweep.metric",
                                           "the metric of a sweep", problems);
  if (!into.options.stop.is_null())
    describe_options<StopOptions>().read(&into.stop, into.options.stop, "sweep.stop",
                                         "section 'stop'", problems);
  if (!into.options.population.is_null())
    describe_options<PopulationOptions>().read(&into.population.emplace(), into.options.population,
                                               "sweep.population", "section 'population'",
                                               problems);
}

void check_population(const AdaptiveSweep& own, const Value& sweep, Problems& problems) {
  if (!own.population) return;
  const Value& population = own.options.population;
  if (own.options.search.is_null())
    problems.add(population.at(),
                 "sweep.population: wanted a search and a space beside it, whose settings the "
                 "members change; write search: {type: random}");
  for (const char* key : {"prune", "stop", "batch", "async", "retries"})
    if (const Value* stray = sweep.find(key))
      problems.add(stray->at(),
                   fmt::format("sweep.{}: not beside a population, which trains all its members to "
                               "the end; remove one of them",
                               key));
  if (own.options.space.is_null()) return;
  for (const std::string& key : own.population->explore)
    if (!own.space.has(key))
      problems.add(population.at(),
                   fmt::format("sweep.population.explore: {} is not in sweep.space", quote(key)));
}

void check_together(const AdaptiveOptions& o, const Value& sweep, Problems& problems) {
  const bool searches = !o.search.is_null();
  if (searches && o.space.is_null())
    problems.add(o.search.at(),
                 "sweep.space: missing beside a search; write space: "
                 "{optimizer.learning_rate: {log_uniform: [1e-4, 1e-1]}}");
  if (searches && !o.trials)
    problems.add(o.search.at(), "sweep.trials: missing beside a search; write trials: 40");
  for (const char* key : {"space", "trials"})
    if (const Value* stray = sweep.find(key); stray && !searches)
      problems.add(stray->at(), fmt::format("sweep.{}: of no use without a search; write search: "
                                            "{{type: random}}",
                                            key));
  for (const char* key : {"metric", "batch", "async"})
    if (const Value* stray = sweep.find(key);
        stray && !searches && o.prune.is_null() && o.stop.is_null())
      problems.add(stray->at(),
                   fmt::format("sweep.{}: of no use without search, prune or stop", key));
  if (const Value* stray = sweep.find("batch"); stray && o.async)
    problems.add(stray->at(), "sweep.batch: of no use with async, which has no batches");
}

Replaced replaced_by(const std::vector<Override>& overrides) {
  return [&overrides](const std::string& key) {
    return std::any_of(overrides.begin(), overrides.end(),
                       [&](const Override& change) { return change.path == key; });
  };
}

// The conditions of `when` about keys of the space, and those of `where`.
void read_conditions(const Value& sweep, AdaptiveSweep& into, Problems& problems) {
  if (const Value* when = sweep.find("when"))
    for (const auto& [key, written] : when->entries())
      if (into.space.has(key))
        if (auto condition = read_condition("sweep.when." + key, written, problems))
          into.space.add_condition(key, std::move(*condition));
  const Value* where = sweep.find("where");
  if (!where) return;
  for (const Value& each : where->is_list() ? where->items() : std::vector<Value>{*where})
    if (auto condition = read_condition("sweep.where", each, problems))
      into.where.push_back(std::move(*condition));
}

// What changes none of the numbers may change between two starts of one sweep.
Value what_counts(Value config) {
  for (const char* section : {"expect", "checkpoint", "results", "durability"})
    config = config.without(section);
  return config;
}

// Settings that may not go together are told of the trial, and stop nothing.
std::string settle(const AdaptiveSweep& sweep, const SearchPoint& point, const Trial& base,
                   SetupReader& reader, const ExperimentRequest& request, Materials& materials,
                   std::vector<PlannedRun>& runs) {
  Problems problems;
  Trial trial = point.empty() ? base : sweep.space.at(point, base, problems);
  for (const Condition& condition : sweep.where)
    if (!holds(condition, {trial}, problems).front())
      return fmt::format("{}: {} does not hold", condition.at.text(), condition.expression.text());
  if (!point.empty()) {
    std::vector<Location> unresolved;
    trial.config = interpolate(trial.config, problems, unresolved);
  }
  RunSetup setup = reader.read(trial.config, problems);
  if (!problems.empty()) return problems.text();
  try {
    PlannedRun run = planned_run(trial, std::move(setup), request);
    load(run, materials);
    runs.push_back(std::move(run));
  } catch (const Error& error) {
    if (error.code() != ExitCode::usage) throw;
    return error.what();
  }
  return {};
}

}  // namespace

void MetricOptions::describe(OptionList<MetricOptions>& o) {
  o.add("name", &MetricOptions::name, "What a trial is judged by; an expression, as for compare.");
  o.add("goal", &MetricOptions::goal, "Whether less or more of it is better.")
      .one_of({"minimize", "maximize"});
}

void StopOptions::describe(OptionList<StopOptions>& o) {
  o.add("target", &StopOptions::target, "Ends the sweep when a trial is as good as this.");
  o.add("after", &StopOptions::after, "Ends it when it has run for so long: 3600s.").or_seconds();
  o.add("runs", &StopOptions::runs, "Ends it when there are so many runs.").at_least(1);
  o.add("patience", &StopOptions::patience, "Ends it when so many trials brought nothing better.")
      .at_least(1);
  o.rule("after must be in seconds: 3600s",
         [](const StopOptions& s) { return !s.after || s.after->in_seconds(); });
}

void PopulationOptions::describe(OptionList<PopulationOptions>& o) {
  o.add("every", &PopulationOptions::every,
        "Steps between comparisons, each at the next evaluation.")
      .at_least(1);
  o.add("replace", &PopulationOptions::replace,
        "So large a part, the worst, goes on as copies of as many of the best.")
      .above(0)
      .at_most(0.5);
  o.add("perturb", &PopulationOptions::perturb,
        "A copy's settings move by so large a part of their range.")
      .at_least(0)
      .at_most(1);
  o.add("resample", &PopulationOptions::resample,
        "Probability that a setting of a copy is drawn anew instead.")
      .at_least(0)
      .at_most(1);
  o.add("explore", &PopulationOptions::explore,
        "Keys of the space that copies change. Default: those of optimizer, scheduler and "
        "objective but their type, train.clip and model.dropout.");
}

void AdaptiveOptions::describe(OptionList<AdaptiveOptions>& o) {
  o.add("search", &AdaptiveOptions::search, "Plugin: which trials come next.").plugin("search");
  o.add("space", &AdaptiveOptions::space, "By key: what the search chooses from.");
  o.add("trials", &AdaptiveOptions::trials, "How many the search chooses.").at_least(1);
  o.add("batch", &AdaptiveOptions::batch,
        "Trials chosen and compared together. Default: 8 of a search, else all.")
      .at_least(1);
  o.add("metric", &AdaptiveOptions::metric, "What trials are judged by. Default: least val/loss.")
      .section(describe_options<MetricOptions>());
  o.add("async", &AdaptiveOptions::async,
        "Nothing waits for a batch: more throughput, but which trials there are depends on which "
        "run is faster.");
  o.add("prune", &AdaptiveOptions::prune, "Plugin: which runs are not worth their remaining steps.")
      .plugin("pruner");
  o.add("population", &AdaptiveOptions::population,
        "Trains all trials at once; the worst go on as copies of the best.")
      .section(describe_options<PopulationOptions>());
  o.add("stop", &AdaptiveOptions::stop, "When the sweep ends before its last trial.")
      .section(describe_options<StopOptions>());
}

bool AdaptiveSweep::is_adaptive(const Value& sweep) {
  return std::any_of(kAdaptiveKeys.begin(), kAdaptiveKeys.end(),
                     [&](const char* key) { return sweep.find(key); });
}

AdaptiveSweep::AdaptiveSweep(const ComposedExperiment& composed, Registry& registry,
                             Problems& problems) {
  const Value& sweep = composed.sweep;
  read_options(sweep, *this, problems);
  check_together(options, sweep, problems);
  if (!options.search.is_null())
    search = registry.prepare<Search>(options.search, "sweep.search", problems);
  if (!options.prune.is_null())
    pruner = registry.prepare<Pruner>(options.prune, "sweep.prune", problems);
  if (!options.space.is_null()) {
    space = SearchSpace("sweep.space", options.space, replaced_by(composed.overrides),
                        composed.groups, problems);
    read_conditions(sweep, *this, problems);
  }
  check_population(*this, sweep, problems);
  try {
    value = Expression::parse(metric.name, "sweep.metric.name");
  } catch (const Error& error) {
    problems.add(options.metric.at(), error.what());
  }
  frozen = sweep;
  if (search) frozen = frozen.with("search", search.resolved());
  if (pruner) frozen = frozen.with("prune", pruner.resolved());
  if (population)
    frozen = frozen.with("population", describe_options<PopulationOptions>().write(&*population));
  if (!search) return;
  std::vector<Value> bases;
  for (const Trial& trial : composed.trials) bases.push_back(what_counts(trial.config));
  frozen = frozen.with("base", Value::list(std::move(bases), {}));
}

std::uint64_t search_seed(const ComposedExperiment& composed) {
  std::int64_t seed = kDefaultSeed;
  if (const Value* stated = composed.trials.front().config.find("seed"))
    parse_integer(stated->text(), seed);
  return static_cast<std::uint64_t>(seed);
}

std::unique_ptr<Search> AdaptiveSweep::make_search(const ComposedExperiment& composed) const {
  SearchBuild build;
  build.dimensions = space.dimensions();
  build.seed = search_seed(composed);
  return search.create(build);
}

std::int64_t AdaptiveSweep::batch(std::int64_t left) const {
  constexpr std::int64_t kOfSearch = 8;
  if (population) return left;
  return std::min(left, options.batch.value_or(search ? kOfSearch : left));
}

void AdaptiveSweep::refuse_apart(const ExperimentRequest& request) const {
  if (!request.isolate) return;
  if (population)
    throw Error(ExitCode::usage,
                "run: --isolate process: the members of a population copy each other in memory; "
                "leave out one of them");
  if (options.async)
    throw Error(ExitCode::usage,
                "run: --isolate process: runs of their own processes come in batches; leave out "
                "sweep.async");
}

std::int64_t AdaptiveSweep::most_runs(const ComposedExperiment& composed) const {
  const auto of_axes = static_cast<std::int64_t>(composed.trials.size());
  const std::int64_t all = search ? *options.trials * of_axes : of_axes;
  return stop.runs ? std::min(all, *stop.runs) : all;
}

std::vector<ProposedTrial> propose(const AdaptiveSweep& sweep, const ComposedExperiment& composed,
                                   std::vector<SearchPoint> points,
                                   const ExperimentRequest& request, Registry& registry,
                                   Materials& materials) {
  SetupReader reader(request.file, registry);
  std::vector<ProposedTrial> trials;
  for (SearchPoint& point : points) {
    ProposedTrial& trial = trials.emplace_back();
    for (const Trial& base : composed.trials) {
      trial.trouble = settle(sweep, point, base, reader, request, materials, trial.runs);
      if (trial.trouble.empty()) continue;
      trial.runs.clear();
      break;
    }
    trial.point = std::move(point);
  }
  return trials;
}

}  // namespace assay
