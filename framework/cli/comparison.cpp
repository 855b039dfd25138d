#include "cli/comparison.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <utility>

#include "base/text.h"
#include "cli/numbers.h"
#include "cli/table.h"
#include "results/summary.h"

namespace assay {
namespace {

/// The run's name without its seed and the hash at its end ("gpt_seed=1_1f3a9c04" -> "gpt"); the
/// experiment's if nothing is left.
std::string group_name(const RunGroup& group) {
  const RunRecord& first = group.runs.front()->record;
  std::string_view rest = std::string_view(first.run).substr(0, first.run.rfind('_'));
  std::string name;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find('_'), rest.size());
    const std::string_view part = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (part.starts_with("seed=")) continue;
    if (!name.empty()) name += '_';
    name += part;
  }
  return name.empty() ? first.name : name;
}

std::string group_table(const std::vector<RunGroup>& groups, const Terminal& terminal) {
  bool limits = false;
  for (const RunGroup& group : groups)
    limits |= known_limit(group.runs.front()->record).has_value();
  std::vector<Column> columns = {{"mean over seeds", Align::left, Cut::back},
                                 {"n", Align::right},
                                 {std::string(kValidationLoss), Align::right},
                                 {"lowest", Align::right}};
  if (limits) columns.push_back({"above limit", Align::right});
  Table table(columns);
  const auto cell = [&](const std::vector<double>& values) {
    return values.empty() ? "-" : spread_text(spread_of(values), terminal.unicode);
  };
  for (const RunGroup& group : groups) {
    if (group.runs.size() < 2) continue;
    std::vector<double> finals, lowest, above;
    for (const LoadedRun* run : group.runs) {
      const RunRecord& record = run->record;
      const Series* losses = find_metric(record, kValidationLoss);
      if (record.status != RunStatus::done || !losses || !std::isfinite(losses->values.back()))
        continue;
      finals.push_back(losses->values.back());
      if (const auto least = minimum(*losses)) lowest.push_back(least->value);
      if (const auto limit = known_limit(record)) above.push_back(finals.back() - *limit);
    }
    const std::size_t all = group.runs.size();
    std::string n =
        finals.size() == all ? fmt::format("{}", all) : fmt::format("{} of {}", finals.size(), all);
    if (!group.repeats.empty()) n += fmt::format(" ({} repeated)", group.repeats.size());
    std::vector<std::string> cells = {group_name(group), n, cell(finals), cell(lowest)};
    if (limits) cells.push_back(cell(above));
    table.row(std::move(cells));
  }
  return table.empty() ? "" : "\n" + table.text(terminal);
}

}  // namespace

const Series* find_metric(const RunRecord& record, const std::string& name) {
  const auto found = record.metrics.find(name);
  return found == record.metrics.end() || found->second.values.empty() ? nullptr : &found->second;
}

std::optional<double> known_limit(const RunRecord& record) {
  for (const auto& [key, text] : record.data) {
    if (key != "limit nats/token") continue;
    double limit = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), limit);
    if (error == std::errc() && end == text.data() + text.size()) return limit;
  }
  return std::nullopt;
}

Style status_style(RunStatus status) {
  switch (status) {
    case RunStatus::done:
      return Style::green;
    case RunStatus::stopped:
    case RunStatus::running:
    case RunStatus::pruned:
      return Style::yellow;
    case RunStatus::failed:
      break;
  }
  return Style::red;
}

std::string spread_text(const Spread& spread, bool unicode) {
  const bool tiny = spread.deviation > 0 && spread.deviation < 5e-5;
  return fmt::format(
      "{} {} {}", metric_text(spread.mean), unicode ? "±" : "+-",
      tiny ? fmt::format("{:.0e}", spread.deviation) : fmt::format("{:.4f}", spread.deviation));
}

std::string comparison_text(const std::vector<LoadedRun>& runs, const Terminal& terminal) {
  if (runs.empty()) return "";
  bool limits = false;
  for (const LoadedRun& run : runs) limits |= known_limit(run.record).has_value();
  std::vector<Column> columns = {{"run", Align::left, Cut::back}, {"status"},
                                 {"parameters", Align::right},    {"steps", Align::right},
                                 {kValidationLoss, Align::right}, {"lowest", Align::right}};
  if (limits) columns.push_back({"above limit", Align::right});
  columns.push_back({"time", Align::right});
  Table table(columns);
  std::vector<const LoadedRun*> all;
  for (const LoadedRun& run : runs) {
    all.push_back(&run);
    const RunRecord& record = run.record;
    const Series* losses = find_metric(record, kValidationLoss);
    const std::optional<Extreme> least = losses ? minimum(*losses) : std::nullopt;
    std::vector<std::string> cells = {
        record.run,
        styled(terminal, status_style(record.status), name(record.status)),
        human_count(record.parameters),
        fmt::format("{}", record.steps),
        losses ? metric_text(losses->values.back()) : "-",
        least ? metric_text(least->value) : "-"};
    if (limits) {
      const std::optional<double> limit = known_limit(record);
      cells.push_back(limit && losses ? metric_text(losses->values.back() - *limit) : "-");
    }
    cells.push_back(human_duration(record.seconds));
    table.row(std::move(cells));
  }
  return table.text(terminal) + group_table(groups_of(all, {}), terminal);
}

}  // namespace assay
