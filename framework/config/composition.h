// One configuration from several files: the list `defaults:` of a file names others that stand
// below it.
//
//   defaults:                          # the parts, from the lowest up; then this file; then the
//     - base.yaml                      # command line
//     - {model: gpt-small}             # a group: model/gpt-small.yaml becomes the section model
//   model: {dropout: 0.1}              # maps merge, lists replace, another type replaces a section
//
// A name in place of a section is the same as a group there, above the other defaults: `model:
// gpt-small`. A file is relative to the file that names it, else it is on the search path, where
// groups are. Parts may have defaults of their own; those of a group's file stand in the group's
// section.
#pragma once

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/api.h"
#include "config/overrides.h"
#include "config/problems.h"
#include "config/search_path.h"
#include "config/value.h"

namespace assay {

/// A file with what it names.
struct ConfigPart {
  std::string title;              // how it was named: "base.yaml", "model: gpt-small"
  std::filesystem::path file;     // where it was found
  Value own;                      // what it says itself, as a whole configuration; null: nothing
  std::vector<ConfigPart> below;  // its defaults, in order
};

class ASSAY_API Composer {
 public:
  /// sections: of a whole configuration ("model"), in whose place a name is a group.
  explicit Composer(SearchPath path, std::set<std::string> sections)
      : path_(std::move(path)), sections_(std::move(sections)) {}

  /// Reads a file and all that it names, but no group in `left_out` ("model"): those the command
  /// line chooses. Adds problems; throws Error(usage) where a file cannot be read at all.
  ConfigPart read(const std::filesystem::path& file, const std::set<std::string>& left_out,
                  Problems& problems);

  /// Whether the group has this choice: model/gpt-small.yaml for "model" and "gpt-small".
  /// first: looked into before the search path; empty: none.
  bool has_choice(const std::string& group, const std::string& choice,
                  const std::filesystem::path& first = {}) const;
  /// The choice as a part; a problem at `at`, with near names, if there is none.
  ConfigPart choose(const std::string& group, const std::string& choice, const Location& at,
                    Problems& problems);

  /// Names of choices in place of sections: what `model=gpt-small` stands for, where there is such
  /// a file, or (a problem if there is none) where the path is a section.
  Override with_groups(Override change, Problems& problems);

  /// Whether something that was named is not there: what follows would be about that.
  bool incomplete() const { return incomplete_; }
  const SearchPath& search_path() const { return path_; }

 private:
  struct Reading;
  const Value& content(const std::filesystem::path& file, Problems& problems);
  SearchPath path_;
  std::set<std::string> sections_;
  bool incomplete_ = false;
  std::map<std::filesystem::path, Value> known_;  // files that were read, without their problems
};

/// The parts merged: what stands below first, the file itself last.
ASSAY_API Value merged(const ConfigPart& part);
/// What each part says itself, in the order in which they are applied.
ASSAY_API std::vector<const ConfigPart*> parts_in_order(const ConfigPart& part);

}  // namespace assay
