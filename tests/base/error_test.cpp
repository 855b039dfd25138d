#include "base/error.h"

#include <gtest/gtest.h>

namespace assay {
namespace {

TEST(Error, CarriesItsMessageAndExitCode) {
  try {
    throw Error(ExitCode::data, "play.txt: 5 tokens");
  } catch (const std::exception& e) {
    EXPECT_STREQ(e.what(), "play.txt: 5 tokens");
    EXPECT_EQ(dynamic_cast<const Error&>(e).code(), ExitCode::data);
  }
}

TEST(Error, ExitCodesAreTheDocumentedNumbers) {
  EXPECT_EQ(static_cast<int>(ExitCode::done), 0);
  EXPECT_EQ(static_cast<int>(ExitCode::failed), 1);
  EXPECT_EQ(static_cast<int>(ExitCode::usage), 2);
  EXPECT_EQ(static_cast<int>(ExitCode::plugin), 3);
  EXPECT_EQ(static_cast<int>(ExitCode::partly), 4);
  EXPECT_EQ(static_cast<int>(ExitCode::data), 5);
  EXPECT_EQ(static_cast<int>(ExitCode::stopped), 75);
}

}  // namespace
}  // namespace assay
