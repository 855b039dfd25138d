#include "tensor/kernels/target.h"

#include <fmt/format.h>

#include <dnnl.hpp>

#include "base/error.h"
#include "tensor/kernels/highway_targets.h"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tensor/kernels/target.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace assay::HWY_NAMESPACE {
const char* target_name() {
  return hwy::TargetName(HWY_TARGET);
}
}  // namespace assay::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace assay {
HWY_EXPORT(target_name);
namespace {

struct Name {
  std::string_view name;
  std::int64_t target;
  dnnl::cpu_isa isa;
};
// One of them is built, by compiler.
constexpr std::int64_t kPlain = (HWY_TARGETS & HWY_EMU128) != 0 ? HWY_EMU128 : HWY_SCALAR;
constexpr Name kNames[] = {
    {"avx512", HWY_AVX3, dnnl::cpu_isa::all}, {"avx2", HWY_AVX2, dnnl::cpu_isa::avx2},
    {"sse4", HWY_SSE4, dnnl::cpu_isa::sse41}, {"neon", HWY_NEON, dnnl::cpu_isa::all},
    {"scalar", kPlain, dnnl::cpu_isa::sse41},
};

bool usable(std::int64_t target) {
  return (HWY_TARGETS & target) != 0 &&
         (target == kPlain || (hwy::SupportedTargets() & target) != 0);
}

std::string_view isa_name(dnnl::cpu_isa isa) {
  switch (isa) {
    case dnnl::cpu_isa::sse41:
      return "sse41";
    case dnnl::cpu_isa::avx:
      return "avx";
    case dnnl::cpu_isa::avx2:
      return "avx2";
    case dnnl::cpu_isa::avx2_vnni:
      return "avx2_vnni";
    case dnnl::cpu_isa::avx512_core:
      return "avx512_core";
    case dnnl::cpu_isa::avx512_core_vnni:
      return "avx512_core_vnni";
    case dnnl::cpu_isa::avx512_core_bf16:
      return "avx512_core_bf16";
    case dnnl::cpu_isa::avx512_core_amx:
      return "avx512_core_amx";
    default:
      return "best";
  }
}

}  // namespace

void select_kernels(std::string_view name) {
  if (name.empty()) return;
  std::string others;
  for (const Name& known : kNames) {
    if (!usable(known.target)) continue;
    if (known.name == name) {
      if (known.isa != dnnl::cpu_isa::all &&
          dnnl::set_max_cpu_isa(known.isa) != dnnl::status::success)
        throw Error(
            ExitCode::failed,
            "ASSAY_KERNELS: the matrix library has run already; the kernels must be chosen before");
      hwy::SetSupportedTargetsForTest(known.target);
      hwy::GetChosenTarget().Update(known.target);
      return;
    }
    others += fmt::format("{}{}", others.empty() ? "" : ", ", known.name);
  }
  throw Error(ExitCode::usage,
              fmt::format("ASSAY_KERNELS: no kernels named '{}' for this processor; there are: {}",
                          name, others));
}

std::string kernel_target() {
  return fmt::format("{}, oneDNN {}", HWY_DYNAMIC_DISPATCH(target_name)(),
                     isa_name(dnnl::get_effective_cpu_isa()));
}

}  // namespace assay
#endif
