#include "data/cover_stream.h"

#include <algorithm>

namespace assay {

CoverStream::CoverStream(const Dataset& dataset, Split split, const Request& request,
                         std::int64_t rows)
    : dataset_(dataset),
      split_(split),
      request_(request),
      rows_(static_cast<std::size_t>(rows)),
      examples_(dataset.cover(split, request)) {}

void CoverStream::rewind() {
  next_ = 0;
}

std::optional<Batch> CoverStream::next() {
  if (next_ == examples_.size()) return std::nullopt;
  const std::size_t count = std::min(rows_, examples_.size() - next_);
  const std::span<const Example> part = std::span(examples_).subspan(next_, count);
  next_ += count;
  return dataset_.batch(split_, part, request_);
}

}  // namespace assay
