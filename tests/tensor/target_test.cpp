#include "tensor/kernels/target.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <iostream>

#include "base/error.h"
#include "tensor/kernels/matmul.h"

namespace assay {
namespace {

TEST(SelectKernels, AnUnknownNameIsRefusedWithThoseThatWouldDo) {
  try {
    select_kernels("mmx");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::usage);
    const std::string message = error.what();
    EXPECT_EQ(message.find("ASSAY_KERNELS: no kernels named 'mmx' for this processor; there are: "),
              0u)
        << message;
    EXPECT_NE(message.find("scalar"), std::string::npos) << message;
  }
}

void multiply_with_sse4() {
  select_kernels("sse4");
  const float a[] = {1, 2}, b[] = {3, 4};
  float c[] = {0};
  Matmul p;
  p.m = p.n = 1, p.k = 2, p.a = a, p.b = b, p.c = c;
  Workspace workspace;
  matmul(p, workspace);
  std::cerr << kernel_target() << " " << c[0];
  std::_Exit(0);
}

// In a process of its own: the choice holds for a process.
TEST(SelectKernelsDeathTest, ALowerTargetLimitsKernelsAndMatrixLibrary) {
#if defined(__x86_64__)
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_EXIT(multiply_with_sse4(), testing::ExitedWithCode(0), "SSE4, oneDNN sse41 11");
#else
  GTEST_SKIP();
#endif
}

TEST(SelectKernels, NothingAskedForIsTheBest) {
  const std::string before = kernel_target();
  select_kernels("");
  EXPECT_EQ(kernel_target(), before);
}

}  // namespace
}  // namespace assay
