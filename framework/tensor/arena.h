// Memory for one pass: handed out in order, taken back all at once. After the first pass of a kind
// nothing is allocated any more. Not thread-safe: an arena belongs to one shard at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/api.h"

namespace assay {

class ASSAY_API Arena {
 public:
  Arena();
  ~Arena();
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  /// Uninitialised memory, aligned to 64 bytes, valid until reset().
  void* take(std::size_t bytes);
  float* floats(std::int64_t count) {
    return static_cast<float*>(take(static_cast<std::size_t>(count) * sizeof(float)));
  }
  /// Everything is free again; the blocks are kept (merged into one, so that the next pass is
  /// contiguous).
  void reset();
  std::size_t peak_bytes() const;

 private:
  struct Block;
  std::vector<Block> blocks_;
  std::size_t used_ = 0;  // of the last block
  std::size_t full_ = 0;  // in the blocks before it
  std::size_t peak_ = 0, total_ = 0;
};

}  // namespace assay
