// Where a kernel writes a gradient, and whether it adds to what is there.
#pragma once

namespace assay {

struct Into {
  float* data = nullptr;    // null: not wanted
  bool accumulate = false;  // false: overwrite
};

}  // namespace assay
