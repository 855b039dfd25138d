// Progress for programs (`--progress json`): on standard error, one JSON object a line.
//
//   {"event": "planned", "runs": 40, "steps": 4000}
//   {"event": "started", "run": "seed=1_1f3a9c04", "steps": 100}
//   {"event": "progress", "run": ..., "step": 30, "steps": 100, "loss": 2.4, "val/loss": 2.5,
//    "tokens_per_second": 95100, "seconds_left": 2.1}                    # at most twice a second
//   {"event": "paused", "run": ...}                                      # waits at a rung
//   {"event": "finished", "run": ..., "status": "done", "skipped": false, "steps": 100,
//    "seconds": 3.2, "file": "results/gpt/seed=1.h5", "val/loss": 1.93}  # and a message if it
//    failed
//   {"event": "note", "run": ..., "text": ...}
//
// Numbers that JSON has not are texts: "nan", "inf".
#pragma once

#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "cli/progress.h"
#include "config/value.h"
#include "experiment/reporter.h"

namespace assay {

/// Threads: any.
class JsonReporter final : public Reporter {
 public:
  explicit JsonReporter(Screen screen) : screen_(std::move(screen)) {}

  void planned(std::int64_t runs, std::int64_t steps) override;
  void note(const std::string& run, const std::string& text) override;
  void started(const std::string& run, std::int64_t steps) override;
  void progress(const std::string& run, const Progress& progress) override;
  void paused(const std::string& run) override;
  void finished(const std::string& run, const RunRecord& record, const std::string& file,
                bool skipped) override;

 private:
  void write(const char* event, std::vector<Value::Entry> entries);

  std::mutex mutex_;
  Screen screen_;
  std::map<std::string, double> shown_;  // when a run was last told of
};

}  // namespace assay
