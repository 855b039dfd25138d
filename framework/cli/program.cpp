#include "cli/program.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "base/version.h"
#include "cli/terminal.h"

namespace assay {
namespace {

constexpr int kHelpWidth = 80;

std::string option_syntax(const OptionSpec& spec) {
  std::string text = spec.letter ? fmt::format("-{}, ", spec.letter) : "    ";
  text += "--" + spec.name;
  return spec.value.empty() ? text : text + " " + spec.value;
}

std::string terms(const std::vector<std::pair<std::string, std::string>>& entries) {
  std::size_t widest = 0;
  for (const auto& [term, meaning] : entries) widest = std::max(widest, term.size());
  std::string text;
  for (const auto& [term, meaning] : entries) {
    const std::string head = fmt::format("  {:<{}}  ", term, widest);
    text += head +
            wrapped(meaning, kHelpWidth - static_cast<int>(head.size()),
                    static_cast<int>(head.size())) +
            "\n";
  }
  return text;
}

// Made by name: a run that starts need not make the texts of all.
constexpr std::pair<std::string_view, Verb (*)()> kVerbs[] = {{"run", run_verb},
                                                              {"resume", resume_verb},
                                                              {"rerun", rerun_verb},
                                                              {"status", status_verb},
                                                              {"retry", retry_verb},
                                                              {"check", check_verb},
                                                              {"config", config_verb},
                                                              {"schema", schema_verb},
                                                              {"show", show_verb},
                                                              {"compare", compare_verb},
                                                              {"diff", diff_verb},
                                                              {"ls", ls_verb},
                                                              {"fit", fit_verb},
                                                              {"export", export_verb},
                                                              {"verify", verify_verb},
                                                              {"recover", recover_verb},
                                                              {"unpack", unpack_verb},
                                                              {"rm", rm_verb},
                                                              {"sample", sample_verb},
                                                              {"attention", attention_verb},
                                                              {"merge", merge_verb},
                                                              {"plugins", plugins_verb},
                                                              {"bench", bench_verb},
                                                              {"tokenize", tokenize_verb},
                                                              {"neighbours", neighbours_verb},
                                                              {"completion", completion_verb},
                                                              {"help", help_verb}};

const OptionSpec kHelpOption = {"help", 'h', "", "Print this and end."};

}  // namespace

std::vector<Verb> verbs() {
  std::vector<Verb> all;
  for (const auto& [name, make] : kVerbs) all.push_back(make());
  return all;
}

std::vector<OptionSpec> all_options(const Verb& verb) {
  std::vector<OptionSpec> specs = verb.options;
  specs.push_back(kHelpOption);
  return specs;
}

std::vector<OptionSpec> program_options() {
  return {kHelpOption, {"version", 0, "", "Print the version and end."}};
}

Verb find_verb(const std::string& name) {
  std::vector<std::string> names;
  for (const auto& [known, make] : kVerbs) {
    if (known == name) return make();
    names.emplace_back(known);
  }
  std::string message = fmt::format("unknown verb {}", quote(name));
  if (const auto near = near_match(name, names)) {
    message += fmt::format("; did you mean {}?", *near);
  } else if (name.ends_with(".yaml") || name.ends_with(".yml")) {
    message += fmt::format("; did you mean: assay run {}?", name);
  } else {
    message += fmt::format("; the verbs are {}", join(names));
  }
  throw Error(ExitCode::usage, message);
}

std::string program_help() {
  std::vector<std::pair<std::string, std::string>> entries;
  for (const Verb& verb : verbs()) entries.emplace_back(verb.name, verb.summary);
  return "Assay: transformer experiments, described in YAML.\n\n"
         "Usage: assay VERB [arguments]\n\nVerbs:\n" +
         terms(entries) +
         "\nassay help VERB explains one. assay --version prints the version.\n\n"
         "Exit codes: 0 done; 1 a run failed or an expectation was missed, compare\n"
         "--fail-if failed, rerun gave other bits, or a check of plugins test failed;\n"
         "2 command line or configuration; 3 plugin; 4 some runs failed; 5 data or result\n"
         "file; 75 stopped by a signal.\n";
}

std::string verb_help(const Verb& verb) {
  std::string text =
      fmt::format("{}\n\nUsage: assay {} {}\n", verb.summary, verb.name, verb.synopsis);
  if (!verb.details.empty()) text += "\n" + wrapped(verb.details, kHelpWidth, 0) + "\n";
  std::vector<std::pair<std::string, std::string>> entries;
  for (const OptionSpec& spec : all_options(verb))
    entries.emplace_back(option_syntax(spec), spec.help);
  text += "\nOptions:\n" + terms(entries);
  if (!verb.examples.empty()) text += "\nExamples:\n";
  for (const std::string& example : verb.examples) text += "  " + example + "\n";
  return text;
}

ExitCode run_program(const std::vector<std::string>& words) {
  if (words.empty()) {
    write_err(program_help());
    return ExitCode::usage;
  }
  if (words[0] == "--help" || words[0] == "-h") {
    write_out(program_help());
    return ExitCode::done;
  }
  if (words[0] == "--version") {
    write_out(fmt::format("assay {}\n", version()));
    return ExitCode::done;
  }
  const Verb verb = find_verb(words[0]);
  const Arguments arguments =
      read_arguments(verb.name, all_options(verb), {words.begin() + 1, words.end()});
  if (arguments.has("help")) {
    write_out(verb_help(verb));
    return ExitCode::done;
  }
  return verb.execute(arguments);
}

}  // namespace assay
