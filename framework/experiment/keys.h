// Every key that an experiment can have, for who writes one: the options of its sections, and those
// of the plugins that it names.
#pragma once

#include <string>
#include <vector>

#include "base/api.h"
#include "config/options.h"
#include "config/value.h"
#include "plugin/registry.h"

namespace assay {

struct KnownKey {
  std::string path;  // "model.width", "samples.sampler.type"
  OptionInfo info;   // of a `type`: a text whose choices are the plugins of its kind
};

/// config: the experiment as far as it is written; sections whose `type` it does not say have no
/// more keys than that.
ASSAY_API std::vector<KnownKey> known_keys(const Value& config, Registry& registry);

}  // namespace assay
