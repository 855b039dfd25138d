#include <fmt/format.h>

#include "base/text.h"
#include "cli/request.h"
#include "cli/terminal.h"
#include "cli/verb.h"
#include "experiment/collection.h"
#include "experiment/experiment.h"

namespace assay {
namespace {

std::string check_text(const RunCheck& check, const Terminal& terminal) {
  std::string text = styled(terminal, Style::bold, check.run) + "\n";
  const auto fact = [&](const char* name, const std::string& value) {
    text += fmt::format("  {:<15} {}\n", name, value);
  };
  fact("result file", check.file);
  if (check.probe) {
    fact("work per step", "none: a probe measures, and trains nothing");
  } else {
    fact("parameters", human_count(check.parameters));
    fact("work per step",
         check.flops_per_step > 0
             ? fmt::format("{:.3g} GFLOP, forward and backward", check.flops_per_step / 1e9)
             : "none: the model learns by counting");
    fact("memory", human_bytes(check.memory_bytes));
  }
  for (const std::string& expected : check.expects) fact("expects", printable(expected));
  for (const std::string& note : check.notes) fact("note", printable(note));
  text += "  configuration\n";
  std::string_view rest = check.config;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    text += "    " + printable(rest.substr(0, end)) + "\n";
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return text;
}

ExitCode execute(const Arguments& arguments) {
  const ExperimentRequest request = read_request("check", arguments);
  std::vector<RunCheck> checks;
  if (const auto entries = read_collection(request)) {
    for (const CollectionEntry& entry : *entries)
      for (RunCheck& check : check_experiment(entry.request)) checks.push_back(std::move(check));
  } else {
    checks = check_experiment(request);
  }
  const Terminal terminal = Terminal::of(stdout);
  std::string text;
  for (const RunCheck& check : checks) text += check_text(check, terminal) + "\n";
  text += fmt::format("{} run{}, no problems\n", checks.size(), checks.size() == 1 ? "" : "s");
  write_out(text);
  return ExitCode::done;
}

}  // namespace

Verb check_verb() {
  Verb verb;
  verb.name = "check";
  verb.synopsis = "FILE [KEY=VALUE ...] [options]";
  verb.summary = "Check an experiment without running it, and say what it would cost.";
  verb.details =
      "Prints each run's resolved configuration, result file, parameter count, memory and work per "
      "step. Everything that is wrong is reported at once (exit code 2).";
  verb.options = machine_options();
  verb.examples = {"assay check experiments/quickstart.yaml",
                   "assay check experiments/shakespeare/gpt.yaml model.width=128"};
  verb.execute = execute;
  return verb;
}

}  // namespace assay
