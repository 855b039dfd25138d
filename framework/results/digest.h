// One number that identifies weights: equal digests are equal bits, names and shapes.
#pragma once

#include <string>

#include "base/api.h"
#include "base/state.h"

namespace assay {

/// SHA-256 over every entry in the order of names: name, kind, extents, little-endian values, each
/// with its length before it.
ASSAY_API std::string digest(const State& state);

}  // namespace assay
