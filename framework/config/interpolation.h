// References in the text of values.
//
//   width: 64
//   run:  "w${model.width}"          another value of the configuration, by its whole path
//   data: ${env:DATA}/play.txt       an environment variable; ${env:DATA,data} has a default
//   cost: "$${5}"                    a plain ${5}
//
// A text that is one reference and nothing else becomes the value itself, with its type, be it a
// list or a map; otherwise it stays text (and, where it was not quoted, may be a number).
// References are resolved when defaults, file and command line are composed, in each run of a sweep
// anew.
#pragma once

#include <vector>

#include "base/api.h"
#include "config/problems.h"
#include "config/value.h"

namespace assay {

/// root without references. What refers to nothing or to itself is a problem, and stays; its places
/// are added to `left`, so that nobody complains about such text a second time.
ASSAY_API Value interpolate(const Value& root, Problems& problems, std::vector<Location>& left);

/// The same where only the environment can be referred to: the list of defaults.
ASSAY_API Value interpolate_environment(const Value& value, Problems& problems);

/// value with `${` written so that interpolate gives it back: as `$${`.
ASSAY_API Value without_references(const Value& value);

}  // namespace assay
