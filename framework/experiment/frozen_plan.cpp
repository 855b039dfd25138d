#include "experiment/frozen_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <span>
#include <utility>

#include "base/error.h"
#include "base/text.h"
#include "config/scalar.h"
#include "config/yaml.h"
#include "io/atomic_file.h"
#include "io/read_file.h"
#include "results/run_set.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kNext = "---\n";
constexpr const char* kComment =
    "# The runs of this sweep as they were resolved before the first one started; `assay retry` "
    "runs "
    "them.\n";

Value text_value(const std::string& text) {
  return Value::scalar(text, true, {});
}

Value number_value(const std::string& text) {
  return Value::scalar(text, false, {});
}

// Members are counted from 1, as their names are.
Value written(const std::vector<Generation>& generations) {
  std::vector<Value> items;
  for (const Generation& generation : generations) {
    std::vector<Value> from;
    for (const std::size_t member : generation.from)
      from.push_back(number_value(std::to_string(member + 1)));
    items.push_back(Value::map({{"step", number_value(std::to_string(generation.step))},
                                {"from", Value::list(std::move(from), {})}},
                               {}));
  }
  return Value::list(std::move(items), {});
}

Value written(const std::vector<SearchPoint>& points) {
  std::vector<Value> items;
  for (const SearchPoint& point : points) {
    std::vector<Value> coordinates;
    for (const double u : point) coordinates.push_back(number_value(fmt::format("{}", u)));
    items.push_back(Value::list(std::move(coordinates), {}));
  }
  return Value::list(std::move(items), {});
}

std::string header_text(const FrozenPlan& plan) {
  std::vector<Value> arguments;
  for (const std::string& argument : plan.arguments) arguments.push_back(text_value(argument));
  Value header = Value::map({{"name", text_value(plan.name)},
                             {"experiment", text_value(plan.experiment)},
                             {"arguments", Value::list(std::move(arguments), {})}},
                            {});
  if (!plan.sweep.is_null()) header = header.with("sweep", plan.sweep);
  if (plan.seconds > 0)
    header = header.with("seconds", number_value(fmt::format("{:.1f}", plan.seconds)));
  if (plan.ended_after)
    header = header.with("ended",
                         Value::map({{"trials", number_value(std::to_string(*plan.ended_after))},
                                     {"because", text_value(plan.ended_because)}},
                                    {}));
  if (!plan.generations.empty()) header = header.with("generations", written(plan.generations));
  if (!plan.points.empty()) header = header.with("points", written(plan.points));
  return kComment + write_yaml(header);
}

std::string document_text(const FrozenRun& run) {
  Value document = Value::map({{"run", text_value(run.run)}, {"hash", text_value(run.hash)}}, {});
  if (!run.config.is_null()) document = document.with("config", run.config);
  return write_yaml(document);
}

std::string plan_text(const FrozenPlan& plan) {
  std::string text = header_text(plan);
  for (const FrozenRun& run : plan.runs) text += std::string(kNext) + document_text(run);
  return text;
}

std::string text_of(const Value& document, const char* key, const fs::path& file) {
  const Value* found = document.find(key);
  if (!found || !found->is_scalar())
    throw Error(
        ExitCode::data,
        fmt::format("{}: {}: is no plan that assay wrote: it does not say its {}; remove it "
                    "to begin a new one",
                    file.string(), document.at().text(), key));
  return found->text();
}

Value document_in(std::string_view text, const fs::path& file) {
  try {
    return read_yaml(text, file.string());
  } catch (const Error& error) {
    throw Error(ExitCode::data, error.what());
  }
}

std::vector<std::string_view> documents_of(std::string_view text) {
  std::vector<std::string_view> documents;
  for (std::size_t from = 0;;) {
    const std::size_t next = text.find("\n---\n", from);
    documents.push_back(text.substr(from, next == text.npos ? next : next + 1 - from));
    if (next == text.npos) return documents;
    from = next + 1 + kNext.size();
  }
}

void read_end(const Value& document, FrozenPlan& plan) {
  if (const Value* seconds = document.find("seconds")) parse_real(seconds->text(), plan.seconds);
  std::int64_t trials = 0;
  const Value* after = document.at_path("ended.trials");
  if (!after || parse_integer(after->text(), trials) != NumberError::none) return;
  plan.ended_after = trials;
  if (const Value* because = document.at_path("ended.because"))
    plan.ended_because = because->text();
}

std::int64_t integer_in(const Value& value) {
  std::int64_t integer = 0;
  parse_integer(value.text(), integer);
  return integer;
}

void read_generations(const Value& document, FrozenPlan& plan) {
  const Value* generations = document.find("generations");
  if (!generations) return;
  for (const Value& item : generations->items()) {
    Generation& generation = plan.generations.emplace_back();
    if (const Value* step = item.find("step")) generation.step = integer_in(*step);
    if (const Value* from = item.find("from"))
      for (const Value& member : from->items())
        generation.from.push_back(static_cast<std::size_t>(integer_in(member) - 1));
  }
}

