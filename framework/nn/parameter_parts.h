// All parameters cut into parts for loops over them, such as an optimizer's:
//
//   ParameterParts parts(parameters);
//   parts.for_each([&](const ParameterPart& part) { add_scaled(part.of(weights), -rate,
//   part.of(gradient)); });
//
// Parts have at most a fixed size, so that large models use all threads, and their results do not
// depend on how many. Parameters that are not trainable at the time of the loop are left out.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "base/api.h"
#include "base/function_ref.h"
#include "nn/parameters.h"

namespace assay {

/// A stretch of one parameter within buffers that are laid out like Parameters::buffer().
struct ParameterPart {
  ParameterId id;
  std::size_t begin = 0, size = 0;
  template <class T>
  std::span<T> of(std::span<T> buffer) const {
    return buffer.subspan(begin, size);
  }
};

class ASSAY_API ParameterParts {
 public:
  /// parameters outlive this; none is added afterwards.
  explicit ParameterParts(const Parameters& parameters);
  /// body must touch its part only: large models run it for several parts at once.
  void for_each(FunctionRef<void(const ParameterPart&)> body) const;

 private:
  const Parameters* parameters_;
  std::vector<ParameterPart> parts_;
};

}  // namespace assay
