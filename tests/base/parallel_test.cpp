#include "base/parallel.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <map>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <vector>

namespace assay {
namespace {

class Parallel : public testing::TestWithParam<int> {
 protected:
  Pool pool{GetParam()};
};
INSTANTIATE_TEST_SUITE_P(Threads, Parallel, testing::Values(1, 2, 3, 8));

TEST_P(Parallel, VisitsEachIndexOnce) {
  for (const std::int64_t count : {0, 1, 2, 7, 1000}) {
    std::vector<std::atomic<int>> visits(static_cast<std::size_t>(count));
    pool.run([&] {
      parallel_for(count, [&](std::int64_t i) { ++visits.at(static_cast<std::size_t>(i)); });
    });
    for (const auto& visit : visits) ASSERT_EQ(visit, 1) << count;
  }
}

TEST_P(Parallel, LoopsNest) {
  std::vector<std::atomic<int>> visits(8 * 8 * 8);
  pool.run([&] {
    parallel_for(8, [&](std::int64_t i) {
      parallel_for(8, [&](std::int64_t j) {
        parallel_for(
            8, [&](std::int64_t k) { ++visits[static_cast<std::size_t>((i * 8 + j) * 8 + k)]; });
      });
    });
  });
  for (const auto& visit : visits) ASSERT_EQ(visit, 1);
}

TEST_P(Parallel, NeverUsesMoreThreadsThanItHas) {
  std::mutex mutex;
  std::map<std::thread::id, int> threads;
  pool.run([&] {
    parallel_for(500, [&](std::int64_t) {
      std::lock_guard lock(mutex);
      ++threads[std::this_thread::get_id()];
    });
  });
  EXPECT_LE(threads.size(), static_cast<std::size_t>(GetParam()));
  EXPECT_EQ(pool.threads(), GetParam());
}

TEST_P(Parallel, AThreadThatWaitsStartsNoOtherTaskOfTheOuterLoop) {
  std::mutex mutex;
  std::map<std::thread::id, int> running;
  std::atomic<int> intruders{0};
  pool.run([&] {
    parallel_for(64, [&](std::int64_t) {
      {
        std::lock_guard lock(mutex);
        if (running[std::this_thread::get_id()]++ > 0) ++intruders;
      }
      parallel_for(16, [](std::int64_t) { std::this_thread::yield(); });
      std::lock_guard lock(mutex);
      --running[std::this_thread::get_id()];
    });
  });
  EXPECT_EQ(intruders, 0);
}

TEST_P(Parallel, RethrowsWhatABodyThrew) {
  for (const std::int64_t count : {1, 100}) {
    try {
      pool.run([&] {
        parallel_for(count, [&](std::int64_t i) {
          if (i == count / 2) throw std::runtime_error("body");
        });
      });
      FAIL() << "nothing was thrown";
    } catch (const std::runtime_error& e) {
      EXPECT_STREQ(e.what(), "body");
    }
  }
}

TEST_P(Parallel, AnExceptionInANestedLoopReachesTheCaller) {
  EXPECT_THROW(pool.run([&] {
    parallel_for(10, [&](std::int64_t) {
      parallel_for(10, [&](std::int64_t j) {
        if (j == 5) throw std::runtime_error("inner");
      });
    });
  }),
               std::runtime_error);
}

TEST_P(Parallel, WorksAgainAfterAnException) {
  EXPECT_THROW(pool.run([] { throw std::runtime_error("body"); }), std::runtime_error);
  std::atomic<int> visits{0};
  pool.run([&] { parallel_for(100, [&](std::int64_t) { ++visits; }); });
  EXPECT_EQ(visits, 100);
}

TEST_P(Parallel, InvokeRunsBoth) {
  std::atomic<int> first{0}, second{0};
  pool.run([&] { parallel_invoke([&] { ++first; }, [&] { ++second; }); });
  EXPECT_EQ(first, 1);
  EXPECT_EQ(second, 1);
}

TEST_P(Parallel, InvokeCompletesTheOtherWhenOneThrows) {
  for (const bool first_throws : {true, false}) {
    std::atomic<bool> other{false};
    const auto throwing = [] { throw std::runtime_error("one"); };
    const auto completing = [&] { other = true; };
    EXPECT_THROW(pool.run([&] {
      if (first_throws)
        parallel_invoke(throwing, completing);
      else
        parallel_invoke(completing, throwing);
    }),
                 std::runtime_error);
    EXPECT_TRUE(other);
  }
}

TEST(ParallelOutsideAPool, StillVisitsEachIndexOnce) {
  std::vector<std::atomic<int>> visits(100);
  parallel_for(100, [&](std::int64_t i) { ++visits[static_cast<std::size_t>(i)]; });
  for (const auto& visit : visits) ASSERT_EQ(visit, 1);
}

#ifdef __SANITIZE_THREAD__
// The negative control of preset tsan: were this race not seen, no other would be.
TEST(RaceDeathTest, IsFound) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto race = [] {
    volatile std::int64_t sum = 0;
    const auto count = [&](std::int64_t) {  // so long that one thread cannot do all
      for (int i = 0; i < 1'000'000; ++i) sum = sum + 1;
    };
    Pool(4).run([&] { parallel_for(8, count); });
    std::exit(static_cast<int>(sum % 2));
  };
  EXPECT_EXIT(race(), testing::ExitedWithCode(66), "data race");
}
#endif

TEST(AvailableCores, IsAtLeastOneAndAtMostTheMachine) {
  EXPECT_GE(available_cores(), 1);
  EXPECT_LE(available_cores(), static_cast<int>(std::thread::hardware_concurrency()));
}

}  // namespace
}  // namespace assay