void read_points(const Value& document, FrozenPlan& plan) {
  const Value* points = document.find("points");
  if (!points) return;
  for (const Value& item : points->items()) {
    SearchPoint& point = plan.points.emplace_back();
    for (const Value& coordinate : item.items())
      parse_real(coordinate.text(), point.emplace_back());
  }
}

// By key, its values over the runs in the order of their first appearance.
std::map<std::string, std::vector<std::string>> values_by_key(const FrozenPlan& plan) {
  std::map<std::string, std::vector<std::string>> values;
  if (!plan.sweep.is_null())
    for (const auto& [key, value] : flattened(plan.sweep)) values["sweep." + key] = {value};
  for (const FrozenRun& run : plan.runs) {
    if (run.config.is_null()) continue;
    for (const auto& [key, value] : flattened(run.config)) {
      auto& known = values[key];
      if (std::find(known.begin(), known.end(), value) == known.end()) known.push_back(value);
    }
  }
  return values;
}

std::string some_of(const std::vector<std::string>& values) {
  constexpr std::size_t kMost = 8;
  if (values.empty()) return "not set";
  if (values.size() <= kMost) return join(values);
  const std::vector<std::string> first(values.begin(), values.begin() + kMost);
  return fmt::format("{}, ... ({} values)", join(first), values.size());
}

}  // namespace

fs::path plan_in(const fs::path& folder) {
  return folder / "plan.yaml";
}

FrozenRun frozen(const PlannedRun& run) {
  Value config = run.setup.resolved;
  if (const Value* expected = run.setup.written.find("expect"))
    config = config.with("expect", *expected);
  return {run.run, run.setup.config_hash, std::move(config)};
}

std::optional<FrozenPlan> read_plan(const fs::path& folder) {
  const fs::path file = plan_in(folder);
  if (!fs::exists(file)) return std::nullopt;
  const std::string text = read_file(file);
  FrozenPlan plan;
  bool first = true;
  for (const std::string_view part : documents_of(text)) {
    const Value document = document_in(part, file);
    if (std::exchange(first, false)) {
      plan.name = text_of(document, "name", file);
      plan.experiment = text_of(document, "experiment", file);
      if (const Value* arguments = document.find("arguments"))
        for (const Value& argument : arguments->items()) plan.arguments.push_back(argument.text());
      if (const Value* sweep = document.find("sweep")) plan.sweep = *sweep;
      read_end(document, plan);
      read_generations(document, plan);
      read_points(document, plan);
      continue;
    }
    const Value* config = document.find("config");
    plan.runs.push_back({text_of(document, "run", file), text_of(document, "hash", file),
                         config ? *config : Value()});
  }
  return plan;
}

bool is_frozen(const fs::path& folder, const FrozenPlan& plan) {
  const fs::path file = plan_in(folder);
  return fs::exists(file) && read_file(file) == plan_text(plan);
}

void write_plan(const fs::path& folder, const FrozenPlan& plan) {
  const std::string text = plan_text(plan);
  write_atomically(plan_in(folder), std::as_bytes(std::span(text)));
}

void keep_names(std::vector<PlannedRun>& runs, const FrozenPlan& plan) {
  std::map<std::string, std::string> names;
  for (const FrozenRun& run : plan.runs) names.emplace(run.hash, run.run);
  for (PlannedRun& run : runs) {
    const auto known = names.find(run.setup.config_hash);
    if (known == names.end()) continue;
    run.run = known->second;
    run.file = run.file.parent_path() / (run.run + ".h5");
  }
}

std::vector<std::string> plan_difference(const FrozenPlan& then, const FrozenPlan& now) {
  std::vector<std::string> lines;
  const auto before = values_by_key(then), after = values_by_key(now);
  std::set<std::string> keys;
  for (const auto* side : {&before, &after})
    for (const auto& [key, values] : *side) keys.insert(key);
  const auto values_in = [](const auto& side, const std::string& key) {
    const auto found = side.find(key);
    return found == side.end() ? std::vector<std::string>{} : found->second;
  };
  for (const std::string& key : keys) {
    const auto a = values_in(before, key), b = values_in(after, key);
    if (std::set(a.begin(), a.end()) != std::set(b.begin(), b.end()))
      lines.push_back(fmt::format("{}: {} before, {} now", key, some_of(a), some_of(b)));
  }
  if (!now.sweep.is_null()) return lines;  // which runs it will have is not known yet
  std::set<std::string> old_runs, new_runs;
  for (const FrozenRun& run : then.runs) old_runs.insert(run.hash);
  for (const FrozenRun& run : now.runs) new_runs.insert(run.hash);
  std::size_t came = 0, went = 0;
  for (const std::string& hash : new_runs) came += !old_runs.contains(hash);
  for (const std::string& hash : old_runs) went += !new_runs.contains(hash);
  if (came > 0) lines.push_back(fmt::format("{} run{} new", came, came == 1 ? " is" : "s are"));
  if (went > 0)
    lines.push_back(fmt::format("{} run{} no longer part of it; what {} found stays", went,
                                went == 1 ? " is" : "s are", went == 1 ? "it" : "they"));
  return lines;
}

}  // namespace assay
