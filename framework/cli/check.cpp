#include <fmt/format.h>

#include "base/text.h"
#include "cli/request.h"
#include "cli/terminal.h"
#include "cli/verb.h"
#include "config/yaml.h"
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
    fact("parameters", human_count(check.cost.parameters));
    fact("work per step", check.counts ? "none: the model learns by counting"
                                       : fmt::format("{:.3g} GFLOP, forward and backward",
                                                     check.cost.flops_per_step / 1e9));
    fact("memory", human_bytes(check.cost.memory_bytes));
    if (!check.counts) {
      fact("time", "about " + human_duration(check.cost.seconds));
      fact("disk", "up to " + human_bytes(check.cost.disk_bytes));
    }
  }
  for (const std::string& expected : check.expects) fact("expects", printable(expected));
  for (const std::string& note : check.notes) fact("note", printable(note));
  text += "  configuration\n";
  const std::string config = write_yaml(check.config);
  std::string_view rest = config;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    text += "    " + printable(rest.substr(0, end)) + "\n";
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return text;
}

ExitCode execute_check(const Arguments& arguments) {
  const std::vector<RunCheck> checks = check_file(read_request("check", arguments));
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
      "Prints each run's resolved configuration, result file, parameter count, memory, work per "
      "step, "
      "and the time that the first steps foretell. Everything that is wrong is reported at once "
      "(exit "
      "code 2). assay run --dry-run has a line for each run, and sums.";
  verb.options = machine_options();
  verb.examples = {"assay check experiments/quickstart.yaml",
                   "assay check experiments/shakespeare/gpt.yaml model.width=128"};
  verb.complete = complete_experiment;
  verb.execute = execute_check;
  return verb;
}

}  // namespace assay
