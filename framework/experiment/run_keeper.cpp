#include "experiment/run_keeper.h"

#include <algorithm>

#include "base/clock.h"
#include "experiment/environment.h"

namespace assay {
namespace {

constexpr double kOpenAfter = 1;  // seconds: shorter runs are not worth files of their own

}  // namespace

RunKeeper::RunKeeper(LiveRun& live, std::optional<Duration> every, int threads, RunRecord& record)
    : live_(live),
      every_(every),
      threads_(threads),
      record_(record),
      seconds_before_(record.seconds) {}

void RunKeeper::advanced(const RunRecord& record) {
  const double seconds = seconds_since(start_);
  record_.seconds = seconds_before_ + seconds;
  if (live_.is_open()) {
    live_.append(record);
  } else if (seconds >= kOpenAfter) {
    note_environment(record_, threads_);
    live_.open(record);
  }
}

bool RunKeeper::due(std::int64_t step) {
  if (every_ && !every_->in_seconds()) return step % static_cast<std::int64_t>(every_->amount) == 0;
  const double wait =
      every_ ? every_->amount : std::max(kDefaultCheckpoint, kLeastTimesCost * cost_);
  return seconds_since(kept_) >= wait;
}

void RunKeeper::keep(const RunRecord& record, const Checkpoint& last, const Checkpoint* best) {
  const auto start = Clock::now();
  note_environment(record_, threads_);
  live_.keep(record, last, best);
  cost_ = seconds_since(start);
  kept_ = Clock::now();
}

}  // namespace assay
