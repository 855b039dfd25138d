// Keeps a run safe while it trains, so that a kill at any time loses nothing that was flushed.
//
//   LiveRun live(file, {.durability = Durability::flush, .keep = 2});
//   live.open(record);               // <run>.h5 with status running, <run>.journal
//   live.append(record);             // new rows of its metrics, one write()
//   live.keep(record, last, best);   // <run>.ckpt-<step>.h5
//   live.finish(record);             // all of it in <run>.h5; the others are removed
//
// Continuing a run, rows beyond its checkpoint are there already: they are computed again and
// compared. REQUIRES that the caller holds the run's lock. Threads: one. Errors: Error(data);
// broken() is then true where the files stand as a later run can continue them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>

#include "base/api.h"
#include "results/journal.h"
#include "results/record.h"

namespace assay {

/// What survives a power cut beside checkpoints and final files: nothing, or every row.
enum class Durability { flush, fsync };

struct LiveOptions {
  Durability durability = Durability::flush;
  std::int64_t keep = 2;  // latest checkpoints to keep beside the best
};

/// Rows by metric that a run has beyond a checkpoint.
using Rows = std::map<std::string, Series>;
/// Cuts the rows of record back to those that its checkpoint "final" knows (none without one) and
/// returns the others. Its samples and trajectory are cut as well: of an evaluation they are there
/// before a checkpoint of the same step.
ASSAY_API Rows take_rows_ahead(RunRecord& record);

/// The first row that came out otherwise when it was computed again.
struct Deviation {
  std::string metric;
  std::int64_t step = 0;
  double before = 0, now = 0;
};

class ASSAY_API LiveRun {
 public:
  LiveRun(std::filesystem::path file, const LiveOptions& options);

  /// After this open() takes over what stands there. Takes the checkpoints out of record. ahead:
  /// rows of the file that record has not, of a run that had completed so many steps.
  void continues(RunRecord& record, Rows ahead, std::int64_t steps);
  void open(const RunRecord& record);
  bool is_open() const { return journal_.has_value(); }
  void append(const RunRecord& record);
  void keep(const RunRecord& record, const Checkpoint& last, const Checkpoint* best);
  void finish(const RunRecord& record);

  bool broken() const { return broken_; }
  const std::optional<Deviation>& deviation() const { return deviation_; }

 private:
  void write_snapshot(const RunRecord& record);
  void add_rows(const std::string& metric, const Series& series);
  bool repeats(const std::string& metric, std::int64_t step, double value);
  void rewrite(const RunRecord& record);
  void forget_ahead();
  template <class Write>
  void guarded(Write write);

  std::filesystem::path file_;
  LiveOptions options_;
  std::optional<Journal> journal_;
  std::uint64_t snapshot_bytes_ = 0;
  std::size_t samples_written_ = 0;
  std::map<std::string, Checkpoint> earlier_;    // those of the file that is continued
  std::map<std::string, std::size_t> seen_;      // rows of record that need nothing more
  std::int64_t steps_ahead_ = 0;                 // completed before, with the rows ahead
  Rows ahead_;                                   // rows in the file that are to be computed again
  std::map<std::string, std::size_t> repeated_;  // rows of ahead_ that were, and were equal
  std::optional<Deviation> deviation_;
  bool continues_ = false, broken_ = false;
};

}  // namespace assay
