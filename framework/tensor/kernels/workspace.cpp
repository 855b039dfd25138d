#include "tensor/kernels/workspace.h"

#include "tensor/kernels/workspace_impl.h"

namespace assay {

Workspace::Workspace() : impl_(std::make_unique<Impl>()) {}
Workspace::~Workspace() = default;

}  // namespace assay
