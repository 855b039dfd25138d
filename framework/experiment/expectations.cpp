#include "experiment/expectations.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/error.h"
#include "base/text.h"
#include "config/options.h"
#include "config/yaml.h"
#include "results/comparison.h"

namespace assay {
namespace {

struct Near {
  double value = 0, within = 0;
  static void describe(OptionList<Near>& o) {
    o.add("value", &Near::value, "Middle of the range.").required();
    o.add("within", &Near::within, "How far from it is near.").required().at_least(0);
  }
};

struct Sides {
  std::string where, than;
  double by = 0;
  static void describe(OptionList<Sides>& o) {
    o.add("where", &Sides::where, "Condition of the runs in which it is to be so.").required();
    o.add("than", &Sides::than, "Condition of those they are compared with; default: all others.");
    o.add("by", &Sides::by, "By how much at least.").at_least(0);
  }
};

struct Wanted {
  std::vector<double> between;
  std::optional<double> at_least, at_most, exactly;
  Value near, higher, lower;
  std::string over = "seeds";
  std::int64_t seeds = 1;

  static void describe(OptionList<Wanted>& o) {
    o.add("between", &Wanted::between, "The least and the greatest value: [least, greatest].");
    o.add("at_least", &Wanted::at_least, "The least value.");
    o.add("at_most", &Wanted::at_most, "The greatest value.");
    o.add("exactly", &Wanted::exactly, "The value, to the last bit.");
    o.add("near", &Wanted::near, "A value and how far from it: {value: 2.48, within: 1e-4}.");
    o.add("higher", &Wanted::higher,
          "In some runs than in others, beyond the 95% interval: {where: model.layers == 2}.");
    o.add("lower", &Wanted::lower, "Likewise.");
    o.add("over", &Wanted::over, "The mean of runs that differ only in seed, or each run.")
        .one_of({"seeds", "runs"});
    o.add("seeds", &Wanted::seeds, "How many seeds the mean needs; with fewer it is left open.")
        .at_least(1);
    o.rule([](const Wanted& w) {
      const int ways = !w.between.empty() + (w.at_least || w.at_most) + w.exactly.has_value() +
                       !w.near.is_null() + !w.higher.is_null() + !w.lower.is_null();
      if (ways != 1)
        return "wanted one of between, near, exactly, higher and lower, or at_least and at_most; "
               "write {between: [1.8, 1.9]}";
      if (!w.between.empty() && (w.between.size() != 2 || w.between[0] > w.between[1]))
        return "between: wanted the least and the greatest value; write between: [1.8, 1.9]";
      if (w.at_least && w.at_most && *w.at_least > *w.at_most)
        return "at_least is above at_most: nothing could meet it";
      if (w.over == "runs" && !(w.higher.is_null() && w.lower.is_null()))
        return "higher, lower: are of means over seeds, not for over: runs";
      if (w.over == "runs" && w.seeds != 1)
        return "seeds: is for the mean over seeds, not for over: runs";
      return "";
    });
  }
};

// The bounds of what was written, and how it reads.
void set_bounds(const Wanted& wanted, const Near& near, Expectation& e) {
  if (!wanted.between.empty()) {
    e.least = wanted.between[0], e.most = wanted.between[1];
    e.wanted = fmt::format("{} to {}", *e.least, *e.most);
  } else if (wanted.exactly) {
    e.least = e.most = wanted.exactly;
    e.wanted = fmt::format("exactly {}", *e.least);
  } else if (!wanted.near.is_null()) {
    e.least = near.value - near.within, e.most = near.value + near.within;
    e.wanted = fmt::format("{} within {}", near.value, near.within);
  } else {
    e.least = wanted.at_least, e.most = wanted.at_most;
    if (e.least) e.wanted = fmt::format("at least {}", *e.least);
    if (e.most) e.wanted += fmt::format("{}at most {}", e.least ? ", " : "", *e.most);
  }
}

// Of `higher` or `lower`, where one is written.
std::optional<Contrast> read_contrast(const Wanted& wanted, const std::string& path,
                                      Problems& problems) {
  const bool higher = !wanted.higher.is_null();
  if (!higher && wanted.lower.is_null()) return std::nullopt;
  const char* key = higher ? "higher" : "lower";
  Sides sides;
  const std::size_t before = problems.size();
  describe_options<Sides>().read(&sides, higher ? wanted.higher : wanted.lower, path + "." + key,
                                 key, problems);
  if (problems.size() > before) return std::nullopt;
  Contrast contrast{Expression::parse(sides.where, "where"), std::nullopt, higher, sides.by};
  if (!sides.than.empty()) contrast.than = Expression::parse(sides.than, "than");
  return contrast;
}

std::string wanted_text(const Contrast& contrast) {
  std::string text = contrast.higher ? "higher" : "lower";
  if (contrast.by > 0) text += fmt::format(" by {}", contrast.by);
  text += " where " + contrast.where.text();
  return contrast.than ? text + ", than where " + contrast.than->text() : text;
}

void read_expectation(const std::string& metric, const Value& value, const Location& at,
                      std::vector<Expectation>& expectations, Problems& problems) {
  const std::string path = "expect." + metric;
  if (!value.is_map()) {
    problems.add(value.at(), fmt::format("{}: wanted a map such as {{between: [1.8, 1.9]}}, got {}",
                                         path, describe(value)));
    return;
  }
  Problems found;
  Wanted wanted;
  describe_options<Wanted>().read(&wanted, value, path, "an expectation", found);
  Near near;
  if (!wanted.near.is_null())
    describe_options<Near>().read(&near, wanted.near, path + ".near", "near", found);
  const auto tell = [&] {
    for (const Problem& problem : found.list()) problems.add(problem.at, problem.message);
  };
  try {
    Expectation e{Expression::parse(metric, "expect"), {}, {}, {}, false, 1, {}};
    e.contrast = read_contrast(wanted, path, found);
    tell();
    if (!found.empty()) return;
    if (e.contrast)
      e.wanted = wanted_text(*e.contrast);
    else
      set_bounds(wanted, near, e);
    e.each_run = wanted.over == "runs";
    e.seeds = wanted.seeds;
    expectations.push_back(std::move(e));
  } catch (const Error& error) {
    tell();
    problems.add(at, error.what());
  }
}

bool is_within(double value, const Expectation& e) {
  return std::isfinite(value) && (!e.least || value >= *e.least) && (!e.most || value <= *e.most);
}

std::string first_line(const std::string& text) {
  return text.substr(0, text.find('\n'));
}

// The value of a run, or nothing and why.
std::optional<double> value_of(const Expectation& e, const LoadedRun& run, std::string& note) {
  try {
    e.metric.check(known_names({run}));
    const Outcome outcome = e.metric.evaluate(RunSubject(run));
    if (outcome.kind == Outcome::Kind::number) return outcome.number;
    if (outcome.kind == Outcome::Kind::truth) return outcome.truth ? 1 : 0;
    note = outcome.missing() ? "the run has no such value" : "is no number";
  } catch (const Error& error) {
    note = first_line(error.what());
  }
  return std::nullopt;
}

// What runs that differ only in seed share.
std::string without_seed(const LoadedRun& run) {
  return write_yaml(run.config.without("seed"));
}

struct Group {
  const Expectation* expectation;
  std::string identity;
  std::vector<const LoadedRun*> runs;
};

// Why nothing can be said yet, or never.
bool is_unfinished(const LoadedRun& run, Verdict& verdict) {
  if (run.record.status == RunStatus::stopped)
    verdict.note = fmt::format("{} was stopped", run.record.run);
  else if (run.record.status == RunStatus::running)
    verdict.note = fmt::format("{} could not be run to its end", run.record.run);
  else
    return false;
  return true;
}

// The 95% interval of the difference lies where it is wanted: of pairs of equal seeds where there
// are two, else Welch's.
Verdict judge_contrast(const Group& group) {
  const Expectation& e = *group.expectation;
  Verdict verdict;
  verdict.metric = e.metric.text(), verdict.wanted = e.wanted;
  std::vector<LoadedRun> runs;
  for (const LoadedRun* run : group.runs) {
    if (is_unfinished(*run, verdict)) return verdict;
    runs.push_back(*run);
  }
  try {
    const KnownNames known = known_names(runs);
    e.metric.check(known);
    e.contrast->where.check(known);
    if (e.contrast->than) e.contrast->than->check(known);
  } catch (const Error& error) {
    verdict.kind = Verdict::Kind::missed;
    verdict.note = first_line(error.what());
    return verdict;
  }
  RunGroup those, others;
  for (const LoadedRun* run : group.runs) {
    const RunSubject subject(*run);
    if (e.contrast->where.holds(subject))
      those.runs.push_back(run);
    else if (!e.contrast->than || e.contrast->than->holds(subject))
      others.runs.push_back(run);
  }
  verdict.of = fmt::format("{} runs, {} others", those.runs.size(), others.runs.size());
  verdict.seeds = static_cast<std::int64_t>(std::min(those.runs.size(), others.runs.size()));
  if (verdict.seeds < std::max<std::int64_t>(2, e.seeds)) {
    verdict.note = fmt::format("needs {} runs on each side", std::max<std::int64_t>(2, e.seeds));
    return verdict;
  }
  const SeedValues a = values_of(others, e.metric), b = values_of(those, e.metric);
  const auto claim = compare_groups(a, b);
  verdict.kind = Verdict::Kind::missed;
  if (a.values.size() < a.runs || b.values.size() < b.runs || !claim || !claim->welch) {
    verdict.note = "not every run has such a value";
    return verdict;
  }
  const Difference& found = claim->paired ? *claim->paired : *claim->welch;
  verdict.got = found.value;
  verdict.note = fmt::format("95% {:.4g} to {:.4g}", found.interval.low, found.interval.high);
  const double nearest = e.contrast->higher ? found.interval.low : -found.interval.high;
  if (nearest > 0 && nearest >= e.contrast->by) verdict.kind = Verdict::Kind::met;
  return verdict;
}

Verdict judge_group(const Group& group) {
  const Expectation& e = *group.expectation;
  if (e.contrast) return judge_contrast(group);
  Verdict verdict;
  verdict.metric = e.metric.text();
  verdict.wanted = e.wanted;
  const auto count = static_cast<std::int64_t>(group.runs.size());
  verdict.of = count == 1 ? group.runs.front()->record.run : fmt::format("mean of {} seeds", count);
  if (!e.each_run) verdict.seeds = count;
  double sum = 0;
  for (const LoadedRun* run : group.runs) {
    if (is_unfinished(*run, verdict)) return verdict;
    const auto value =
        run->record.status == RunStatus::done ? value_of(e, *run, verdict.note) : std::nullopt;
    if (!value) {
      if (run->record.status == RunStatus::failed)
        verdict.note = fmt::format("{} failed", run->record.run);
      verdict.kind = Verdict::Kind::missed;
      return verdict;
    }
    sum += *value;
  }
  verdict.got = sum / static_cast<double>(count);
  if (!e.each_run && count < e.seeds) {
    verdict.note = fmt::format("needs {} seeds, has {}", e.seeds, count);
    return verdict;
  }
  verdict.kind = is_within(*verdict.got, e) ? Verdict::Kind::met : Verdict::Kind::missed;
  return verdict;
}

}  // namespace

std::string_view name(Verdict::Kind kind) {
  switch (kind) {
    case Verdict::Kind::met:
      return "met";
    case Verdict::Kind::missed:
      return "missed";
    case Verdict::Kind::open:
      break;
  }
  return "open";
}

std::vector<Expectation> read_expectations(const Value& section, Problems& problems) {
  std::vector<Expectation> expectations;
  if (section.is_null()) return expectations;
  if (!section.is_map()) {
    problems.add(section.at(),
                 fmt::format("expect: wanted a map from metrics to what is expected, such as "
                             "{{val/loss: {{at_most: 2}}}}, got {}",
                             describe(section)));
    return expectations;
  }
  for (std::size_t i = 0; i < section.entries().size(); ++i) {
    const auto& [metric, value] = section.entries()[i];
    const Location& at = section.key_location(i);
    if (value.is_list())
      for (const Value& item : value.items())
        read_expectation(metric, item, at, expectations, problems);
    else
      read_expectation(metric, value, at, expectations, problems);
  }
  return expectations;
}

std::string expectation_text(const Expectation& e) {
  const std::string seeds = e.seeds > 1 ? fmt::format(", at least {}", e.seeds) : "";
  return fmt::format("{}: {} ({}{})", e.metric.text(), e.wanted,
                     e.each_run ? "each run" : "mean over seeds", seeds);
}

std::vector<Verdict> judge(const std::vector<JudgedRun>& runs) {
  std::vector<Group> groups;
  for (const JudgedRun& judged : runs)
    for (const Expectation& e : *judged.expectations) {
      const std::string identity = expectation_text(e) + "\n" +
                                   (e.contrast   ? ""
                                    : e.each_run ? judged.run->record.run
                                                 : without_seed(*judged.run));
      auto same = groups.begin();
      while (same != groups.end() && same->identity != identity) ++same;
      if (same == groups.end()) same = groups.insert(same, {&e, identity, {}});
      same->runs.push_back(judged.run);
    }
  std::vector<Verdict> verdicts;
  for (const Group& group : groups) verdicts.push_back(judge_group(group));
  return verdicts;
}

std::map<std::string, StatedExpectation> stated_expectations(
    const std::vector<Expectation>& expectations, const LoadedRun& run) {
  std::map<std::string, StatedExpectation> stated;
  for (const Expectation& e : expectations) {
    Verdict verdict;  // a contrast is between runs: of one nothing can be said
    verdict.metric = e.metric.text(), verdict.wanted = e.wanted;
    if (!e.contrast) verdict = judge_group({&e, "", {&run}});
    stated[expectation_text(e)] = {verdict.metric, verdict.wanted, e.each_run ? "runs" : "seeds",
                                   std::string(name(verdict.kind)),
                                   verdict.got.value_or(std::numeric_limits<double>::quiet_NaN())};
  }
  return stated;
}

}  // namespace assay
