#include "cli/compare_sheets.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "cli/comparison.h"
#include "cli/json.h"
#include "cli/numbers.h"
#include "config/scalar.h"
#include "results/difference.h"
#include "results/trajectory.h"

namespace assay {
namespace {

/// Of steps and the like; a loss of exactly 2 keeps its decimals.
bool is_count(double number) {
  return number == std::floor(number) && std::abs(number) >= 10 && std::abs(number) < 1e15;
}

Cell status_cell(const RunRecord& record) {
  Cell cell = text_cell(std::string(name(record.status)));
  cell.style = status_style(record.status);
  return cell;
}

std::vector<const LoadedRun*> shown_runs(const CompareView& view) {
  std::vector<const LoadedRun*> runs;
  for (std::size_t g = 0; g < view.shown; ++g) {
    const RunGroup& group = view.groups[g];
    runs.insert(runs.end(), group.runs.begin(), group.runs.end());
    runs.insert(runs.end(), group.repeats.begin(), group.repeats.end());
  }
  return runs;
}

bool share_a_seed(const std::vector<const LoadedRun*>& runs) {
  return std::all_of(runs.begin(), runs.end(), [&](const LoadedRun* run) {
    return run->record.seed == runs.front()->record.seed;
  });
}

/// A plain scalar as the number or truth value that it says.
Value exact_scalar(const Value& value) {
  std::int64_t whole = 0;
  double real = 0;
  if (value.quoted()) return json_text(value.text());
  if (parse_integer(value.text(), whole) == NumberError::none) return json_integer(whole);
  if (parse_real(value.text(), real) == NumberError::none) return json_number(real);
  if (const auto truth = parse_boolean(value.text())) return json_truth(*truth);
  return json_text(value.text());
}

/// Of what a group's runs have in the column: "*" where they differ, "-" where they have nothing.
Cell key_cell(const RunGroup& group, const std::string& key) {
  const Value* value = group.runs.front()->config.at_path(key);
  const std::string text = config_text(*group.runs.front(), key);
  for (const LoadedRun* run : group.runs)
    if (!run->config.at_path(key) != !value || config_text(*run, key) != text)
      return shown_cell("*");
  if (!value) return shown_cell("-");
  Cell cell = text_cell(text);
  if (value->is_scalar()) cell.exact = exact_scalar(*value);
  return cell;
}

Cell seed_cell(std::uint64_t seed) {
  std::string text = fmt::format("{}", seed);
  Value exact = Value::scalar(text, false, {});
  return {std::move(text), std::move(exact), std::nullopt};
}

/// "3", or "2 of 3" where one is not done or has no number.
Cell count_of(const SeedValues& values) {
  Cell cell = count_cell(static_cast<std::int64_t>(values.values.size()));
  if (values.values.size() == values.runs) return cell;
  cell.shown = fmt::format("{} of {}", values.values.size(), values.runs);
  cell.style = Style::red;
  return cell;
}

std::string interval_text(const std::optional<Interval>& interval) {
  if (!interval) return "-";
  return fmt::format("[{}, {}]", metric_text(interval->low), metric_text(interval->high));
}

std::string p_text(std::optional<double> p) {
  if (!p) return "-";
  return *p < 0.0001 ? "<0.0001" : fmt::format("{:.4f}", *p);
}

std::optional<double> low_of(const std::optional<Interval>& interval) {
  return interval ? std::optional(interval->low) : std::nullopt;
}
std::optional<double> high_of(const std::optional<Interval>& interval) {
  return interval ? std::optional(interval->high) : std::nullopt;
}

std::optional<Interval> interval_of(const std::optional<Difference>& difference) {
  return difference ? std::optional(difference->interval) : std::nullopt;
}
std::optional<double> p_of(const std::optional<Difference>& difference) {
  return difference ? std::optional(difference->p) : std::nullopt;
}

bool decided(const Claim* claim) {
  return claim && claim->welch && claim->adjusted_p < 1 - kConfidence;
}

/// Null: a side has no value.
std::string verdict(const Claim* claim) {
  if (!claim) return "a side has no value";
  if (!claim->welch) return "n = 1, no claim";
  if (decided(claim)) return claim->difference < 0 ? "lower" : "higher";
  const auto& needed = claim->paired ? claim->pairs_needed : claim->seeds_needed;
  if (!needed) return "undecided";
  return fmt::format("undecided; about {} {} would decide", human_count(*needed),
                     claim->paired ? "paired seeds" : "seeds each");
}

std::string claim_name(const CompareView& view, std::size_t group, bool unicode) {
  return fmt::format("{} {} {}", view.labels[group], unicode ? "−" : "-",
                     view.labels[view.baseline]);
}

/// Of all groups, so that what is left out of the tables changes no adjusted p-value.
std::vector<std::optional<Claim>> claims_of(const CompareView& view) {
  if (view.groups.empty()) return {};
  const SeedValues base = values_of(view.groups[view.baseline], view.metrics.front());
  std::vector<std::optional<Claim>> claims;
  for (std::size_t g = 0; g < view.groups.size(); ++g)
    claims.push_back(g == view.baseline
                         ? std::nullopt
                         : compare_groups(base, values_of(view.groups[g], view.metrics.front())));
  adjust(claims);
  return claims;
}

}  // namespace

Cell outcome_cell(const Outcome& outcome) {
  switch (outcome.kind) {
    case Outcome::Kind::number:
      if (!outcome.text.empty()) return {outcome.text, json_number(outcome.number), std::nullopt};
      if (is_count(outcome.number)) return count_cell(static_cast<std::int64_t>(outcome.number));
      return number_cell(outcome.number);
    case Outcome::Kind::text:
      return text_cell(outcome.text);
    case Outcome::Kind::truth:
      return {outcome.truth ? "true" : "false", json_truth(outcome.truth), std::nullopt};
    case Outcome::Kind::missing:
      break;
  }
  return shown_cell("-");
}

std::vector<std::string> short_names(const std::vector<const LoadedRun*>& runs) {
  std::vector<std::string> names;
  for (const LoadedRun* run : runs) names.push_back(run->file);
  if (names.empty()) return names;
  std::size_t shared = names[0].rfind('/') == std::string::npos ? 0 : names[0].rfind('/') + 1;
  for (const std::string& name : names)
    while (shared > 0 && name.compare(0, shared, names[0], 0, shared) != 0) {
      const std::size_t slash = shared > 1 ? names[0].rfind('/', shared - 2) : std::string::npos;
      shared = slash == std::string::npos ? 0 : slash + 1;
    }
  for (std::string& name : names) {
    name.erase(0, shared);
    if (name.ends_with(".h5")) name.resize(name.size() - 3);
  }
  return names;
}

std::string baseline_name(const CompareView& view) {
  const std::string& label = view.labels[view.baseline];
  if (view.baseline < view.shown) return label;
  return fmt::format("{} ({})", label, view.groups[view.baseline].runs.front()->file);
}

Sheet runs_sheet(const CompareView& view) {
  const std::vector<const LoadedRun*> runs = shown_runs(view);
  const std::vector<std::string> names = short_names(runs);
  const bool seeds = !share_a_seed(runs);
  std::vector<Column> columns = {{"run", Align::left, Cut::back}};
  for (const std::string& key : view.keys) columns.push_back({key});
  if (seeds) columns.push_back({"seed", Align::right});
  columns.push_back({"status"});
  columns.push_back({"steps", Align::right});
  for (const Expression& metric : view.metrics) columns.push_back({metric.text(), Align::right});
  columns.push_back({"seconds", Align::right});
  Sheet sheet("runs", columns);
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const LoadedRun& run = *runs[i];
    std::vector<Cell> cells = {text_cell(names[i])};
    for (const std::string& key : view.keys) cells.push_back(key_cell({{&run}}, key));
    if (seeds) cells.push_back(seed_cell(run.record.seed));
    cells.push_back(status_cell(run.record));
    cells.push_back(count_cell(run.record.steps));
    for (const Expression& metric : view.metrics)
      cells.push_back(outcome_cell(metric.evaluate(RunSubject(run))));
    Cell seconds = number_cell(run.record.seconds);
    seconds.shown = fmt::format("{:.1f}", run.record.seconds);
    cells.push_back(std::move(seconds));
    sheet.row(std::move(cells));
  }
  return sheet;
}

