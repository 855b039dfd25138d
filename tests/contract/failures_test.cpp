// Checks as a suite makes them: which failed, which were skipped, and what is said on the way.
#include "contract/failures.h"

#include <gtest/gtest.h>

#include <stdexcept>

#include "contract/support.h"

namespace assay {
namespace {

TEST(Failures, BelongToTheInnermostCheck) {
  Failures failures;
  attempt(failures, "outer", [&] {
    attempt(failures, "inner", [&] { failures.push_back("wrong"); });
    failures.push_back("also wrong");
  });
  ASSERT_EQ(failures.checks().size(), 2U);
  EXPECT_TRUE(failures.checks()[0].group);
  EXPECT_EQ(failures.checks()[0].failures, std::vector<std::string>{"also wrong"});
  EXPECT_EQ(failures.checks()[1].failures, std::vector<std::string>{"wrong"});
  EXPECT_EQ(failures, (Failures{"wrong", "also wrong"}));
}

TEST(Failures, WhatACheckThrowsIsOneThatNamesIt) {
  Failures failures;
  attempt(failures, "first", [] { throw std::runtime_error("no"); });
  attempt(failures, "second", [] { throw 7; });
  EXPECT_EQ(failures, (Failures{"first: it throws: no",
                                "second: it throws something that is no std::exception"}));
}

TEST(Failures, TheWatcherHearsOfEachCheckWhenItStartsAndEnds) {
  std::string heard;
  Failures failures({[&](const Failures::Check& check) { heard += "(" + check.name; },
                     [&](const Failures::Check& check) {
                       heard += std::to_string(check.failures.size()) + check.skipped + ")";
                     }});
  attempt(failures, "a", [&] { attempt(failures, "b", [&] { failures.push_back("wrong"); }); });
  failures.skip("c", "not now");
  EXPECT_EQ(heard, "(a(b1)0)(c0not now)");
}

}  // namespace
}  // namespace assay
