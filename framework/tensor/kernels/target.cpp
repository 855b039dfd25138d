#include "tensor/kernels/target.h"

#include <fmt/format.h>

#include "base/error.h"
#include "tensor/kernels/highway_targets.h"
#include "tensor/kernels/onednn.h"
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
  dnnl_cpu_isa_t isa;
};
// One of them is built, by compiler.
constexpr std::int64_t kPlain = (HWY_TARGETS & HWY_EMU128) != 0 ? HWY_EMU128 : HWY_SCALAR;
constexpr Name kNames[] = {
    {"avx512", HWY_AVX3, dnnl_cpu_isa_all}, {"avx2", HWY_AVX2, dnnl_cpu_isa_avx2},
    {"sse4", HWY_SSE4, dnnl_cpu_isa_sse41}, {"neon", HWY_NEON, dnnl_cpu_isa_all},
    {"scalar", kPlain, dnnl_cpu_isa_sse41},
};

bool usable(std::int64_t target) {
  return (HWY_TARGETS & target) != 0 &&
         (target == kPlain || (hwy::SupportedTargets() & target) != 0);
}

std::string_view isa_name(dnnl_cpu_isa_t isa) {
  switch (isa) {
    case dnnl_cpu_isa_sse41:
      return "sse41";
    case dnnl_cpu_isa_avx:
      return "avx";
    case dnnl_cpu_isa_avx2:
      return "avx2";
    case dnnl_cpu_isa_avx2_vnni:
      return "avx2_vnni";
    case dnnl_cpu_isa_avx512_core:
      return "avx512_core";
    case dnnl_cpu_isa_avx512_core_vnni:
      return "avx512_core_vnni";
    case dnnl_cpu_isa_avx512_core_bf16:
      return "avx512_core_bf16";
    case dnnl_cpu_isa_avx512_core_amx:
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
      if (known.isa != dnnl_cpu_isa_all && OneDnn().dnnl_set_max_cpu_isa(known.isa) != dnnl_success)
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
                     isa_name(OneDnn().dnnl_get_effective_cpu_isa()));
}

std::string matrix_library() {
  const dnnl_version_t& version = *OneDnn().dnnl_version();
  return fmt::format("oneDNN {}.{}.{} ({})", version.major, version.minor, version.patch,
                     std::string_view(version.hash).substr(0, 7));
}

}  // namespace assay
#endif
