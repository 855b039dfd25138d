#include "experiment/lineage.h"

#include <algorithm>
#include <map>
#include <set>

#include "config/overrides.h"
#include "config/yaml.h"
#include "results/run_set.h"

namespace assay {
namespace {

constexpr const char *kStep = "step", *kRun = "run";

std::map<std::string, std::string> settings(const Value& config) {
  std::map<std::string, std::string> settings;
  for (auto& [key, text] : flattened(config)) settings.emplace(key, text);
  return settings;
}

Value cell_value(const std::string& cell) {
  if (cell.empty() || cell == "null") return {};
  const bool composed = cell.front() == '[' || cell.front() == '{';
  return composed ? read_yaml(cell, "lineage") : Value::scalar(cell, false, {});
}

// config with a key as a table has it; an empty cell: it is not set.
Value with_setting(const Value& config, const std::string& key, const std::string& cell) {
  Override change;
  change.kind = cell.empty() ? Override::Kind::remove : Override::Kind::replace;
  change.path = key;
  if (cell.empty() && !config.at_path(key)) return config;
  Problems problems;
  const Value changed = apply_override(config, change, cell_value(cell), problems);
  problems.raise();
  return changed;
}

}  // namespace

MeasuredTable lineage_table(const Lineage& lineage) {
  std::vector<std::map<std::string, std::string>> all;
  std::set<std::string> keys, differing;
  for (const Stretch& stretch : lineage) {
    all.push_back(settings(stretch.config));
    for (const auto& [key, text] : all.back()) keys.insert(key);
  }
  const auto cell = [](const std::map<std::string, std::string>& of, const std::string& key) {
    const auto found = of.find(key);
    return found == of.end() ? std::string() : found->second;
  };
  for (const std::string& key : keys)
    for (const auto& other : all)
      if (cell(other, key) != cell(all.front(), key)) differing.insert(key);
  std::vector<MeasuredColumn> columns = {{kStep, "d"}, {kRun}};
  for (const std::string& key : differing) columns.push_back({key});
  MeasuredTable table("Lineage: from which step on, whose run, with which settings",
                      std::move(columns));
  for (std::size_t i = 0; i < lineage.size(); ++i) {
    std::vector<MeasuredCell> cells = {lineage[i].from, lineage[i].run};
    for (const std::string& key : differing) cells.emplace_back(cell(all[i], key));
    table.row(cells);
  }
  return table;
}

Lineage read_lineage(const RunRecord& record) {
  const auto found = record.tables.find(kLineage);
  if (found == record.tables.end()) return {};
  const MeasuredTable& table = found->second;
  const Value config = read_yaml(record.config, record.run + ": config");
  Lineage lineage;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    Stretch& stretch = lineage.emplace_back();
    stretch.config = config;
    for (std::size_t c = 0; c < table.columns.size(); ++c) {
      const std::string& name = table.columns[c].name;
      if (name == kStep)
        stretch.from = static_cast<std::int64_t>(table.numbers.at(name)[row]);
      else if (name == kRun)
        stretch.run = table.texts.at(name)[row];
      else
        stretch.config = with_setting(stretch.config, name, table.texts.at(name)[row]);
    }
  }
  return lineage;
}

bool same_up_to(const Lineage& a, const Lineage& b, std::int64_t step) {
  const auto before = [step](const Lineage& lineage) {
    return std::count_if(lineage.begin(), lineage.end(),
                         [step](const Stretch& stretch) { return stretch.from < step; });
  };
  const std::ptrdiff_t count = before(a);
  return count == before(b) && std::equal(a.begin(), a.begin() + count, b.begin(),
                                          [](const Stretch& x, const Stretch& y) {
                                            return x.from == y.from && x.run == y.run;
                                          });
}

}  // namespace assay
