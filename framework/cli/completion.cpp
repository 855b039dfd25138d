#include "cli/completion.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <set>
#include <system_error>
#include <utility>

#include "cli/program.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

std::vector<Candidate> starting_with(const std::string& word, std::vector<Candidate> all) {
  std::erase_if(all, [&](const Candidate& one) { return !one.text.starts_with(word); });
  return all;
}

// What a path may go on with: its folder's entries, hidden ones only where a dot was written.
std::vector<Candidate> entries_of(const std::string& word,
                                  const std::function<bool(const fs::path&)>& is_wanted) {
  const std::size_t slash = word.rfind('/');
  const std::string written = slash == std::string::npos ? "" : word.substr(0, slash + 1);
  const std::string start = word.substr(written.size());
  fs::path folder = written.empty() ? fs::path(".") : fs::path(written);
  if (const char* home = std::getenv("HOME"); home && written.starts_with("~/"))
    folder = fs::path(home) / written.substr(2);
  std::vector<Candidate> found;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    const std::string name = it->path().filename().string();
    if (!name.starts_with(start) || (name[0] == '.' && start.empty())) continue;
    std::error_code ignored;
    if (it->is_directory(ignored))
      found.push_back({written + name + "/", ""});
    else if (is_wanted(it->path()))
      found.push_back({written + name, ""});
  }
  std::sort(found.begin(), found.end(),
            [](const Candidate& a, const Candidate& b) { return a.text < b.text; });
  return found;
}

const OptionSpec* find_option(const std::vector<OptionSpec>& specs, const std::string& word) {
  for (const OptionSpec& spec : specs)
    if (word == "--" + spec.name || (spec.letter && word == std::string("-") + spec.letter))
      return &spec;
  return nullptr;
}

// The words behind a verb, as far as they make sense.
struct Line {
  Unfinished unfinished;
  const OptionSpec* open = nullptr;  // the option whose value is being written
};

Line read_line(const std::vector<OptionSpec>& specs, const std::vector<std::string>& words) {
  Line line;
  for (std::size_t i = 0; i + 1 < words.size(); ++i) {
    const std::size_t equals = words[i].starts_with("--") ? words[i].find('=') : std::string::npos;
    const OptionSpec* spec = find_option(specs, words[i].substr(0, equals));
    auto& options = line.unfinished.before.options;
    if (!spec) {
      if (!words[i].starts_with("-")) line.unfinished.before.words.push_back(words[i]);
    } else if (spec->value.empty()) {
      options[spec->name].emplace_back();
    } else if (equals != std::string::npos) {
      options[spec->name].push_back(words[i].substr(equals + 1));
    } else if (i + 2 == words.size()) {
      line.open = spec;
    } else {
      options[spec->name].push_back(words[++i]);
    }
  }
  line.unfinished.word = words.back();
  return line;
}

std::vector<Candidate> option_names(const std::vector<OptionSpec>& specs, const Unfinished& line) {
  std::vector<Candidate> names;
  for (const OptionSpec& spec : specs)
    if (spec.repeats || !line.before.has(spec.name)) names.push_back({"--" + spec.name, spec.help});
  return starting_with(line.word, std::move(names));
}

std::vector<Candidate> option_values(const OptionSpec& spec, const Unfinished& line) {
  std::vector<Candidate> values;
  for (const std::string& choice : spec.choices) values.push_back({choice, ""});
  if (!values.empty()) return starting_with(line.word, std::move(values));
  if (!spec.kind.empty()) return complete_plugins(line, spec.kind);
  if (spec.value == "FILE") return files_of(line.word, {});
  if (spec.value == "RESULT") return files_of(line.word, {".h5"});
  if (spec.value == "DIR") return folders_of(line.word);
  if (spec.value == "KEY") return complete_keys(line);
  return {};
}

std::vector<Candidate> after_verb(const Verb& verb, const std::vector<std::string>& words) {
  const std::vector<OptionSpec> specs = all_options(verb);
  Line line = read_line(specs, words);
  if (line.open) return option_values(*line.open, line.unfinished);
  std::string& word = line.unfinished.word;
  if (word.starts_with("--") && word.find('=') != std::string::npos) {
    const std::string name = word.substr(0, word.find('='));
    const OptionSpec* spec = find_option(specs, name);
    if (!spec || spec->value.empty()) return {};
    word = word.substr(name.size() + 1);
    std::vector<Candidate> values = option_values(*spec, line.unfinished);
    for (Candidate& value : values) value.text = name + "=" + value.text;
    return values;
  }
  if (word.starts_with("-")) return option_names(specs, line.unfinished);
  return verb.complete ? verb.complete(line.unfinished) : std::vector<Candidate>();
}

}  // namespace

std::vector<Candidate> files_of(const std::string& word, const std::vector<std::string>& endings) {
  return entries_of(word, [&](const fs::path& file) {
    return endings.empty() ||
           std::find(endings.begin(), endings.end(), file.extension()) != endings.end();
  });
}

std::vector<Candidate> folders_of(const std::string& word) {
  return entries_of(word, [](const fs::path&) { return false; });
}

std::vector<Candidate> complete_results(const Unfinished& line) {
  return files_of(line.word, {".h5"});
}

std::vector<Candidate> complete_files(const Unfinished& line) {
  return files_of(line.word, {});
}

std::vector<Candidate> candidates(const std::vector<std::string>& words) {
  if (words.empty()) return {};
  std::vector<Candidate> names;
  for (const Verb& verb : verbs()) {
    if (words.size() > 1 && verb.name == words[0])
      return after_verb(verb, {words.begin() + 1, words.end()});
    names.push_back({verb.name, verb.summary});
  }
  if (words.size() > 1) return {};
  for (const OptionSpec& spec : program_options()) names.push_back({"--" + spec.name, spec.help});
  if (!words[0].starts_with("-"))
    std::erase_if(names, [](const Candidate& one) { return one.text.starts_with("-"); });
  return starting_with(words[0], std::move(names));
}

}  // namespace assay
