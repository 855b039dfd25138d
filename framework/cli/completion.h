// What could stand at the end of a command line: what `assay completion words` prints for shells.
//
//   candidates({"run", "gpt.yaml", "model.w"})   // {"model.width=", "Width D of the ..."}
//
// It comes from the verbs, their options, and the options of experiments and plugins themselves.
// What is wrong with the line before its end is no error here.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "cli/arguments.h"

namespace assay {

struct Candidate {
  std::string text;  // the whole word; more follows where it ends in "=", "." or "/"
  std::string help;
};

/// A command line up to the word that is being written.
struct Unfinished {
  Arguments before;  // what stands behind the verb
  std::string word;
};
using Complete = std::function<std::vector<Candidate>(const Unfinished&)>;

/// words: those behind the program's name; the last one is being written, and may be empty.
std::vector<Candidate> candidates(const std::vector<std::string>& words);

/// Files whose names end so (any, if endings is empty), and folders, by the path written so far.
std::vector<Candidate> files_of(const std::string& word, const std::vector<std::string>& endings);
std::vector<Candidate> folders_of(const std::string& word);

/// Of verbs: an experiment, then its settings; result files and folders; any files.
std::vector<Candidate> complete_experiment(const Unfinished& line);
std::vector<Candidate> complete_results(const Unfinished& line);
std::vector<Candidate> complete_files(const Unfinished& line);
/// Keys of the experiment on the line, sections too.
std::vector<Candidate> complete_keys(const Unfinished& line);
/// Plugins of a kind, by name.
std::vector<Candidate> complete_plugins(const Unfinished& line, const std::string& kind);
/// KEY=VALUE of one plugin.
std::vector<Candidate> complete_plugin_settings(const Unfinished& line, const std::string& kind,
                                                const std::string& name);

}  // namespace assay
