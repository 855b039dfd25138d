// Settings from the command line.
//
//   model.width=64            sets; maps merge, as those of a file above the others do
//   tags.0=fast               an item of a list
//   seed=1,2,3                several values make several runs: commas outside quotes and brackets
//   +model.window=8           adds what is not there yet; +tags.2=slow one item to a list of two
//   ++model={type: ngram}     replaces what is there as a whole
//   ~model.dropout            deletes
//   model:={"width": 64}      strict JSON, for shells and programs that quote badly
//
// Values are YAML and are typed and checked as those of a file.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/api.h"
#include "config/problems.h"
#include "config/value.h"

namespace assay {

struct Override {
  enum class Kind { set, add, replace, remove };
  Kind kind = Kind::set;
  std::string path;                // "model.width"
  std::vector<Value> choices;      // one (null to remove), or several
  std::vector<std::string> names;  // of the choices where they are a group's; else empty
  std::string argument;            // as given
  Location path_at;  // of its first character in the argument; null: not of an argument
};

/// Reads one argument: the path ends at the first `=`; values have the places of the argument. Adds
/// to problems and returns an override without choices if it is malformed.
ASSAY_API Override read_override(std::string_view argument, Problems& problems);

/// base with one of the choices at the path; missing maps on the way are made. A list item is named
/// by its index. Another `type` replaces the section's other keys. null removes.
ASSAY_API Value apply_override(const Value& base, const Override& change, const Value& choice,
                               Problems& problems);

}  // namespace assay
