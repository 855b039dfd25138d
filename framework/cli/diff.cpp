#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "cli/json.h"
#include "cli/numbers.h"
#include "cli/sheet.h"
#include "cli/verb.h"
#include "config/yaml.h"
#include "results/difference.h"
#include "results/run_file.h"
#include "results/run_set.h"
#include "results/trajectory.h"

namespace assay {
namespace {

Sheet facts_sheet(const std::string& name, const Facts& a, const Facts& b) {
  Sheet sheet(name, {{name}, {"a", Align::left, Cut::back}, {"b", Align::left, Cut::back}});
  for (const FactDifference& fact : differences(a, b))
    sheet.row({text_cell(fact.name), fact.a ? text_cell(*fact.a) : shown_cell("-"),
               fact.b ? text_cell(*fact.b) : shown_cell("-")});
  return sheet;
}

Facts run_facts(const RunRecord& record) {
  return {{"status", std::string(name(record.status))},
          {"seed", fmt::format("{}", record.seed)},
          {"steps", fmt::format("{}", record.steps)},
          {"parameters", fmt::format("{}", record.parameters)},
          {"digest", record.digest}};
}

bool share_a_step(const RunRecord& a, const RunRecord& b) {
  for (const auto& [metric, series] : a.metrics) {
    const auto other = b.metrics.find(metric);
    if (other == b.metrics.end()) continue;
    for (const std::int64_t step : series.steps)
      if (std::binary_search(other->second.steps.begin(), other->second.steps.end(), step))
        return true;
  }
  return false;
}

State final_weights(const RunRecord& record) {
  const auto final = record.checkpoints.find("final");
  return final == record.checkpoints.end() ? State() : final->second.weights;
}

Sheet weights_sheet(const RunRecord& a, const RunRecord& b) {
  Sheet sheet("weights", {{"weights"},
                          {"distance", Align::right},
                          {"relative", Align::right},
                          {"largest", Align::right},
                          {"differing", Align::right},
                          {"remark"}});
  for (const WeightDistance& weight : weight_distances(final_weights(a), final_weights(b))) {
    if (weight.only.empty() && weight.differing == 0) continue;
    if (!weight.only.empty()) {
      const std::string what = weight.only == "shape" ? "another shape" : "only in " + weight.only;
      sheet.row({text_cell(weight.path), shown_cell("-"), shown_cell("-"), shown_cell("-"),
                 shown_cell("-"), text_cell(what)});
      continue;
    }
    Cell differing = count_cell(weight.differing);
    differing.shown = fmt::format("{} of {}", weight.differing, weight.count);
    sheet.row({text_cell(weight.path), number_cell(weight.distance), number_cell(weight.relative),
               number_cell(weight.largest), differing, shown_cell("")});
  }
  return sheet;
}

Value parting_json(const WeightPaths& paths) {
  if (!paths.parting) return Value();
  return Value::map(
      {{"step", json_integer(paths.parting->step)},
       {"parameter", json_text(paths.parting->parameter)},
       {"differing", json_integer(static_cast<std::int64_t>(paths.parting->differing))},
       {"same_at", paths.parting->same_at ? json_integer(*paths.parting->same_at) : Value()}},
      {});
}

ExitCode execute_diff(const Arguments& arguments) {
  if (arguments.words.size() != 2)
    throw Error(ExitCode::usage, "diff: wanted two result files; usage: assay diff A B [--json]");
  const RunRecord a = read_run(arguments.words[0]), b = read_run(arguments.words[1]);
  const auto config = [](const RunRecord& record, const std::string& file) {
    return flattened(read_yaml(record.config, file + ": config"));
  };
  const std::vector<Sheet> sheets = {
      facts_sheet("run", run_facts(a), run_facts(b)),
      facts_sheet("configuration", config(a, arguments.words[0]), config(b, arguments.words[1])),
      facts_sheet("plugins", plugin_facts(a), plugin_facts(b)),
      facts_sheet("data", a.data, b.data),
      facts_sheet("environment", a.environment, b.environment),
      weights_sheet(a, b)};
  const std::optional<Parting> parting = first_parting(a, b, Compared::common);
  const WeightPaths paths = compare_weights(a, b);
  const bool weights = !final_weights(a).empty() || !final_weights(b).empty();
  const bool metrics = share_a_step(a, b);
  if (arguments.has("json")) {
    std::vector<Value::Entry> entries;
    for (const Sheet& sheet : sheets)
      entries.emplace_back(sheet.name(),
                           sheet.name() == "weights" && !weights ? Value() : sheet.json());
    entries.emplace_back("metrics_compared", json_truth(metrics));
    entries.emplace_back("first_difference",
                         parting ? Value::map({{"step", json_integer(parting->step)},
                                               {"metric", json_text(parting->metric)},
                                               {"a", json_number(*parting->a)},
                                               {"b", json_number(*parting->b)}},
                                              {})
                                 : Value());
    entries.emplace_back("first_weights", parting_json(paths));
    write_out(write_json(Value::map(std::move(entries), {})));
    return ExitCode::done;
  }
  std::string text, equal;
  const Terminal terminal = Terminal::of(stdout);
  for (const Sheet& sheet : sheets) {
    if (sheet.name() == "weights" && !weights) continue;
    if (sheet.empty())
      equal += (equal.empty() ? "" : ", ") + sheet.name();
    else
      text += sheet.table(terminal) + "\n";
  }
  if (parting)
    text += fmt::format("metrics part at step {}: {} is {} in a, {} in b\n", parting->step,
                        parting->metric, exact_text(*parting->a), exact_text(*parting->b));
  else
    text += metrics ? "metrics: every step that both have is bit for bit the same\n"
                    : "metrics: no step of a metric is in both\n";
  if (paths.compared_to) text += weights_text(paths) + "\n";
  if (!weights) text += "weights: neither has a final checkpoint\n";
  if (!equal.empty()) text += "the same in both: " + equal + "\n";
  write_out(text);
  return ExitCode::done;
}

}  // namespace

Verb diff_verb() {
  Verb verb;
  verb.name = "diff";
  verb.synopsis = "A B [--json]";
  verb.summary = "In what two runs differ: configuration, plugins, data, weights.";
  verb.details =
      "Weights are those of the final checkpoints: for each parameter the Euclidean distance, the "
      "same over the norm in A, the largest difference, and how many numbers differ in their bits. "
      "Metrics: the first step at which the two part, and of the hashes of the weights that both "
      "noted (digest.every, and evaluations) the first step and parameter. In JSON, weights are "
      "null where neither has "
      "any, and metrics_compared is false where no step of a metric is in both.";
  verb.options = {{"json", 0, "", "Print one JSON object."}};
  verb.examples = {"assay diff old.h5 new.h5"};
  verb.complete = complete_results;
  verb.execute = execute_diff;
  return verb;
}

}  // namespace assay
