#include "tensor/kernels/matmul.h"

#include <algorithm>
#include <cassert>
#include <span>

#include "base/parallel.h"
#include "tensor/kernels/activations.h"
#include "tensor/kernels/product_kernel.h"
#include "tensor/kernels/workspace_impl.h"

namespace assay {
namespace {

struct Strides {
  std::int64_t lda, ldb, ldc;
};
Strides strides_of(const Matmul& p) {
  return {p.lda ? p.lda : (p.transpose_a ? p.m : p.k), p.ldb ? p.ldb : (p.transpose_b ? p.k : p.n),
          p.ldc ? p.ldc : p.n};
}

// Tiles of c: work that is worth a task, whatever the machine.
constexpr double kParallelFrom = 64e6;  // floating-point operations
constexpr std::int64_t kTileRows = 256, kTileColumns = 512;
// Below, the kernel of product_kernel.h is at least as fast as oneDNN, up to seven times for a
// single row, and needs no primitive to be made; above, oneDNN is up to a tenth faster.
constexpr double kLibraryFrom = 40e6;
// As many rows have the same kernel whatever the size: one sequence of a batch that is generated
// token by token gets what it would get alone.
constexpr std::int64_t kFewRows = 16;

double work(const Matmul& p) {
  return 2.0 * static_cast<double>(p.m) * static_cast<double>(p.n) * static_cast<double>(p.k);
}

void multiply_here(const Matmul& p, Scratch& scratch) {
  const Strides strides = strides_of(p);
  const auto size = [](std::int64_t n) { return static_cast<std::size_t>(n); };
  Product product;
  product.m = size(p.m), product.n = size(p.n), product.k = size(p.k);
  product.a = {p.a, p.transpose_a ? 1 : size(strides.lda), p.transpose_a ? size(strides.lda) : 1};
  product.b = {p.b, p.transpose_b ? 1 : size(strides.ldb), p.transpose_b ? size(strides.ldb) : 1};
  product.c = p.c, product.ldc = size(strides.ldc);
  product.bias = p.bias, product.addend = p.addend;
  product.accumulate = p.accumulate;
  multiply(product, scratch);
  if (!p.gelu) return;
  for (std::int64_t row = 0; row < p.m; ++row) {
    const std::span<float> values(p.c + row * strides.ldc, size(p.n));
    gelu_forward(values, values);
  }
}

void multiply_one(const Matmul& p, Workspace::Impl& workspace, Scratch& scratch) {
  if (work(p) < kLibraryFrom || p.m <= kFewRows) return multiply_here(p, scratch);
  workspace.library.run(p);
}

void multiply_in_tiles(const Matmul& p, Workspace::Impl& workspace) {
  const Strides strides = strides_of(p);
  const std::int64_t down = (p.m + kTileRows - 1) / kTileRows;
  const std::int64_t across = (p.n + kTileColumns - 1) / kTileColumns;
  parallel_for(down * across, [&](std::int64_t tile) {
    const std::int64_t row = tile / across * kTileRows, column = tile % across * kTileColumns;
    Matmul part = p;
    part.m = std::min(kTileRows, p.m - row);
    part.n = std::min(kTileColumns, p.n - column);
    part.lda = strides.lda, part.ldb = strides.ldb, part.ldc = strides.ldc;
    part.a += p.transpose_a ? row : row * strides.lda;
    part.b += p.transpose_b ? column * strides.ldb : column;
    part.c += row * strides.ldc + column;
    if (p.bias) part.bias += column;
    if (p.addend) part.addend += row * strides.ldc + column;
    const ScratchLease scratch(workspace);
    multiply_one(part, workspace, *scratch);
  });
}

}  // namespace

void matmul(const Matmul& product, Workspace& workspace) {
  assert(!(product.accumulate && (product.addend || product.gelu)));
  assert(!(product.addend && product.gelu));
  if (product.m == 0 || product.n == 0 || product.batch == 0) return;
  Workspace::Impl& impl = workspace.impl();
  Matmul p = product;
  const bool tiles = work(p) >= kParallelFrom && (p.m > kTileRows || p.n > kTileColumns);
  for (std::int64_t i = 0; i < p.batch; ++i) {
    if (tiles)
      multiply_in_tiles(p, impl);
    else
      multiply_one(p, impl, impl.scratch);
    p.a += product.m * product.k;
    p.b += product.k * product.n;
    p.c += product.m * product.n;
    if (p.addend) p.addend += product.m * product.n;
  }
}

}  // namespace assay
