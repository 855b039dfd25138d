// What the kernels of one tape keep between calls so that a call allocates nothing: handles of the
// matrix library and scratch memory. One thread uses a workspace at a time.
#pragma once

#include <cstddef>
#include <memory>

#include "base/api.h"

namespace assay {

class ASSAY_API Workspace {
 public:
  Workspace();
  ~Workspace();
  Workspace(const Workspace&) = delete;
  Workspace& operator=(const Workspace&) = delete;

  /// Scratch memory that calls have taken so far; it only grows. REQUIRES that none runs.
  std::size_t peak_bytes() const;

  struct Impl;
  Impl& impl() { return *impl_; }

 private:
  std::unique_ptr<Impl> impl_;
};

}  // namespace assay
