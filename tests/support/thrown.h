// What a call throws, so that a test can compare the whole message.
//
//   EXPECT_EQ(thrown([&] { read_run("gone.h5"); }), "[5] gone.h5: no such file");
#pragma once

#include <string>

#include "base/error.h"

namespace assay {

/// "[exit code] message" of the Error that call throws; empty if it throws none.
template <class Call>
std::string thrown(Call&& call) {
  try {
    call();
  } catch (const Error& error) {
    return "[" + std::to_string(static_cast<int>(error.code())) + "] " + error.what();
  }
  return {};
}

}  // namespace assay
