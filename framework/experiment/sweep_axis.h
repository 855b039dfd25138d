// One way to choose in a sweep: several settings of which each run gets one.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "config/overrides.h"
#include "config/problems.h"
#include "config/value.h"

namespace assay {

struct Choice {
  std::function<Value(const Value&, Problems&)> set;
  std::string label;          // "width=64"; may be empty
  std::vector<Value> layers;  // the settings, each as a configuration
};
using Axis = std::vector<Choice>;

/// Maps of settings, keys dotted or nested: each choice is one of them, merged over the rest.
Axis list_axis(const std::string& path, const Value& list, Problems& problems);
/// The choices of one setting.
Axis value_axis(const Override& change);
/// Those of several axes of equal length in step: the first with the first, and so on.
Axis zip_axes(const std::vector<Axis>& axes);

/// "gpt_seed=1" of "gpt" and "seed=1"; either may be empty.
std::string joined_label(const std::string& first, const std::string& second);

}  // namespace assay
