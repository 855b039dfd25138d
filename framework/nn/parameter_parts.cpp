#include "nn/parameter_parts.h"

#include <algorithm>

#include "base/parallel.h"

namespace assay {

namespace {
constexpr std::size_t kPart = std::size_t{1} << 15;
// Below this many numbers handing out tasks costs more than the threads gain.
constexpr std::int64_t kLarge = std::int64_t{1} << 19;
}  // namespace

ParameterParts::ParameterParts(const Parameters& parameters) : parameters_(&parameters) {
  for (std::int32_t i = 0; i < parameters.size(); ++i) {
    const ParameterInfo& info = parameters.info({i});
    const auto size = static_cast<std::size_t>(info.shape.elements());
    for (std::size_t done = 0; done < size; done += kPart)
      parts_.push_back(
          {{i}, static_cast<std::size_t>(info.offset) + done, std::min(kPart, size - done)});
  }
}

void ParameterParts::for_each(FunctionRef<void(const ParameterPart&)> body) const {
  const auto one = [&](std::int64_t i) {
    const ParameterPart& part = parts_[static_cast<std::size_t>(i)];
    if (parameters_->info(part.id).trainable) body(part);
  };
  const auto count = static_cast<std::int64_t>(parts_.size());
  if (parameters_->buffer_size() >= kLarge) return parallel_for(count, one);
  for (std::int64_t i = 0; i < count; ++i) one(i);
}

}  // namespace assay
