// Matrix products by oneDNN's matmul primitive, on the calling thread. The only place that includes
// oneDNN, but for target.cpp (through onednn.h).
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>

#include "tensor/kernels/matmul.h"

namespace assay {

/// Keeps the primitives that were made, by shape. Several threads may call at once.
class LibraryProducts {
 public:
  LibraryProducts();
  ~LibraryProducts();
  LibraryProducts(const LibraryProducts&) = delete;
  LibraryProducts& operator=(const LibraryProducts&) = delete;

  /// One product: batch is not looked at. REQUIRES m, n, k >= 1.
  void run(const Matmul& product);
  /// Scratch memory of all primitives. REQUIRES that no product runs.
  std::size_t scratch_bytes() const;

 private:
  class Impl;
  std::once_flag made_;
  std::unique_ptr<Impl> impl_;  // made by the first product: most workspaces never need one
};

}  // namespace assay
