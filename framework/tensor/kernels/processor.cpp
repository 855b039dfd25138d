// The functions of Highway's headers that its library would define: which targets the processor
// has. Defined here because that library measures the resolution of a timer whenever it is loaded,
// which costs each start of the program 3 ms.
#include <atomic>

#include "tensor/kernels/highway_targets.h"
// After the targets.
#include <hwy/targets.h>

namespace hwy {
namespace {

std::int64_t detected_targets() {
  std::int64_t targets = HWY_ENABLED_BASELINE;
#if HWY_ARCH_X86
  // Highway's conditions. LZCNT and F16C, which clang 14 cannot ask for, came with AVX2 and FMA.
  __builtin_cpu_init();
  const bool sse4 = __builtin_cpu_supports("sse4.2") && __builtin_cpu_supports("pclmul") &&
                    __builtin_cpu_supports("aes");
  const bool avx2 = sse4 && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
                    __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2");
  const bool avx512 = avx2 && __builtin_cpu_supports("avx512f") &&
                      __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq") &&
                      __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512cd");
  if (sse4) targets |= HWY_SSE4;
  if (avx2) targets |= HWY_AVX2;
  if (avx512) targets |= HWY_AVX3;
#endif
  return targets;
}

std::atomic<std::int64_t>& supported() {
  static std::atomic<std::int64_t> targets = detected_targets();
  return targets;
}

}  // namespace

std::int64_t SupportedTargets() {
  return supported();
}

void SetSupportedTargetsForTest(std::int64_t targets) {
  supported() = targets != 0 ? targets : detected_targets();
}

ChosenTarget& GetChosenTarget() {
  static ChosenTarget chosen;
  return chosen;
}

}  // namespace hwy
