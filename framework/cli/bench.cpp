#include <fmt/format.h>

#include <utility>

#include "base/parallel.h"
#include "cli/json.h"
#include "cli/numbers.h"
#include "cli/request.h"
#include "cli/table.h"
#include "cli/terminal.h"
#include "cli/verb.h"
#include "experiment/bench.h"

namespace assay {
namespace {

std::string known(double value, std::string text) {
  return value > 0 ? std::move(text) : "-";
}

double share_of_peak(const BenchResult& result) {
  return result.peak_gflops > 0 ? result.gflops / result.peak_gflops : 0;
}

std::string table_text(const std::vector<BenchResult>& results) {
  Table table({{"workload"},
               {"threads", Align::right},
               {"time", Align::right},
               {"per second", Align::right},
               {"tokens/s", Align::right},
               {"GFLOP/s", Align::right},
               {"of peak", Align::right},
               {"memory", Align::right}});
  for (const BenchResult& result : results) {
    table.row({result.workload, fmt::format("{}", result.threads),
               fmt::format("{:.4g} ms/{}", result.milliseconds, result.unit),
               fmt::format("{:.4g}", result.per_second),
               known(result.tokens_per_second, rate_text(result.tokens_per_second)),
               known(result.gflops, fmt::format("{:.1f}", result.gflops)),
               known(share_of_peak(result), fmt::format("{:.1f}%", 100 * share_of_peak(result))),
               known(result.megabytes, fmt::format("{:.1f} MB", result.megabytes))});
  }
  return table.text(Terminal::of(stdout));
}

Value known_json(double value) {
  return value > 0 ? json_number(value) : Value();
}

Value result_json(const BenchResult& result) {
  return Value::map({{"workload", json_text(result.workload)},
                     {"threads", json_integer(result.threads)},
                     {"unit", json_text(result.unit)},
                     {"milliseconds", json_number(result.milliseconds)},
                     {"per_second", json_number(result.per_second)},
                     {"tokens_per_second", known_json(result.tokens_per_second)},
                     {"gflops", known_json(result.gflops)},
                     {"peak_gflops", known_json(result.peak_gflops)},
                     {"share_of_peak", known_json(share_of_peak(result))},
                     {"megabytes", known_json(result.megabytes)}},
                    {});
}

std::string json_of(const std::vector<BenchResult>& results) {
  if (results.size() == 1) return write_json(result_json(results[0]));
  std::vector<Value> list;
  for (const BenchResult& result : results) list.push_back(result_json(result));
  return write_json(Value::list(std::move(list), {}));
}

ExitCode execute_bench(const Arguments& arguments) {
  const int threads = arguments.count("threads", available_cores());
  const std::vector<std::filesystem::path> folders = plugin_folders(arguments);
  std::vector<std::string> names = arguments.words;
  if (names.empty()) {
    for (const BenchWorkload& workload : bench_workloads()) names.push_back(workload.name);
  }
  std::vector<BenchResult> results;
  for (const std::string& name : names) {
    if (names.size() > 1) write_err(fmt::format("measuring {}\n", name));
    results.push_back(run_bench(name, threads, folders));
  }
  write_out(arguments.has("json") ? json_of(results) : table_text(results));
  return ExitCode::done;
}

std::string workload_list() {
  std::string text;
  for (const BenchWorkload& workload : bench_workloads()) {
    text += fmt::format("{}{} ({})", text.empty() ? "" : "; ", workload.name, workload.work);
  }
  return text;
}

std::vector<Candidate> complete_bench(const Unfinished& line) {
  std::vector<Candidate> found;
  for (const BenchWorkload& workload : bench_workloads())
    if (workload.name.starts_with(line.word)) found.push_back({workload.name, workload.work});
  return found;
}

}  // namespace

Verb bench_verb() {
  Verb verb;
  verb.name = "bench";
  verb.synopsis = "[WORKLOAD ...] [options]";
  verb.summary = "Measure how fast this machine does fixed work.";
  verb.details = "The workloads, all of them if none is named: " + workload_list() +
                 ". Times are medians; the peak is that of a large matrix product on as many "
                 "threads, measured in the same minute.";
  verb.options = {
      {"threads", 0, "N", "Size of the thread pool; default: the cores this process may use."},
      {"json", 0, "", "Print one JSON object, or a list of them for several workloads."},
      plugins_option()};
  verb.examples = {"assay bench gpt-char", "assay bench gpt-char sample --threads 1 --json"};
  verb.complete = complete_bench;
  verb.execute = execute_bench;
  return verb;
}

}  // namespace assay
