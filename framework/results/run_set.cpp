#include "results/run_set.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <iterator>
#include <set>

#include "base/error.h"
#include "base/function_ref.h"
#include "base/parallel.h"
#include "config/yaml.h"
#include "results/live_files.h"
#include "results/open_pack.h"
#include "results/pack.h"
#include "results/run_file.h"
#include "results/run_path.h"
#include "results/run_summary.h"
#include "results/summary.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

/// Whether a file's name is that of a whole run: checkpoints of a live one stand beside it.
bool is_result_name(const std::string& name) {
  return name.ends_with(".h5") && !is_checkpoint_name(name);
}

void find_below(const std::string& folder, std::vector<std::string>& files) {
  std::error_code error;
  fs::recursive_directory_iterator at(folder, fs::directory_options::skip_permission_denied, error);
  const fs::recursive_directory_iterator end;
  for (; !error && at != end; at.increment(error)) {
    const std::string name = at->path().filename().string();
    std::error_code unknown;
    if (name.starts_with('.')) {
      if (at->is_directory(unknown)) at.disable_recursion_pending();
    } else if (is_result_name(name) && at->is_regular_file(unknown)) {
      files.push_back(at->path().string());
    } else if (name.ends_with(".journal") && is_open_pack(result_of(at->path()))) {
      files.push_back(result_of(at->path()).string());
    }
  }
}

void flatten(const Value& value, const std::string& path, Facts& into) {
  if (!value.is_map()) {
    into.emplace_back(path, value.is_null()     ? "null"
                            : value.is_scalar() ? value.text()
                                                : write_yaml_flow(value));
    return;
  }
  for (const auto& [key, item] : value.entries())
    flatten(item, path.empty() ? key : path + "." + key, into);
}

const std::string* find_fact(const Facts& facts, std::string_view name) {
  for (const auto& [key, text] : facts)
    if (key == name) return &text;
  return nullptr;
}

Outcome fact_of(const LoadedRun& run, const std::string& name) {
  const RunRecord& r = run.record;
  if (name == "name") return Outcome::of(r.name);
  if (name == "run") return Outcome::of(r.run);
  if (name == "file") return Outcome::of(run.file);
  if (name == "status") return Outcome::of(std::string(assay::name(r.status)));
  if (name == "message") return Outcome::of(r.message);
  if (name == "started") return Outcome::of(r.started);
  if (name == "digest") return Outcome::of(r.digest);
  if (name == "seed") return Outcome::of_scalar(std::to_string(r.seed));
  if (name == "steps") return Outcome::of_scalar(std::to_string(r.steps));
  if (name == "parameters") return Outcome::of_scalar(std::to_string(r.parameters));
  if (name == "seconds") return Outcome::of(r.seconds);
  return {};
}

/// Mean of what the finished runs have; NaN where all they have is NaN.
template <class NumberOf>
std::optional<double> mean_over(const std::vector<const LoadedRun*>& runs, NumberOf number_of) {
  double sum = 0;
  int count = 0;
  bool any = false;
  for (const LoadedRun* run : runs) {
    const std::optional<double> number = number_of(*run);
    any |= number.has_value();
    if (!number || !std::isfinite(*number) || run->record.status != RunStatus::done) continue;
    sum += *number;
    ++count;
  }
  if (count > 0) return sum / count;
  return any ? std::optional(std::nan("")) : std::nullopt;
}

RunSet load(const std::vector<std::string>& paths,
            FunctionRef<std::vector<RunRecord>(const std::string& file)> read) {
  RunSet set;
  const std::vector<FoundFile> found = find_results(paths, set.problems);
  std::vector<std::vector<LoadedRun>> runs(found.size());
  std::vector<std::string> problems(found.size());
  Pool(available_cores()).run([&] {
    parallel_for(static_cast<std::int64_t>(found.size()), [&](std::int64_t index) {
      const auto i = static_cast<std::size_t>(index);
      const auto& [file, argument] = found[i];
      try {
        std::vector<RunRecord> records = read(file);
        const bool several = split_run_path(file).run.empty() && is_pack_file(file);
        for (RunRecord& record : records) {
          std::string path = several ? run_path(file, record.run) : file;
          const Value config = read_yaml(record.config, path + ": config");
          runs[i].push_back({std::move(path), argument, std::move(record), config});
        }
      } catch (const Error& error) {
        problems[i] = error.what();
      }
    });
  });
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (!problems[i].empty())
      set.problems.push_back(std::move(problems[i]));
    else
      std::move(runs[i].begin(), runs[i].end(), std::back_inserter(set.runs));
  }
  return set;
}

}  // namespace