Sheet groups_sheet(const CompareView& view, bool exact, bool unicode) {
  std::vector<Column> columns = {{"group"}};
  if (view.split_by_argument) columns.push_back({"from", Align::left, Cut::front});
  for (const std::string& key : view.keys) columns.push_back({key});
  columns.push_back({"n", Align::right});
  for (const Expression& metric : view.metrics) {
    columns.push_back({metric.text(), Align::right});
    if (exact)
      for (const char* figure : {"sd", "low", "high"})
        columns.push_back({fmt::format("{} {}", metric.text(), figure), Align::right});
    else
      columns.push_back({"95% interval", Align::right});
  }
  Sheet sheet("groups", columns);
  for (std::size_t g = 0; g < view.shown; ++g) {
    const RunGroup& group = view.groups[g];
    std::vector<Cell> cells = {text_cell(view.labels[g])};
    if (view.split_by_argument)
      cells.push_back(text_cell(view.arguments[group.runs.front()->argument]));
    for (const std::string& key : view.keys) cells.push_back(key_cell(group, key));
    cells.push_back(count_of(values_of(group, view.metrics.front())));
    for (const Expression& metric : view.metrics) {
      const Spread spread = spread_of(values_of(group, metric).values);
      const bool any = spread.count > 0, several = spread.count > 1;
      Cell mean = number_cell(any ? std::optional(spread.mean) : std::nullopt);
      if (exact) {
        cells.push_back(mean);
        cells.push_back(number_cell(several ? std::optional(spread.deviation) : std::nullopt));
        cells.push_back(number_cell(low_of(spread.interval)));
        cells.push_back(number_cell(high_of(spread.interval)));
        continue;
      }
      if (several) mean.shown = spread_text(spread, unicode);
      cells.push_back(mean);
      cells.push_back(shown_cell(spread.interval ? interval_text(spread.interval)
                                 : any           ? "n = 1"
                                                 : "-"));
    }
    sheet.row(std::move(cells));
  }
  return sheet;
}

