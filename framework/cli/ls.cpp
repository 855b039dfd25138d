#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "cli/compare_sheets.h"
#include "cli/comparison.h"
#include "cli/run_list.h"
#include "cli/verb.h"

namespace assay {
namespace {

Sheet sheet_of(const std::vector<const LoadedRun*>& runs, const std::vector<Expression>& columns,
               bool names_in_full) {
  std::vector<Column> titles = {{"run", Align::left, Cut::back}};
  for (const Expression& column : columns)
    titles.push_back({column.text(), column.text() == "status" ? Align::left : Align::right});
  Sheet sheet("runs", titles);
  const std::vector<std::string> names = short_names(runs);
  for (std::size_t i = 0; i < runs.size(); ++i) {
    std::vector<Cell> cells = {text_cell(names_in_full ? runs[i]->file : names[i])};
    for (const Expression& column : columns) {
      cells.push_back(outcome_cell(column.evaluate(RunSubject(*runs[i]))));
      if (column.text() == "status") cells.back().style = status_style(runs[i]->record.status);
    }
    sheet.row(std::move(cells));
  }
  return sheet;
}

std::string default_columns(const KnownNames& names) {
  const auto& metrics = names.metrics;
  const bool losses = std::find(metrics.begin(), metrics.end(), kValidationLoss) != metrics.end();
  return losses ? "status, steps, val/loss, min(val/loss), seconds, started"
                : "status, steps, seconds, started";
}

ExitCode execute_ls(const Arguments& arguments) {
  if (arguments.has("json") && arguments.has("format"))
    throw Error(ExitCode::usage, "ls: give one of --json and --format");
  const Format format =
      arguments.has("json") ? Format::json : read_format(arguments.value("format"));
  RunList list(arguments.words.empty() ? std::vector<std::string>{"results"} : arguments.words);
  for (const char* option : {"filter", "sort", "columns"})
    if (const auto text = arguments.value(option)) list.read_for(*text, std::string("--") + option);
  list.load();
  for (const std::string& problem : list.problems()) write_err("error: " + problem + "\n");
  std::vector<const LoadedRun*> runs = list.runs();
  if (const auto text = arguments.value("filter")) runs = list.filtered(*text, "--filter");
  if (const auto text = arguments.value("sort")) list.sort(runs, *text, "--sort");
  if (arguments.has("top"))
    runs.resize(std::min(runs.size(), static_cast<std::size_t>(arguments.count("top", 1))));
  const std::string columns = arguments.value("columns").value_or(default_columns(list.names()));
  const auto expressions = Expression::parse_list(columns, "--columns");
  if (!list.runs().empty())  // no run, no name to compare with
    for (const Expression& column : expressions) column.check(list.names());

  const bool for_programs = format == Format::json || format == Format::csv;
  const Sheet sheet = sheet_of(runs, expressions, for_programs);
  if (runs.empty() && !for_programs)
    write_err(list.runs().empty() ? "no runs\n" : "no run passes the filter\n");
  else
    write_out(sheet.text(format, Terminal::of(stdout)));
  return list.problems().empty() ? ExitCode::done : ExitCode::data;
}

}  // namespace

Verb ls_verb() {
  Verb verb;
  verb.name = "ls";
  verb.synopsis = "[FILES|DIRS...] [options]";
  verb.summary = "List runs: status, steps, losses, or what you ask for.";
  verb.details =
      "Of the folder results if none is given. Reads the summary at the end of each file, and the "
      "whole file only for measures that need it (at, auc, mean, count). Filters, the sort key and "
      "columns are expressions: see assay help compare.";
  verb.options = {
      {"filter", 0, "CONDITION", "Only runs for which this holds."},
      {"sort", 0, "EXPRESSION", "Lowest first ('-steps': highest first); NaN last."},
      {"columns", 0, "LIST", "Expressions, separated by commas."},
      {"top", 0, "N", "Only the first N."},
      {"format", 0, "FORMAT", "table, csv, json or md (Markdown).", false, format_names()},
      {"json", 0, "", "The same as --format json."}};
  verb.examples = {"assay ls", "assay ls results/gpt --sort 'min(val/loss)' --top 10",
                   "assay ls --filter 'val/loss < 2 and model.type == gpt'",
                   "assay ls --columns 'model.layers, at(val/loss, 300)' --json"};
  verb.complete = complete_results;
  verb.execute = execute_ls;
  return verb;
}

}  // namespace assay