std::vector<FoundFile> find_results(const std::vector<std::string>& paths,
                                    std::vector<std::string>& problems) {
  std::vector<FoundFile> found;
  for (std::size_t argument = 0; argument < paths.size(); ++argument) {
    const std::string& path = paths[argument];
    std::error_code error;
    if (!fs::is_directory(path, error)) {
      const fs::path file = split_run_path(path).file;
      if (fs::exists(file, error) || is_open_pack(file))
        found.push_back({path, argument});
      else
        problems.push_back(path + ": no such file");
      continue;
    }
    std::vector<std::string> files;
    find_below(path, files);
    std::sort(files.begin(), files.end());
    if (files.empty()) problems.push_back(path + ": no result files (*.h5) in this folder");
    for (std::string& file : files) found.push_back({std::move(file), argument});
  }
  return found;
}

RunSet load_runs(const std::vector<std::string>& paths) {
  return load(paths, [](const std::string& file) { return read_runs(file, false); });
}

RunSet load_summaries(const std::vector<std::string>& paths) {
  return load(paths, [](const std::string& file) { return read_summaries(file); });
}

Facts flattened(const Value& config) {
  Facts values;
  if (config.is_map()) flatten(config, "", values);
  return values;
}

std::vector<std::string> fact_names() {
  return {"name",   "run",  "file",  "status",     "message", "started",
          "digest", "seed", "steps", "parameters", "seconds"};
}

Outcome config_value(const Value& config, const std::string& path) {
  const Value* value = config.at_path(path);
  if (!value) return {};
  if (!value->is_scalar()) return Outcome::of(write_yaml_flow(*value));
  return value->quoted() ? Outcome::of(value->text()) : Outcome::of_scalar(value->text());
}

Outcome RunSubject::value(const std::string& name) const {
  const auto metric = run_->record.metrics.find(name);
  if (metric != run_->record.metrics.end()) return Outcome::of(last(metric->second));
  if (Outcome fact = fact_of(*run_, name); !fact.missing()) return fact;
  if (Outcome value = config_value(run_->config, name); !value.missing()) return value;
  for (const auto& [prefix, facts] :
       {std::pair(std::string("environment."), &run_->record.environment),
        std::pair(std::string("data."), &run_->record.data)})
    if (name.starts_with(prefix))
      if (const std::string* text = find_fact(*facts, name.substr(prefix.size())))
        return Outcome::of_scalar(*text);
  return {};
}

std::optional<double> RunSubject::measure(const Measure& measure, const std::string& metric) const {
  const auto found = run_->record.metrics.find(metric);
  if (found == run_->record.metrics.end()) return std::nullopt;
  return assay::measure(found->second, measure.function, measure.step);
}

Outcome GroupSubject::value(const std::string& name) const {
  if (runs_.empty()) return {};
  const Outcome first = RunSubject(*runs_.front()).value(name);
  if (runs_.size() == 1) return first;
  const auto number = mean_over(runs_, [&](const LoadedRun& run) -> std::optional<double> {
    const Outcome outcome = RunSubject(run).value(name);
    return outcome.kind == Outcome::Kind::number ? std::optional(outcome.number) : std::nullopt;
  });
  if (number) return Outcome::of(*number);
  for (const LoadedRun* run : runs_) {
    const Outcome other = RunSubject(*run).value(name);
    if (other.kind != first.kind || other.text != first.text || other.truth != first.truth)
      return {};
  }
  return first;
}

std::optional<double> GroupSubject::measure(const Measure& measure,
                                            const std::string& metric) const {
  return mean_over(runs_,
                   [&](const LoadedRun& run) { return RunSubject(run).measure(measure, metric); });
}

KnownNames known_names(const std::vector<LoadedRun>& runs) {
  std::set<std::string> metrics, others;
  for (const std::string& fact : fact_names()) others.insert(fact);
  for (const LoadedRun& run : runs) {
    for (const auto& [metric, series] : run.record.metrics) metrics.insert(metric);
    for (const auto& [path, text] : flattened(run.config)) others.insert(path);
    for (const auto& [key, text] : run.record.environment) others.insert("environment." + key);
    for (const auto& [key, text] : run.record.data) others.insert("data." + key);
  }
  return {{metrics.begin(), metrics.end()}, {others.begin(), others.end()}};
}

}  // namespace assay