Sheet claims_sheet(const CompareView& view, bool unicode) {
  const std::vector<std::optional<Claim>> claims = claims_of(view);
  const bool several = std::count_if(claims.begin(), claims.end(),
                                     [](const auto& claim) { return claim && claim->welch; }) > 1;
  std::vector<Column> columns = {{"difference"}, {view.metrics.front().text(), Align::right}};
  for (const char* title : {"95% (Welch)", "p", "bootstrap", "pairs", "95% (paired)", "p paired"})
    columns.push_back({title, Align::right});
  if (several) columns.push_back({"p adjusted", Align::right});
  columns.push_back({"verdict"});
  Sheet sheet("differences", columns);
  for (std::size_t g = 0; g < view.shown; ++g) {
    if (g == view.baseline) continue;
    const Claim* claim = claims[g] ? &*claims[g] : nullptr;
    std::vector<std::string> cells = {claim_name(view, g, unicode)};
    if (claim) {
      for (const std::string& cell :
           {metric_text(claim->difference), interval_text(interval_of(claim->welch)),
            p_text(p_of(claim->welch)), interval_text(claim->bootstrapped),
            fmt::format("{}", claim->pairs), interval_text(interval_of(claim->paired)),
            p_text(p_of(claim->paired))})
        cells.push_back(cell);
      if (several)
        cells.push_back(p_text(claim->welch ? std::optional(claim->adjusted_p) : std::nullopt));
    }
    cells.resize(columns.size() - 1, "-");
    std::vector<Cell> row;
    for (std::string& cell : cells) row.push_back(shown_cell(std::move(cell)));
    row.push_back(text_cell(verdict(claim)));
    row.back().style = decided(claim) ? Style::green : Style::yellow;
    sheet.row(std::move(row));
  }
  return sheet;
}

