// Dispatching an operation must be nearly free: after the first pass nothing is allocated for it.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <new>
#include <vector>

#include "nn/block.h"
#include "support/grad_check.h"

namespace {
std::atomic<std::int64_t> allocations{0};
}

// Replaces the operator of the whole test program, to count its calls. The others rest on this one.
// Not inlined: g++ 12 would take malloc and delete, or new and free, for a pair that does not
// match.
[[gnu::noinline]] void* operator new(std::size_t size) {
  ++allocations;
  if (void* memory = std::malloc(size)) return memory;
  throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* memory) noexcept {
  std::free(memory);
}
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}

namespace assay {
namespace {

TEST(Allocation, HappensOnceForThePassAndNotForItsOperations) {
  Parameters parameters;
  BlockOptions options;
  options.width = 16, options.heads = 2, options.dropout = 0.1, options.cross = true;
  std::vector<TransformerBlock> blocks;
  for (int i = 0; i < 3; ++i)
    blocks.emplace_back(Scope(parameters) / std::string("layer").append(std::to_string(i)),
                        options);
  parameters.initialise(1);
  CheckedInput input = random_input({4, 9, 16}, 1);
  std::vector<float> gradients(parameters.buffer().size());
  const Random random(1, "step");
  const std::vector<std::int32_t> targets(4 * 9, 3);
  AttentionMask mask;
  mask.causal = true;
  Tape tape;
  const auto pass_of = [&](std::size_t layers) {
    tape.reset();
    const std::int64_t before = allocations;
    Pass pass(tape, parameters, gradients, Mode::train, random);
    const Tensor source = tape.variable(input.shape, input.values.data(), nullptr);
    Tensor x = source;
    for (std::size_t i = 0; i < layers; ++i) x = blocks[i](x, mask, pass, source);
    tape.backward(cross_entropy(x, targets).sum);
    return allocations - before;
  };
  pass_of(3);
  pass_of(3);
  EXPECT_EQ(pass_of(3), pass_of(1));
  EXPECT_LE(pass_of(3), 1);  // the list of parameters
}

}  // namespace
}  // namespace assay
