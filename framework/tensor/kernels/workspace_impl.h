// What a Workspace holds; for kernels only.
#pragma once

#include <cstddef>
#include <memory>
#include <new>

#include "tensor/kernels/workspace.h"

namespace assay {

/// Memory that grows to the largest request and is then reused: each request invalidates the one
/// before.
class Scratch {
 public:
  Scratch() = default;
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  ~Scratch() { free(); }

  /// Uninitialised, aligned to 64 bytes.
  void* bytes(std::size_t count) {
    if (count > size_) {
      free();
      data_ = ::operator new (count, std::align_val_t{64});
      size_ = count;
    }
    return data_;
  }
  float* floats(std::size_t count) { return static_cast<float*>(bytes(count * sizeof(float))); }

 private:
  void free() {
    ::operator delete (data_, std::align_val_t{64});
    data_ = nullptr;
    size_ = 0;
  }
  void* data_ = nullptr;
  std::size_t size_ = 0;
};

class ProductCache;  // matmul.cpp

struct Workspace::Impl {
  Scratch scratch;
  std::shared_ptr<ProductCache> products;  // shared_ptr: destroyed by who made it, in matmul.cpp
};

}  // namespace assay
