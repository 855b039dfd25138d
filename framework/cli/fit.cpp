// `assay fit`: a power law through the runs of a sweep.
#include <fmt/format.h>

#include <cmath>

#include "base/text.h"
#include "cli/json.h"
#include "cli/numbers.h"
#include "cli/run_list.h"
#include "cli/table.h"
#include "cli/verb.h"
#include "config/yaml.h"
#include "results/power_law.h"

namespace assay {
namespace {

constexpr const char* kSize = "parameters";

struct Points {
  std::vector<std::vector<double>> x;  // of each term
  std::vector<double> y;
  std::size_t left_out = 0;  // runs that are not done, or have no such number
};

std::optional<double> number_of(const Expression& expression, const LoadedRun& run) {
  const Outcome outcome = expression.evaluate(RunSubject(run));
  if (outcome.kind != Outcome::Kind::number || !std::isfinite(outcome.number)) return std::nullopt;
  return outcome.number;
}

Points points_of(const std::vector<const LoadedRun*>& runs, const Expression& metric,
                 const std::vector<Expression>& terms) {
  Points points;
  points.x.resize(terms.size());
  for (const LoadedRun* run : runs) {
    std::vector<double> at;
    const auto y = number_of(metric, *run);
    for (const Expression& term : terms)
      if (const auto x = number_of(term, *run); x && *x > 0) at.push_back(*x);
    if (run->record.status != RunStatus::done || !y || at.size() != terms.size()) {
      ++points.left_out;
      continue;
    }
    points.y.push_back(*y);
    for (std::size_t j = 0; j < at.size(); ++j) points.x[j].push_back(at[j]);
  }
  return points;
}

std::string short_text(double value) {
  return fmt::format("{:.4g}", value);
}

std::string interval_text(const Estimate& estimate) {
  return fmt::format("[{}, {}]", short_text(estimate.interval.low),
                     short_text(estimate.interval.high));
}

std::string formula(const PowerLaw& law, const std::string& metric,
                    const std::vector<Expression>& terms, bool floor) {
  std::string text = metric + " =";
  if (floor) text += " " + short_text(law.floor.value);
  for (std::size_t j = 0; j < terms.size(); ++j) {
    const std::string& of = terms[j].text();
    const bool bare = of.find(' ') == std::string::npos;
    text += fmt::format("{}{} {}^{}", j > 0 || floor ? " + " : " ",
                        short_text(law.terms[j].factor.value), bare ? of : "(" + of + ")",
                        short_text(-law.terms[j].exponent.value));
  }
  return text;
}

Value json_of(const Estimate& estimate) {
  return Value::map({{"value", json_number(estimate.value)},
                     {"low", json_number(estimate.interval.low)},
                     {"high", json_number(estimate.interval.high)}},
                    {});
}

std::string json_text_of(const PowerLaw& law, const std::string& metric,
                         const std::vector<Expression>& terms, const Points& points, bool floor) {
  std::vector<Value> list;
  for (std::size_t j = 0; j < terms.size(); ++j)
    list.push_back(Value::map({{"of", json_text(terms[j].text())},
                               {"factor", json_of(law.terms[j].factor)},
                               {"exponent", json_of(law.terms[j].exponent)}},
                              {}));
  return write_json(
      Value::map({{"metric", json_text(metric)},
                  {"floor", floor ? json_of(law.floor) : Value()},
                  {"terms", Value::list(std::move(list), {})},
                  {"runs", json_integer(static_cast<std::int64_t>(law.points))},
                  {"left_out", json_integer(static_cast<std::int64_t>(points.left_out))},
                  {"deviation", json_number(law.deviation)},
                  {"explained", json_number(law.explained)}},
                 {}));
}

std::string table_text(const PowerLaw& law, const std::vector<Expression>& terms, bool floor) {
  Table table({{"number"}, {"value", Align::right}, {"95% interval", Align::right}});
  const auto row = [&](const std::string& name, const Estimate& estimate) {
    table.row({name, short_text(estimate.value), interval_text(estimate)});
  };
  if (floor) row("floor", law.floor);
  for (std::size_t j = 0; j < terms.size(); ++j) {
    row("exponent of " + terms[j].text(), law.terms[j].exponent);
    row("factor of " + terms[j].text(), law.terms[j].factor);
  }
  return table.text(Terminal::of(stdout));
}

ExitCode execute_fit(const Arguments& arguments) {
  const std::string metric = arguments.value("metric").value_or("val/loss");
  const std::string of = arguments.value("of").value_or(kSize);
  const std::string filter = arguments.value("filter").value_or("");
  const bool floor = !arguments.has("no-floor");
  const Expression y = Expression::parse(metric, "--metric");
  const std::vector<Expression> terms = Expression::parse_list(of, "--of");
  RunList list(arguments.words.empty() ? std::vector<std::string>{"results"} : arguments.words);
  list.read_for(metric, "--metric");
  list.read_for(of, "--of");
  if (!filter.empty()) list.read_for(filter, "--filter");
  list.load();
  for (const std::string& problem : list.problems()) write_err("error: " + problem + "\n");
  y.check(list.names());
  for (const Expression& term : terms) term.check(list.names());
  const auto runs = filter.empty() ? list.runs() : list.filtered(filter, "--filter");
  const Points points = points_of(runs, y, terms);
  const PowerLaw law = fit_power_law(points.x, points.y, {floor});
  if (arguments.has("json")) {
    write_out(json_text_of(law, metric, terms, points, floor));
  } else {
    write_out(table_text(law, terms, floor));
    write_out(
        fmt::format("\n{}\n{} runs{}, deviation {}, {:.1f}% of the variance explained\n",
                    formula(law, metric, terms, floor), law.points,
                    points.left_out == 0 ? "" : fmt::format(" ({} left out)", points.left_out),
                    short_text(law.deviation), 100 * law.explained));
  }
  return list.problems().empty() ? ExitCode::done : ExitCode::data;
}

}  // namespace

Verb fit_verb() {
  Verb verb;
  verb.name = "fit";
  verb.synopsis = "[FILES|DIRS...] [--of NAMES] [--metric NAME] [options]";
  verb.summary = "A power law through runs: how a loss falls with size, data or compute.";
  verb.details =
      "Fits metric = floor + factor x^-exponent by least squares, with one term for each "
      "expression "
      "of --of: parameters alone by default; 'parameters, steps * train.batch * train.context' for "
      "size and data. Each run that is done is a point. Intervals are those of Student's t at the "
      "minimum; they suppose that the law holds, and residuals of one size.";
  verb.options = {
      {"of", 0, "LIST", "Expressions, separated by commas: what the metric depends on."},
      {"metric", 0, "NAME", "What is fitted; default val/loss."},
      {"filter", 0, "CONDITION", "Only runs for which it holds: 'steps > 100'."},
      {"no-floor", 0, "", "The floor is 0: the metric falls without end."},
      {"json", 0, "", "Print one JSON object."}};
  verb.examples = {"assay fit results/scaling",
                   "assay fit results/scaling --of 'parameters, steps * train.batch'"};
  verb.complete = complete_results;
  verb.execute = execute_fit;
  return verb;
}

}  // namespace assay
