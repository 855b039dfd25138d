#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "cli/compare_sheets.h"
#include "cli/comparison.h"
#include "cli/curves.h"
#include "cli/json.h"
#include "cli/report.h"
#include "cli/run_list.h"
#include "cli/verb.h"
#include "io/atomic_file.h"

namespace assay {
namespace {

constexpr std::size_t kMostStepRows = 25;

/// The last value of what was evaluated, and the lowest validation loss; the training loss where
/// nothing was.
std::string default_metrics(const KnownNames& names) {
  std::vector<std::string> list;
  for (const std::string& metric : names.metrics) {
    const bool nameable = metric.find('`') == std::string::npos;
    if (!nameable || metric.starts_with("train/")) continue;
    list.push_back(name_text(metric));
    if (metric == kValidationLoss) list.push_back("min(val/loss)");
  }
  if (list.empty())
    for (const std::string& metric : names.metrics)
      if (metric == kTrainingLoss || names.metrics.size() == 1) list.push_back(name_text(metric));
  return list.empty() ? "steps" : fmt::format("{}", fmt::join(list, ", "));
}

/// Throws Error(usage), with a near match, if it is none of the names.
void check_name(const std::string& name, const std::vector<std::string>& names,
                const std::string& option, const std::string& what) {
  if (std::find(names.begin(), names.end(), name) != names.end()) return;
  std::string message = fmt::format("{}: no run has a {} {}", option, what, quote(name));
  if (const auto near = near_match(name, names))
    message += fmt::format("; did you mean {}?", *near);
  throw Error(ExitCode::usage, message);
}

/// A gate against a baseline that a filter has quietly moved to other runs would say nothing.
void refuse_moved_baseline(const RunSet& set, const std::vector<const LoadedRun*>& left,
                           const Grouping& grouping) {
  std::vector<const LoadedRun*> all;
  for (const LoadedRun& run : set.runs) all.push_back(&run);
  if (left.empty() || left.front()->argument != 0) return;  // that is told otherwise
  const RunGroup usual = groups_of(all, grouping).front();
  if (std::any_of(usual.runs.begin(), usual.runs.end(), [&](const LoadedRun* run) {
        return std::find(left.begin(), left.end(), run) != left.end();
      }))
    return;
  throw Error(ExitCode::usage,
              fmt::format("compare: --fail-if: --filter leaves out {}, the baseline; let it stay, "
                          "or give another file first",
                          usual.runs.front()->file));
}

/// What the command line asks to see of these runs.
CompareView view_of(const Arguments& arguments, const RunSet& set,
                    const std::optional<Expression>& fail_if) {
  const KnownNames names = known_names(set.runs);
  CompareView view;
  view.arguments = arguments.words;
  std::vector<const LoadedRun*> runs;
  std::optional<Expression> filter;
  if (const auto text = arguments.value("filter")) {
    filter = Expression::parse(*text, "--filter");
    filter->check(names);
  }
  for (const LoadedRun& run : set.runs)
    if (!filter || filter->holds(RunSubject(run))) runs.push_back(&run);

  const auto metrics = arguments.value("metrics");
  view.metrics = Expression::parse_list(metrics.value_or(default_metrics(names)), "--metrics");
  for (const Expression& metric : view.metrics) metric.check(names);

  Grouping grouping;
  grouping.keys = split_list(arguments.value("group-by").value_or(""));
  for (const std::string& key : grouping.keys) check_name(key, names.others, "--group-by", "key");
  if (const auto metric = arguments.value("by-step"))
    check_name(*metric, names.metrics, "--by-step", "metric");
  grouping.split_by_argument = arguments.words.size() > 1 &&
                               (brings_repeats(runs) || (fail_if && fail_if->mentions_baseline()));
  if (filter && fail_if && fail_if->mentions_baseline()) refuse_moved_baseline(set, runs, grouping);
  view.split_by_argument = grouping.split_by_argument;
  view.groups = groups_of(runs, grouping);

  const RunGroup first = view.groups.empty() ? RunGroup() : view.groups.front();
  if (const auto text = arguments.value("sort")) {
    const Expression by = Expression::parse(*text, "--sort");
    by.check(names);
    const auto key = [&](const RunGroup& group) { return by.evaluate(GroupSubject(group.runs)); };
    sort_by_outcome(view.groups, key);
    for (RunGroup& group : view.groups)
      sort_by_outcome(group.runs,
                      [&](const LoadedRun* run) { return by.evaluate(RunSubject(*run)); });
  }
  view.shown = view.groups.size();
  if (arguments.has("top"))
    view.shown = std::min(view.shown, static_cast<std::size_t>(arguments.count("top", 1)));
  for (std::size_t g = 0; g < view.groups.size(); ++g) {
    view.labels.push_back(label_of(g));
    const auto& members = view.groups[g].runs;
    if (!first.runs.empty() &&
        std::find(members.begin(), members.end(), first.runs.front()) != members.end())
      view.baseline = g;
  }
  view.keys = arguments.has("all") ? all_keys(runs) : differing_keys(runs);
  if (!grouping.keys.empty()) view.keys = grouping.keys;
  return view;
}

void say_repeats(const CompareView& view) {
  for (const RunGroup& group : view.groups)
    for (const LoadedRun* repeat : group.repeats)
      write_err(fmt::format("{}: has the configuration and seed of another run: counted once\n",
                            repeat->file));
}

bool has_replicates(const CompareView& view) {
  return std::any_of(view.groups.begin(), view.groups.end(),
                     [](const RunGroup& group) { return group.runs.size() > 1; });
}

/// The runs shown, with the label of their group; its name says what sets it apart.
std::vector<DrawnRun> drawn_runs(const CompareView& view) {
  std::vector<const LoadedRun*> runs;
  for (std::size_t g = 0; g < view.shown; ++g)
    runs.insert(runs.end(), view.groups[g].runs.begin(), view.groups[g].runs.end());
  const std::vector<std::string> files = short_names(runs);
  std::vector<DrawnRun> drawn;
  for (std::size_t g = 0; g < view.shown; ++g) {
    const RunGroup& group = view.groups[g];
    std::string name = files[drawn.size()];
    if (group.runs.size() > 1) {
      std::vector<std::string> settings;
      for (const std::string& key : view.keys)
        settings.push_back(key + "=" + config_text(*group.runs.front(), key));
      settings.push_back(fmt::format("{} runs", group.runs.size()));
      name = fmt::format("{}", fmt::join(settings, ", "));
    }
    for (const LoadedRun* run : group.runs) drawn.push_back({run, g, view.labels[g], name});
  }
  return drawn;
}

std::string people_text(const CompareView& view, const Arguments& arguments, Format format) {
  const Terminal terminal = Terminal::of(stdout);
  const bool unicode = terminal.unicode || format == Format::md;
  std::string text;
  const auto add = [&](const std::string& title, const Sheet& sheet) {
    if (sheet.empty()) return;
    if (!text.empty()) text += "\n";
    if (!title.empty())
      text += format == Format::md ? "**" + title + "**\n\n"
                                   : styled(terminal, Style::bold, title) + "\n";
    text += format == Format::md ? sheet.markdown() : sheet.table(terminal);
  };
  const bool groups = has_replicates(view) || arguments.has("group-by");
  if (groups) add("", groups_sheet(view, false, unicode));
  if (!groups || arguments.has("runs")) add(groups ? "Runs" : "", runs_sheet(view));
  if (groups && view.groups.size() > 1)
    add(fmt::format("{}, against {}", view.metrics.front().text(), baseline_name(view)),
        claims_sheet(view, unicode));
  else if (view.groups.size() > 1)
    text += "\nn = 1 each: no claim about differences (more seeds would allow one)\n";
  if (const auto metric = arguments.value("by-step"))
    add(*metric + " by step",
        steps_sheet(view, *metric, arguments.has("all") ? std::size_t(-1) : kMostStepRows));
  if (const std::string parting = parting_text(view); !parting.empty()) text += "\n" + parting;
  return text;
}

std::string json_of(const CompareView& view, const Arguments& arguments,
                    const std::vector<std::string>& problems) {
  std::vector<Value> refused;
  for (const std::string& problem : problems) refused.push_back(json_text(problem));
  std::vector<Value::Entry> entries = {
      {"runs", runs_sheet(view).json()},
      {"groups", groups_sheet(view, true, false).json()},
      {"baseline", view.groups.empty() ? Value() : json_text(view.labels[view.baseline])},
      {"differences", exact_claims_sheet(view).json()}};
  if (const auto metric = arguments.value("by-step"))
    entries.emplace_back("by_step", steps_sheet(view, *metric, std::size_t(-1)).json());
  entries.emplace_back("problems", Value::list(std::move(refused), {}));
  return write_json(Value::map(std::move(entries), {}));
}

/// Says for which groups the gate is shut, shown or not. What cannot be judged does not pass.
bool passes(const CompareView& view, const Expression& fail_if) {
  const bool relative = fail_if.mentions_baseline();
  if (view.groups.empty() || (relative && view.groups.size() < 2))
    throw Error(ExitCode::usage,
                fmt::format("compare: --fail-if: {}", view.groups.empty()
                                                          ? "no run to judge"
                                                          : "nothing to judge against a baseline: "
                                                            "give two files or folders"));
  const LoadedRun& first = *view.groups[view.baseline].runs.front();
  if (relative && first.argument != 0)
    throw Error(ExitCode::usage,
                fmt::format("compare: --fail-if: no run of {} is left to be the baseline: none can "
                            "be read, or --filter leaves them out; give another first",
                            view.arguments.front()));
  const GroupSubject baseline(view.groups[view.baseline].runs);
  bool pass = true;
  for (std::size_t g = 0; g < view.groups.size(); ++g) {
    if (relative && g == view.baseline) continue;
    const RunGroup& group = view.groups[g];
    const bool done = std::all_of(group.runs.begin(), group.runs.end(), [](const auto* run) {
      return run->record.status == RunStatus::done;
    });
    const Outcome outcome = fail_if.evaluate(GroupSubject(group.runs), &baseline);
    if (done && !outcome.missing() && !outcome.truth) continue;
    pass = false;
    write_err(fmt::format("{}: {}: {}\n", group.runs.front()->file,
                          !done               ? "a run is not done"
                          : outcome.missing() ? "cannot be judged (a value is missing or nan)"
                                              : "failed",
                          fail_if.text()));
  }
  return pass;
}

ExitCode execute_compare(const Arguments& arguments) {
  if (arguments.words.empty())
    throw Error(ExitCode::usage,
                "compare: no result files given; usage: assay compare FILES|DIRS...");
  const Format format = read_format(arguments.value("format"));
  if (format == Format::csv &&
      arguments.has("by-step") + arguments.has("group-by") + arguments.has("runs") > 1)
    throw Error(ExitCode::usage,
                "compare: csv is one table: give one of --by-step, --group-by and --runs");
  const bool curves = wants_curves("compare", arguments);
  if (curves && format != Format::table)
    throw Error(ExitCode::usage, "compare: --curves draws on a terminal: it goes with no --format");
  std::optional<Expression> fail_if;
  if (const auto text = arguments.value("fail-if")) fail_if = Expression::parse(*text, "--fail-if");
  const RunSet set = load_runs(arguments.words);
  for (const std::string& problem : set.problems) write_err("error: " + problem + "\n");
  if (set.runs.empty()) return ExitCode::data;
  if (fail_if) fail_if->check(known_names(set.runs));
  std::optional<CurveOptions> drawing;
  if (curves) drawing = read_curve_options(arguments, set);
  const CompareView view = view_of(arguments, set, fail_if);
  say_repeats(view);

  if (const auto file = arguments.value("html")) {
    const std::string title = fmt::format("{}", fmt::join(arguments.words, ", "));
    const std::string page = report_html(view, title);
    write_atomically(*file, std::as_bytes(std::span(page)));
    write_err(fmt::format("wrote {} ({})\n", *file, human_bytes(static_cast<double>(page.size()))));
  }
  if (drawing && drawing->watch) {
    watch_curves(
        [&] {
          WatchedRuns now{load_runs(arguments.words), {}};
          now.runs = drawn_runs(view_of(arguments, now.set, fail_if));
          return now;
        },
        *drawing);
    return ExitCode::done;
  }
  if (format == Format::json)
    write_out(json_of(view, arguments, set.problems));
  else if (format == Format::csv)
    write_out(arguments.has("by-step")
                  ? steps_sheet(view, *arguments.value("by-step"), std::size_t(-1)).csv()
              : arguments.has("group-by") ? groups_sheet(view, true, false).csv()
                                          : runs_sheet(view).csv());
  else if (view.groups.empty())
    write_err("no run passes the filter\n");
  else
    write_out(
        people_text(view, arguments, format) +
        (drawing ? "\n" + curves_text(drawn_runs(view), *drawing, Terminal::of(stdout)) : ""));
  if (fail_if && !passes(view, *fail_if)) return ExitCode::failed;
  return set.problems.empty() ? ExitCode::done : ExitCode::data;
}

}  // namespace

Verb compare_verb() {
  Verb verb;
  verb.name = "compare";
  verb.synopsis = "FILES|DIRS... [options]";
  verb.summary = "Compare runs: in what they differ, how they did, what may be claimed.";
  verb.details =
      "Runs that differ only in their seed form a group: n, mean, standard deviation, 95% interval "
      "(Student's t). Of files with the same configuration and seed one counts. Groups are "
      "compared with the first one given: Welch's test, the paired test "
      "over the seeds that both have, a bootstrap beside them, p-values adjusted for their number "
      "(Holm), and how many seeds would decide. One run claims nothing. Metrics are expressions: "
      "val/loss (its last value), min(val/loss), at(val/loss, 300), step_of_min, auc, mean, max, "
      "first, count. Filters compare metrics, configuration and facts (status, seed, steps, "
      "seconds, ...): 'val/loss < 2 and model.type == gpt'. Of two runs it says at which step "
      "their "
      "metrics and weights part, and the first parameter. csv prints the runs (with --group-by "
      "the groups), json everything.";
  verb.options = {
      {"metrics", 0, "LIST", "Expressions, separated by commas; the first is the one compared."},
      {"filter", 0, "CONDITION", "Only runs for which this holds."},
      {"group-by", 0, "KEYS", "Group by these keys of the configuration instead."},
      {"sort", 0, "EXPRESSION", "Lowest first ('-val/loss': highest first); NaN last."},
      {"top", 0, "N", "Show only the first N groups; all are compared and judged."},
      {"runs", 0, "", "Also a row for each run of the groups."},
      {"by-step", 0, "METRIC", "A metric by step, side by side."},
      {"all", 0, "", "All of the configuration, and all steps; not only what differs."},
      {"html", 0, "FILE", "Also write a page with curves, statistics and samples; one file."},
      {"format", 0, "FORMAT", "table, csv, json or md (Markdown).", false, format_names()},
      {"fail-if", 0, "CONDITION",
       "Exit with 1 where this holds for a group, or cannot be judged. baseline is the value of "
       "the "
       "first file or folder."}};
  for (OptionSpec& option : curve_options()) verb.options.push_back(std::move(option));
  verb.examples = {"assay compare results/gpt",
                   "assay compare results/gpt --curves train/loss --smooth 0.9 --log",
                   "assay compare results/gpt --metrics 'min(val/loss)' --sort "
                   "seconds --top 5",
                   "assay compare old.h5 new.h5 --fail-if 'val/loss > 1.02 * baseline'"};
  verb.complete = complete_results;
  verb.execute = execute_compare;
  return verb;
}

}  // namespace assay
