// assay plugins test: what a plugin of its kind must do, tried on this one.
#include <fmt/format.h>

#include <string>
#include <utility>

#include "base/text.h"
#include "cli/json.h"
#include "cli/plugin_verbs.h"
#include "cli/request.h"
#include "cli/terminal.h"
#include "contract/contract.h"
#include "plugin/catalogue.h"
#include "plugin/contained.h"
#include "plugin/elf_note.h"
#include "plugin/registry.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

constexpr const char* kPluginContractUsage =
    "usage: assay plugins test FILE.so|KIND NAME [KEY=VALUE ...] (assay plugins test model gpt "
    "layers=1)";

struct Tested {
  std::string kind, name;
  std::vector<fs::path> search;
  std::vector<std::string> settings;  // KEY=VALUE
  bool json = false;
};

/// A file is opened from its own folder, which comes first on the search path.
Tested of_file(const std::string& word) {
  const fs::path file = fs::absolute(word).lexically_normal();
  const NoteFacts note = read_plugin_note(file);
  if (!note.refused.empty())
    throw Error(ExitCode::plugin, fmt::format("{} {}", word, note.refused));
  const fs::path wanted = fs::path(folder_of_kind(note.kind)) / (note.name + ".so");
  if (file.parent_path().filename() / file.filename() != wanted)
    throw Error(ExitCode::plugin,
                fmt::format("{} says that it is {} '{}', but its path is not {}, by which an "
                            "experiment would find it",
                            word, note.kind, note.name, wanted.string()));
  return {note.kind, note.name, {file.parent_path().parent_path()}, {}, false};
}

Tested read_words(const Arguments& arguments) {
  const std::vector<std::string>& words = arguments.words;
  if (words.size() < 2 || is_setting(words[1])) throw Error(ExitCode::usage, kPluginContractUsage);
  Tested tested;
  std::size_t next = 2;
  if (words[1].ends_with(".so")) {
    tested = of_file(words[1]);
  } else {
    if (words.size() < 3 || is_setting(words[2]))
      throw Error(ExitCode::usage, kPluginContractUsage);
    tested = {words[1], words[2], {}, {}, false};
    next = 3;
  }
  const std::vector<fs::path> others = plugin_search(arguments);
  tested.search.insert(tested.search.end(), others.begin(), others.end());
  tested.json = arguments.has("json");
  tested.settings = read_settings("plugins test", arguments, next, kPluginContractUsage);
  return tested;
}

Value section_of(const Tested& tested) {
  const Location at = Location::of("plugins test");
  Problems problems;
  const Value section = plugin_section(tested.name, tested.settings, at, problems);
  problems.raise();
  return section;
}

void say(const Failures::Check& check, const Terminal& terminal) {
  if (check.group && check.failures.empty()) return;
  if (!check.skipped.empty())
    return write_out(fmt::format("  {}  {}: {}\n", styled(terminal, Style::dim, "skipped"),
                                 check.name, check.skipped));
  const std::string outcome = check.failures.empty() ? styled(terminal, Style::green, "passed ")
                                                     : styled(terminal, Style::red, "failed ");
  std::string text = fmt::format("  {}  {}\n", outcome, check.name);
  constexpr int kIndent = 11;
  for (const std::string& failure : check.failures)
    text += std::string(kIndent, ' ') +
            wrapped(printable(failure.starts_with(check.name + ": ")
                                  ? failure.substr(check.name.size() + 2)
                                  : failure),
                    std::min(terminal.width, 100) - kIndent, kIndent) +
            "\n";
  write_out(text);
}

Value check_json(const Failures::Check& check) {
  std::vector<Value> failures;
  for (const std::string& failure : check.failures) failures.push_back(json_text(failure));
  const char* outcome = !check.skipped.empty()   ? "skipped"
                        : check.failures.empty() ? "passed"
                                                 : "failed";
  return Value::map({{"name", json_text(check.name)},
                     {"outcome", json_text(outcome)},
                     {"skipped", check.skipped.empty() ? Value() : json_text(check.skipped)},
                     {"failures", Value::list(std::move(failures), {})}},
                    {});
}

Value suite_json(const PluginFacts& facts, const Failures& found) {
  std::vector<Value> checks;
  for (const Failures::Check& check : found.checks())
    if (!check.group || !check.failures.empty()) checks.push_back(check_json(check));
  return Value::map({{"kind", json_text(facts.kind)},
                     {"name", json_text(facts.name)},
                     {"version", json_text(facts.version)},
                     {"file", json_text(facts.file.string())},
                     {"passed", json_truth(found.empty())},
                     {"checks", Value::list(std::move(checks), {})}},
                    {});
}

ExitCode run_suite(const Tested& tested, const Value& section, const Said& said) {
  said("opening it");
  Registry registry(tested.search);
  Problems problems;
  const auto entry = registry.open(tested.kind, tested.name, section.at(), problems);
  problems.raise();
  const Terminal terminal = Terminal::of(stdout);
  std::string title =
      fmt::format("{} {}, {}\n", tested.kind, styled(terminal, Style::bold, tested.name),
                  entry->facts.file.string());
  const auto started = [&](const Failures::Check& check) {
    if (!tested.json) write_out(std::exchange(title, ""));  // not before the options were read
    said("the check '" + check.name + "'");
  };
  const auto ended = [&](const Failures::Check& check) {
    if (!tested.json) say(check, terminal);
  };
  const Failures found =
      check_plugin(registry, tested.kind, section, fs::current_path(), Failures({started, ended}));
  if (tested.json) {
    write_out(write_json(suite_json(entry->facts, found)));
    return found.empty() ? ExitCode::done : ExitCode::failed;
  }
  std::size_t made = 0, failed = 0;
  for (const Failures::Check& check : found.checks()) {
    made += check.skipped.empty() && !(check.group && check.failures.empty());
    failed += !check.failures.empty();
  }
  write_out(failed == 0 ? fmt::format("all {} checks passed\n", made)
                        : fmt::format("{} of {} checks failed\n", failed, made));
  return failed == 0 ? ExitCode::done : ExitCode::failed;
}

}  // namespace

ExitCode test_plugin(const Arguments& arguments) {
  const Tested tested = read_words(arguments);
  const Value section = section_of(tested);
  const Ending ending =
      run_contained([&](const Said& said) { return run_suite(tested, section, said); });
  if (!ending.finished)
    throw Error(ExitCode::plugin, fmt::format("{} '{}' cannot be used: it {} in {}", tested.kind,
                                              tested.name, ending.how, ending.during));
  if (!ending.thrown.empty()) throw Error(ending.code, ending.thrown);
  return ending.code;
}

}  // namespace assay
