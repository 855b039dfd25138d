#include "experiment/forerunner.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/error.h"
#include "base/text.h"
#include "config/search_path.h"
#include "experiment/execute.h"
#include "experiment/plan.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

bool names_experiment(const Value* from) {
  if (!from || !from->is_scalar() || from->text().find("${") != std::string::npos) return false;
  const fs::path extension = fs::path(from->text()).extension();
  return extension == ".yaml" || extension == ".yml";
}

// Of what says a value.
fs::path folder_of(const Location& at, const ExperimentRequest& request) {
  if (at.is_argument()) return {};
  std::error_code ignored;
  if (at.source && fs::exists(at.source->name, ignored))
    return fs::path(at.source->name).parent_path();
  return request.file.parent_path();
}

// One that is asked for, as far as it is known.
struct Found {
  ExperimentRequest request;
  std::optional<PlannedRun> run;  // nothing: something is wrong, and told
  bool complete = false;
};

class Finder {
 public:
  Finder(ComposedExperiment& composed, const ExperimentRequest& request, Problems& problems)
      : composed_(composed), request_(request), problems_(problems) {}

  Value with_results(Value config) {
    for (const char* section : {"model", "tokenizer"}) {
      const Value* written = config.find(section);
      const Value* from = written ? written->find("from") : nullptr;
      if (!names_experiment(from)) continue;
      const Found& found = find(*from, section);
      if (!found.run) continue;
      const bool is_model = section == std::string("model");
      const auto key_at = config.key_location(*config.index_of(section));
      config = config.with(section,
                           found.complete ? with_file(*written, found)
                           : is_model     ? expected_model(*written, found)
                                          : expected_tokenizer(*written, found),
                           key_at);
    }
    return config;
  }

 private:
  // A place that is no file, so that the name of the result is not taken for relative to it.
  static Value file_of(const Found& found, const Value& from) {
    const Location at = Location::of("the " + from.at().text());
    return Value::scalar(found.run->file.generic_string(), true,
                         from.at().is_argument() ? at : Location::of(from.at().text()));
  }

  static Value with_file(const Value& section, const Found& found) {
    return section.with("from", file_of(found, *section.find("from")),
                        section.key_location(*section.index_of("from")));
  }

  static Value expected_model(const Value& section, const Found& found) {
    const Value* model = found.run->setup.resolved.find("model");
    const Value below = model ? without_adaptation(*model) : Value();
    return merge(below, with_file(section, found))
        .with("digest", Value::scalar(kUnknownDigest, true, section.at()));
  }

  static Value expected_tokenizer(const Value& section, const Found& found) {
    const Value* tokenizer = found.run->setup.resolved.find("tokenizer");
    return tokenizer ? tokenizer->without("from").without("digest") : section;
  }

  const Found& find(const Value& from, const std::string& section) {
    const fs::path file = (folder_of(from.at(), request_) / from.text()).lexically_normal();
    const auto known = known_.find(file);
    if (known != known_.end()) return known->second;
    Found& found = known_[file];
    const auto refuse = [&](const std::string& why) {
      problems_.add(from.at(), fmt::format("{}.from: {}", section, why));
    };
    std::error_code ignored;
    if (!fs::is_regular_file(file, ignored)) {
      const auto near =
          near_match(file.stem().string(), SearchPath{{{file.parent_path(), ""}}}.names(""));
      refuse(fmt::format("there is no experiment {}{}", file.string(),
                         near ? fmt::format("; did you mean {}?", quote(*near + ".yaml")) : ""));
      return found;
    }
    found.request = request_of(file);
    const fs::path same = fs::weakly_canonical(file, ignored);
    const auto& chain = found.request.started_by;
    if (std::find(chain.begin(), chain.end(), same) != chain.end()) {
      refuse(fmt::format("{} starts from itself", file.string()));
      return found;
    }
    look_into(found, refuse);
    return found;
  }

  ExperimentRequest request_of(const fs::path& file) const {
    ExperimentRequest first = request_;
    first.file = file;
    first.overrides.clear();
    first.output.clear(), first.folder.clear();
    first.force = false;
    first.resume = Resume::automatic;
    first.confirm = nullptr;
    std::error_code ignored;
    first.started_by.push_back(fs::weakly_canonical(request_.file, ignored));
    return first;
  }

  template <class Refuse>
  void look_into(Found& found, const Refuse& refuse) {
    const std::size_t before = problems_.size();
    const ComposedExperiment composed = compose_experiment(found.request, problems_);
    Registry registry(default_plugin_path(found.request.plugins));
    std::vector<PlannedRun> runs;
    if (problems_.size() == before)
      runs = resolve_runs(composed, found.request, registry, problems_);
    if (problems_.size() > before) return;
    const std::string file = found.request.file.string();
    if (composed.sweep.find("search") || runs.size() != 1)
      return refuse(fmt::format("{} has several runs; name the result file of one", file));
    if (!runs[0].setup.model) return refuse(fmt::format("{} is a probe, and trains nothing", file));
    found.complete = composed.first.empty() && find_earlier(runs[0], {}) == Earlier::complete;
    found.run = std::move(runs[0]);
    if (!found.complete) composed_.first.push_back(found.request);
  }

  ComposedExperiment& composed_;
  const ExperimentRequest& request_;
  Problems& problems_;
  std::map<fs::path, Found> known_;
};

}  // namespace

void find_forerunners(ComposedExperiment& composed, const ExperimentRequest& request,
                      Problems& problems) {
  Finder finder(composed, request, problems);
  const std::size_t before = problems.size();
  for (Trial& trial : composed.trials) trial.config = finder.with_results(trial.config);
  if (problems.size() > before) problems.raise();  // what follows would be about that
}

bool run_forerunners(const ComposedExperiment& composed, Reporter& reporter) {
  for (const ExperimentRequest& first : composed.first) {
    reporter.note(first.file.string(), "is run first: others start from its result");
    const ExperimentResult result = run_experiment(first, reporter);
    if (result.code == ExitCode::stopped) return false;
    for (const RunResult& run : result.runs)
      if (run.record.status != RunStatus::done)
        throw Error(run.refused.value_or(ExitCode::failed),
                    fmt::format("{}, which others start from, could not be run: {}",
                                first.file.string(), run.record.message));
    for (const Verdict& verdict : result.verdicts)
      if (verdict.kind == Verdict::Kind::missed)
        reporter.note(verdict.of, fmt::format("{}: {} was expected to be {}", first.file.string(),
                                              verdict.metric, verdict.wanted));
  }
  return true;
}

}  // namespace assay
