// What a user watching runs is told, as it happens. Called from any thread; an implementation
// locks.
#pragma once

#include <cstdint>
#include <string>

#include "results/record.h"
#include "train/progress.h"

namespace assay {

class Reporter {
 public:
  virtual ~Reporter() = default;
  /// Before the first run starts: how many runs will train, and the steps of all of them together.
  virtual void planned(std::int64_t /*runs*/, std::int64_t /*steps*/) {}
  /// Something that the user should know and that stops nothing: "2 validation tokens: no window of
  /// 8".
  virtual void note(const std::string& /*run*/, const std::string& /*text*/) {}
  virtual void started(const std::string& run, std::int64_t steps) = 0;
  virtual void progress(const std::string& run, const Progress& progress) = 0;
  /// It waits for others of its sweep, and may be started again.
  virtual void paused(const std::string& /*run*/) {}
  /// The file was written (or existed already: skipped).
  virtual void finished(const std::string& run, const RunRecord& record, const std::string& file,
                        bool skipped) = 0;
};

}  // namespace assay
