// assay completion: a script for a shell, which asks the program itself what could come next.
#include <exception>
#include <utility>

#include "base/text.h"
#include "cli/completion.h"
#include "cli/terminal.h"
#include "cli/verb.h"

namespace assay {
namespace {

// Bash takes words apart at `=` and `:`: they are put together again, and what stands before the
// last such sign is taken off the candidates.
constexpr const char* kBash = R"(# Completion of assay for bash: source <(assay completion bash)
_assay() {
  local line=${COMP_LINE:0:COMP_POINT} rest=${COMP_LINE:0:COMP_POINT} word text i quoted
  local -a words=()
  for ((i = 0; i < ${#COMP_WORDS[@]} && i <= COMP_CWORD; ++i)); do
    word=${COMP_WORDS[i]}
    text=${rest#"${rest%%[![:space:]]*}"}
    if ((i > 0 && ${#text} == ${#rest})); then
      words[-1]+=${text:0:${#word}}
    else
      words+=("${text:0:${#word}}")
    fi
    rest=${text:${#word}}
  done
  local current=${words[-1]} space=1
  local behind=${current##*[=:]}
  local before=${current%"$behind"}
  COMPREPLY=()
  while IFS=$'\t' read -r word _; do
    case $word in *[=./]) space=0 ;; esac
    printf -v quoted %q "${word#"$before"}"
    COMPREPLY+=("$quoted")
  done < <("${words[0]/#\~\//$HOME/}" completion words -- "${words[@]:1}" 2>/dev/null)
  ((space)) || compopt -o nospace 2>/dev/null
}
complete -F _assay assay
)";

constexpr const char* kZsh = R"(#compdef assay
# Completion of assay for zsh: source <(assay completion zsh), behind compinit
_assay() {
  local line word help
  local -a more more_help whole whole_help
  while IFS=$'\t' read -r word help; do
    if [[ $word == *[=./] ]]; then
      more+=("$word") more_help+=("$word${help:+  -- $help}")
    else
      whole+=("$word") whole_help+=("$word${help:+  -- $help}")
    fi
  done < <(${(Q)words[1]} completion words -- "${(@Q)words[2,CURRENT]}" 2>/dev/null)
  compadd -S '' -l -d more_help -a more
  compadd -l -d whole_help -a whole
}
if [[ $funcstack[1] == _assay ]]; then _assay; else compdef _assay assay; fi
)";

constexpr const char* kFish = R"(# Completion of assay for fish: assay completion fish | source
function __assay_complete
    set -l before (commandline -opc)
    $before[1] completion words -- $before[2..-1] (commandline -ct) 2>/dev/null
end
complete -c assay -f -a '(__assay_complete)'
)";

constexpr std::pair<const char*, const char*> kScripts[] = {
    {"bash", kBash}, {"zsh", kZsh}, {"fish", kFish}};

std::vector<std::string> shells() {
  std::vector<std::string> names;
  for (const auto& [shell, script] : kScripts) names.emplace_back(shell);
  return names;
}

std::string first_line(const std::string& text) {
  std::string line = text.substr(0, text.find('\n'));
  for (char& c : line)
    if (c == '\t') c = ' ';
  return line;
}

// Nothing is said of what is wrong: it would stand in the line that is being written.
std::string candidate_lines(const std::vector<std::string>& words) {
  std::string lines;
  try {
    for (const Candidate& one : candidates(words))
      if (one.text.find_first_of("\n\t") == std::string::npos)
        lines += one.text + "\t" + first_line(one.help) + "\n";
  } catch (const std::exception&) {
  }
  return lines;
}

ExitCode execute_completion(const Arguments& arguments) {
  const std::vector<std::string>& words = arguments.words;
  if (!words.empty() && words[0] == "words") {
    write_out(candidate_lines({words.begin() + 1, words.end()}));
    return ExitCode::done;
  }
  for (const auto& [shell, script] : kScripts)
    if (words == std::vector<std::string>{shell}) {
      write_out(script);
      return ExitCode::done;
    }
  throw Error(ExitCode::usage, "completion: wanted the name of a shell: " + join(shells(), "or"));
}

std::vector<Candidate> complete_completion(const Unfinished& line) {
  std::vector<Candidate> found;
  if (line.before.words.empty())
    for (const std::string& shell : shells())
      if (shell.starts_with(line.word)) found.push_back({shell, ""});
  return found;
}

}  // namespace

Verb completion_verb() {
  Verb verb;
  verb.name = "completion";
  verb.synopsis = "bash|zsh|fish";
  verb.summary = "Print a script that completes command lines in a shell.";
  verb.details =
      "Verbs, options, files, keys of an experiment and of its plugins, choices, plugin names and "
      "groups. The script asks the program at each press of the key, so it knows your plugins and "
      "never grows old.";
  verb.examples = {"assay completion fish | source      # in ~/.config/fish/config.fish",
                   "source <(assay completion bash)     # in ~/.bashrc",
                   "source <(assay completion zsh)      # in ~/.zshrc, behind compinit"};
  verb.complete = complete_completion;
  verb.execute = execute_completion;
  return verb;
}

}  // namespace assay
