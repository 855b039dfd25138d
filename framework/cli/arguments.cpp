#include "cli/arguments.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/program_options.hpp>
#include <charconv>
#include <utility>

#include "base/error.h"
#include "base/text.h"

namespace assay {
namespace {

namespace po = boost::program_options;

po::options_description description_of(const std::vector<OptionSpec>& specs) {
  po::options_description description;
  for (const OptionSpec& spec : specs) {
    const std::string names =
        spec.letter ? fmt::format("{},{}", spec.name, spec.letter) : spec.name;
    if (spec.value.empty()) {
      description.add_options()(names.c_str(), "");
    } else {
      description.add_options()(names.c_str(), po::value<std::string>(), "");
    }
  }
  return description;
}

[[noreturn]] void refuse_unknown(const std::string& verb, const std::vector<OptionSpec>& specs,
                                 const std::string& given) {
  std::vector<std::string> names;
  for (const OptionSpec& spec : specs) names.push_back("--" + spec.name);
  const std::size_t equals = given.find('=');
  const std::string name = given.substr(0, equals);
  std::string message = fmt::format("{}: unknown option {}", verb, quote(name));
  if (const auto near = near_match(name, names))
    message += fmt::format("; did you mean {}?", *near);
  throw Error(ExitCode::usage, message + fmt::format("\nSee: assay help {}", verb));
}

[[noreturn]] void refuse_syntax(const std::string& verb, const std::vector<OptionSpec>& specs,
                                const po::invalid_command_line_syntax& error) {
  const std::string name = error.get_option_name();
  std::string wrong = error.what();
  for (const OptionSpec& spec : specs) {
    if (name != "--" + spec.name && name != fmt::format("-{}", spec.letter)) continue;
    wrong = spec.value.empty() ? fmt::format("{}: takes no value", name)
                               : fmt::format("{}: its value {} is missing", name, spec.value);
  }
  throw Error(ExitCode::usage, fmt::format("{}: {}\nSee: assay help {}", verb, wrong, verb));
}

void check_choice(const std::string& verb, const OptionSpec& spec, const std::string& value) {
  const auto& choices = spec.choices;
  if (choices.empty() || std::find(choices.begin(), choices.end(), value) != choices.end()) return;
  const auto near = near_match(value, choices);
  throw Error(
      ExitCode::usage,
      fmt::format("{}: --{}: wanted {}, got {}{}", verb, spec.name, join(choices, "or"),
                  quote(value), near ? fmt::format("; did you mean {}?", *near) : std::string()));
}

}  // namespace

std::optional<std::string> Arguments::value(const std::string& name) const {
  const auto found = options.find(name);
  return found == options.end() ? std::nullopt : std::optional(found->second.back());
}

std::vector<std::string> Arguments::values(const std::string& name) const {
  const auto found = options.find(name);
  return found == options.end() ? std::vector<std::string>() : found->second;
}

int Arguments::count(const std::string& name, int otherwise) const {
  const std::optional<std::string> text = value(name);
  if (!text) return otherwise;
  int number = 0;
  const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), number);
  if (error != std::errc() || end != text->data() + text->size() || number < 1) {
    throw Error(ExitCode::usage, fmt::format("--{}: wanted a whole number of at least 1, got {}",
                                             name, quote(*text)));
  }
  return number;
}

std::vector<std::string> split_list(const std::string& text) {
  std::vector<std::string> parts;
  for (std::size_t start = 0; start <= text.size();) {
    const std::size_t comma = std::min(text.find(',', start), text.size());
    std::string part = text.substr(start, comma - start);
    part.erase(0, std::min(part.find_first_not_of(' '), part.size()));
    part.erase(part.find_last_not_of(' ') + 1);
    if (!part.empty()) parts.push_back(std::move(part));
    start = comma + 1;
  }
  return parts;
}

Arguments read_arguments(const std::string& verb, const std::vector<OptionSpec>& specs,
                         const std::vector<std::string>& command_line) {
  namespace style = po::command_line_style;
  const po::options_description description = description_of(specs);
  const int written = style::unix_style & ~style::allow_guessing;
  Arguments arguments;
  try {
    const po::parsed_options parsed =
        po::command_line_parser(command_line).options(description).style(written).run();
    for (const po::option& option : parsed.options) {
      if (option.position_key >= 0) {
        arguments.words.insert(arguments.words.end(), option.value.begin(), option.value.end());
      } else {
        arguments.options[option.string_key].push_back(option.value.empty() ? "" : option.value[0]);
      }
    }
  } catch (const po::unknown_option& error) {
    refuse_unknown(verb, specs, error.get_option_name());
  } catch (const po::invalid_command_line_syntax& error) {
    refuse_syntax(verb, specs, error);
  } catch (const po::error& error) {
    throw Error(ExitCode::usage,
                fmt::format("{}: {}\nSee: assay help {}", verb, error.what(), verb));
  }
  for (const OptionSpec& spec : specs) {
    const std::size_t given = arguments.values(spec.name).size();
    if (given > 1 && !spec.repeats) {
      throw Error(ExitCode::usage,
                  fmt::format("{}: --{} is given {} times", verb, spec.name, given));
    }
    for (const std::string& value : arguments.values(spec.name)) check_choice(verb, spec, value);
  }
  return arguments;
}

}  // namespace assay
