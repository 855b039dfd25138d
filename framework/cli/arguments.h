// The command line of one verb: positional words and options, misspelt ones refused with a near
// match.
//
//   Arguments arguments = read_arguments("run", {{"threads", 0, "N", "..."}}, {"gpt.yaml",
//   "seed=1,2", "--threads", "2"}); arguments.words                     // {"gpt.yaml", "seed=1,2"}
//   arguments.count("threads", 0)       // 2
//
// Errors: Error(usage).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace assay {

struct OptionSpec {
  std::string name;   // without dashes
  char letter = 0;    // its short form; 0: none
  std::string value;  // what its value is, as help shows it ("FILE"); empty: a switch
  std::string help;
  bool repeats = false;                   // may be given several times
  std::vector<std::string> choices = {};  // of the value; empty: any
  std::string kind = {};                  // the value names a plugin of this kind
};

class Arguments {
 public:
  std::vector<std::string> words;
  std::map<std::string, std::vector<std::string>> options;  // a switch has one empty value

  bool has(const std::string& name) const { return options.count(name) > 0; }
  std::optional<std::string> value(const std::string& name) const;
  std::vector<std::string> values(const std::string& name) const;
  /// A whole number of at least 1, or `otherwise` if the option is not given.
  int count(const std::string& name, int otherwise) const;
};

/// What stands between commas, without the spaces around it; empty parts are left out.
std::vector<std::string> split_list(const std::string& text);

Arguments read_arguments(const std::string& verb, const std::vector<OptionSpec>& specs,
                         const std::vector<std::string>& command_line);

}  // namespace assay
