// When failed runs keep the others of an experiment from starting.
//
//   FailureWatch watch(request.stop_after);
//   if (watch.saw(record)) ...   // no other run should start; watch.reason() says why
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <string>

#include "base/api.h"
#include "results/record.h"

namespace assay {

/// Thread-safe.
class ASSAY_API FailureWatch {
 public:
  /// So many runs that fail alike, one after the other, are taken for one mistake.
  static constexpr std::int64_t kAlike = 8;

  /// stop_after: failures that are too many; 0: none are; nothing: kAlike in a row.
  explicit FailureWatch(std::optional<std::int64_t> stop_after) : stop_after_(stop_after) {}

  /// Whether runs that have not started should not. record: of a run that has ended.
  bool saw(const RunRecord& record);
  /// Empty as long as all should start.
  std::string reason() const;

 private:
  std::optional<std::int64_t> stop_after_;
  mutable std::mutex mutex_;
  std::int64_t failures_ = 0, alike_ = 0;
  std::string last_, reason_;
};

}  // namespace assay
