#include "tensor/kernels/workspace.h"

#include "tensor/kernels/workspace_impl.h"

namespace assay {

Workspace::Workspace() : impl_(std::make_unique<Impl>()) {}
Workspace::~Workspace() = default;

std::size_t Workspace::peak_bytes() const {
  std::size_t bytes = impl_->scratch.size() + impl_->library.scratch_bytes();
  for (const auto& scratch : impl_->task_scratch.all()) bytes += scratch->size();
  return bytes;
}

}  // namespace assay
