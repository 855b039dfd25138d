// "1 row", "2 rows": for lines that say how much of something there is.
#pragma once

#include <cstddef>
#include <string>

namespace assay {

inline std::string counted(std::size_t count, const std::string& what) {
  return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

}  // namespace assay