Sheet exact_claims_sheet(const CompareView& view) {
  const std::vector<std::optional<Claim>> claims = claims_of(view);
  std::vector<Column> columns;
  for (const char* title : {"difference", "value", "welch low", "welch high", "t", "degrees",
                            "welch p", "bootstrap low", "bootstrap high", "pairs", "paired low",
                            "paired high", "paired p", "p adjusted", "seeds needed", "verdict"})
    columns.push_back({title});
  Sheet sheet("differences", columns);
  for (std::size_t g = 0; g < view.shown; ++g) {
    if (g == view.baseline) continue;
    const Claim claim = claims[g].value_or(Claim());
    using Number = std::optional<double>;
    const auto &welch = claim.welch, &paired = claim.paired;
    const auto needed = paired ? claim.pairs_needed : claim.seeds_needed;
    std::vector<Cell> row = {text_cell(claim_name(view, g, false))};
    for (const Number number :
         {claims[g] ? Number(claim.difference) : Number(), low_of(interval_of(welch)),
          high_of(interval_of(welch)), welch ? Number(welch->t) : Number(),
          welch ? Number(welch->degrees) : Number(), p_of(welch), low_of(claim.bootstrapped),
          high_of(claim.bootstrapped), Number(static_cast<double>(claim.pairs)),
          low_of(interval_of(paired)), high_of(interval_of(paired)), p_of(paired),
          welch ? Number(claim.adjusted_p) : Number(),
          needed ? Number(static_cast<double>(*needed)) : Number()})
      row.push_back(number_cell(number));
    row.push_back(text_cell(verdict(claims[g] ? &claim : nullptr)));
    sheet.row(std::move(row));
  }
  return sheet;
}

Sheet steps_sheet(const CompareView& view, const std::string& metric, std::size_t most_rows) {
  const std::vector<const LoadedRun*> runs = shown_runs(view);
  std::vector<Column> columns = {{"step", Align::right}};
  std::vector<const Series*> series;
  for (const std::string& name : short_names(runs)) columns.push_back({name, Align::right});
  for (const LoadedRun* run : runs) series.push_back(find_metric(run->record, metric));
  const bool pair = runs.size() == 2;
  if (pair) columns.push_back({"second - first", Align::right});
  Sheet sheet(metric, columns);
  const JoinedSteps joined = join_by_step(series);
  const std::size_t rows = joined.steps.size();
  const std::size_t shown = std::min(rows, most_rows);
  for (std::size_t k = 0; k < shown; ++k) {
    const std::size_t row = shown == rows ? k : k * (rows - 1) / (shown - 1);
    std::vector<Cell> cells = {count_cell(joined.steps[row])};
    for (const auto& values : joined.values) cells.push_back(number_cell(values[row]));
    if (pair) {
      const auto &first = joined.values[0][row], &second = joined.values[1][row];
      cells.push_back(
          number_cell(first && second ? std::optional(*second - *first) : std::nullopt));
    }
    sheet.row(std::move(cells));
  }
  return sheet;
}

Sheet differences_sheet(const CompareView& view) {
  std::vector<Column> columns = {{"key"}};
  for (std::size_t g = 0; g < view.shown; ++g) columns.push_back({view.labels[g]});
  Sheet sheet("differences", columns);
  if (view.shown < 2) return sheet;
  for (const std::string& key : view.keys) {
    std::vector<Cell> cells = {text_cell(key)};
    for (std::size_t g = 0; g < view.shown; ++g)
      cells.push_back(text_cell(config_text(*view.groups[g].runs.front(), key)));
    sheet.row(std::move(cells));
  }
  return sheet;
}

std::string parting_text(const CompareView& view) {
  std::vector<const LoadedRun*> runs;
  for (const RunGroup& group : view.groups)
    runs.insert(runs.end(), group.runs.begin(), group.runs.end());
  if (runs.size() != 2) return "";
  const RunRecord &a = runs[0]->record, &b = runs[1]->record;
  std::string text;
  if (const auto parting = first_parting(a, b, Compared::common))
    text += fmt::format("metrics part at step {}: {}\n", parting->step, printable(parting->metric));
  const std::string weights = weights_text(compare_weights(a, b));
  return weights.empty() ? text : text + weights + "\n";
}

}  // namespace assay
