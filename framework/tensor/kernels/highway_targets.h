// Which Highway targets are built; before any header of Highway, the same in every file. Left out:
// AVX3_DL, which adds nothing for float32; SSSE3; and vectors without a compile-time length (SVE,
// RVV), which cannot stand in arrays.
#pragma once

#define HWY_DISABLED_TARGETS \
  (HWY_AVX3_DL | HWY_SSSE3 | HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
