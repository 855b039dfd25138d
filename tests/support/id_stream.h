// All windows of a few ids as one batch, for models that count.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "data/token_stream.h"
#include "interfaces/model.h"

namespace assay {

class IdStream : public BatchStream {
 public:
  IdStream(std::vector<std::int32_t> ids, Request request)
      : ids_(std::move(ids), "test"), request_(request) {}
  void rewind() override { done_ = false; }
  std::optional<Batch> next() override {
    if (std::exchange(done_, true)) return std::nullopt;
    return ids_.batch(ids_.cover(request_), request_);
  }

 private:
  TokenStream ids_;
  Request request_;
  bool done_ = false;
};

}  // namespace assay
