// The ids of one split, in memory, read as overlapping windows.
//
//   TokenStream stream(ids, "play.txt: the training split");
//   stream.windows(64);                        // ids - 64: window s has inputs s..s+63, targets
//   s+1..s+64 Batch batch = stream.batch(examples, {64, 0});
//
// Threads: const functions, any.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/api.h"
#include "interfaces/batch.h"
#include "interfaces/dataset.h"

namespace assay {

class ASSAY_API TokenStream {
 public:
  TokenStream() = default;
  /// name stands in messages.
  TokenStream(std::vector<std::int32_t> ids, std::string name);

  std::span<const std::int32_t> ids() const { return ids_; }
  std::int64_t size() const { return static_cast<std::int64_t>(ids_.size()); }
  /// Throws Error(data) naming the stream, its size and the context if there is not one.
  std::int64_t windows(std::int64_t context) const;

  /// input [B,N], target [B,N] (the first `skip` of a row are -1) and, where history is asked for,
  /// history [B,c]
  /// (-1 before the stream). Throws Error(data) for an example that there is not.
  Batch batch(std::span<const Example> examples, const Request& request) const;

  /// Windows that count each target once: N apart, the last one shifted to end with the stream. The
  /// first `history` targets are left out: they could not see as much as the others. Throws
  /// Error(data) if none is left.
  std::vector<Example> cover(const Request& request) const;

 private:
  std::vector<std::int32_t> ids_;
  std::string name_;
};

}  // namespace assay
