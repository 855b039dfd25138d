// What a Workspace holds; for kernels only.
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <new>
#include <vector>

#include "base/prefault.h"
#include "tensor/kernels/library_products.h"
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
      prefault(data_, count);
    }
    return data_;
  }
  std::size_t size() const { return size_; }
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

/// Things of which each task needs one while it runs; as many are made as tasks ever ran at once.
/// Thread-safe.
template <class T>
class Pooled {
 public:
  /// A free one, or make() where there is none: a std::unique_ptr<T>.
  template <class Make>
  T& take(const Make& make) {
    std::lock_guard lock(mutex_);
    if (free_.empty()) {
      all_.push_back(make());
      free_.reserve(all_.size());  // so that giving back cannot fail
      return *all_.back();
    }
    T* one = free_.back();
    free_.pop_back();
    return *one;
  }
  void give_back(T& one) {
    std::lock_guard lock(mutex_);
    free_.push_back(&one);
  }
  /// All that were made.
  const std::vector<std::unique_ptr<T>>& all() const { return all_; }

 private:
  std::mutex mutex_;
  std::vector<std::unique_ptr<T>> all_;
  std::vector<T*> free_;
};

struct Workspace::Impl {
  Scratch scratch;               // of the thread that uses the workspace
  Pooled<Scratch> task_scratch;  // of tasks that it starts
  LibraryProducts library;
};

/// Scratch memory for the life of a task.
class ScratchLease {
 public:
  explicit ScratchLease(Workspace::Impl& workspace)
      : pool_(workspace.task_scratch),
        scratch_(pool_.take([] { return std::make_unique<Scratch>(); })) {}
  ~ScratchLease() { pool_.give_back(scratch_); }
  ScratchLease(const ScratchLease&) = delete;
  ScratchLease& operator=(const ScratchLease&) = delete;
  Scratch& operator*() const { return scratch_; }
  Scratch* operator->() const { return &scratch_; }

 private:
  Pooled<Scratch>& pool_;
  Scratch& scratch_;
};

}  // namespace assay
