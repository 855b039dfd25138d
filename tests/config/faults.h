// What is wrong with a YAML text.
#pragma once

#include <string>
#include <string_view>

#include "config/yaml.h"
#include "support/trees.h"

namespace assay {

inline std::string fault(std::string_view text) {
  return error_of([&] { read_yaml(text, "f.yaml"); });
}

}  // namespace assay
