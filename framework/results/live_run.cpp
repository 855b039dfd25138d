#include "results/live_run.h"

#include <algorithm>
#include <cstring>
#include <span>
#include <utility>

#include "base/error.h"
#include "results/live_files.h"
#include "results/run_file.h"
#include "results/trajectory.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

// A journal is folded into the snapshot when it is as large as that, so that all writing together
// is linear; below this it is not worth a new file.
constexpr std::uint64_t kSmallJournal = std::uint64_t{1} << 20;

bool same_bits(double a, double b) {
  return std::memcmp(&a, &b, sizeof a) == 0;
}

std::size_t known_rows(const Checkpoint& checkpoint, const std::string& metric, std::size_t all) {
  const auto count = checkpoint.counters.find(std::string(kRowCounter) + metric);
  // Before layout 2 a file had no rows beyond its checkpoint.
  if (count == checkpoint.counters.end()) return checkpoint.counters.contains("best") ? 0 : all;
  const auto* number = std::get_if<std::vector<std::int64_t>>(&count->second.data);
  if (!number || number->size() != 1 || number->front() < 0 ||
      static_cast<std::size_t>(number->front()) > all)
    throw Error(ExitCode::data, "the checkpoint knows more rows of " + metric +
                                    " than the file has: it is of another run, or damaged");
  return static_cast<std::size_t>(number->front());
}

}  // namespace

Rows take_rows_ahead(RunRecord& record) {
  const auto final = record.checkpoints.find("final");
  Rows ahead;
  for (auto metric = record.metrics.begin(); metric != record.metrics.end();) {
    Series& series = metric->second;
    const std::size_t known = final == record.checkpoints.end()
                                  ? 0
                                  : known_rows(final->second, metric->first, series.steps.size());
    const auto cut = static_cast<std::ptrdiff_t>(known);
    if (known < series.steps.size()) {
      ahead[metric->first] = {{series.steps.begin() + cut, series.steps.end()},
                              {series.values.begin() + cut, series.values.end()}};
      series.steps.resize(known);
      series.values.resize(known);
    }
    metric = known == 0 ? record.metrics.erase(metric) : std::next(metric);
  }
  const std::int64_t step = final == record.checkpoints.end() ? -1 : final->second.step;
  std::erase_if(record.samples, [&](const TextSample& sample) { return sample.step > step; });
  rewind_trajectory(record);
  return ahead;
}

LiveRun::LiveRun(fs::path file, const LiveOptions& options)
    : file_(std::move(file)), options_(options) {}

// Whatever cannot be written leaves the files as they were: that run can be continued.
template <class Write>
void LiveRun::guarded(Write write) {
  try {
    write();
  } catch (...) {
    broken_ = true;
    throw;
  }
}

void LiveRun::continues(RunRecord& record, Rows ahead, std::int64_t steps) {
  steps_ahead_ = steps;
  earlier_ = std::exchange(record.checkpoints, {});
  continues_ = true;
  for (const auto& [metric, series] : record.metrics) seen_[metric] = series.steps.size();
  ahead_ = std::move(ahead);
}

void LiveRun::write_snapshot(const RunRecord& record) {
  RunRecord snapshot = record;
  snapshot.status = RunStatus::running;
  snapshot.message.clear();
  snapshot.steps = std::max(record.steps, steps_ahead_);
  snapshot.checkpoints.clear();
  for (const auto& [metric, rows] : ahead_) {
    Series& series = snapshot.metrics[metric];
    const auto done = static_cast<std::ptrdiff_t>(repeated_[metric]);
    series.steps.insert(series.steps.end(), rows.steps.begin() + done, rows.steps.end());
    series.values.insert(series.values.end(), rows.values.begin() + done, rows.values.end());
  }
  write_run(file_, snapshot);
  snapshot_bytes_ = fs::file_size(file_);
  samples_written_ = record.samples.size();
}

void LiveRun::open(const RunRecord& record) {
  guarded([&] {
    if (!continues_) remove_live_files(file_);
    // A file that was closed has its checkpoints inside: they must stay somewhere.
    for (const auto& [name, checkpoint] : earlier_) {
      const fs::path own = checkpoint_of(file_, checkpoint.step);
      if (!fs::exists(own)) write_checkpoint(own, record.id, checkpoint);
    }
    earlier_.clear();
    // Rows that were computed again before the file was opened: they are compared, and stand in the
    // snapshot once.
    for (const auto& [metric, series] : record.metrics) {
      for (std::size_t i = seen_[metric]; i < series.steps.size(); ++i)
        repeats(metric, series.steps[i], series.values[i]);
      seen_[metric] = series.steps.size();
    }
    if (deviation_) forget_ahead();
    write_snapshot(record);
    journal_.emplace(journal_of(file_), record.id);
  });
}

void LiveRun::forget_ahead() {
  ahead_.clear();
  steps_ahead_ = 0;
  repeated_.clear();
}

bool LiveRun::repeats(const std::string& metric, std::int64_t step, double value) {
  const auto rows = ahead_.find(metric);
  if (rows == ahead_.end()) return false;
  std::size_t& at = repeated_[metric];
  if (at == rows->second.steps.size()) return false;
  const bool same = rows->second.steps[at] == step && same_bits(rows->second.values[at], value);
  if (!same && !deviation_)
    deviation_ = {metric, rows->second.steps[at], rows->second.values[at], value};
  ++at;
  return same;
}

void LiveRun::add_rows(const std::string& metric, const Series& series) {
  std::size_t& seen = seen_[metric];
  for (; seen < series.steps.size(); ++seen)
    if (!repeats(metric, series.steps[seen], series.values[seen]))
      journal_->row(metric, series.steps[seen], series.values[seen]);
}

// The file has rows that did not come out again: it gets the new ones, journal first, so that no
// kill leaves a mixture.
void LiveRun::rewrite(const RunRecord& record) {
  forget_ahead();
  journal_->restart();
  write_snapshot(record);
}

void LiveRun::append(const RunRecord& record) {
  guarded([&] {
    const bool deviated = deviation_.has_value();
    for (const auto& [metric, series] : record.metrics) add_rows(metric, series);
    if (deviation_ && !deviated) return rewrite(record);
    journal_->samples(std::span(record.samples).subspan(samples_written_));
    samples_written_ = record.samples.size();
    journal_->flush(record.steps, record.seconds);
    if (options_.durability == Durability::fsync) journal_->sync();
    if (journal_->size() > std::max(kSmallJournal, snapshot_bytes_)) {
      write_snapshot(record);
      journal_->restart();
    }
  });
}

void LiveRun::keep(const RunRecord& record, const Checkpoint& last, const Checkpoint* best) {
  if (!is_open()) open(record);
  guarded([&] {
    journal_->sync();  // a checkpoint is of no use without the rows before it
    std::int64_t best_step = -1;
    if (best) {
      best_step = best->step;
      const fs::path own = checkpoint_of(file_, best_step);
      if (best_step != last.step && !fs::exists(own)) write_checkpoint(own, record.id, *best);
    }
    write_checkpoint(checkpoint_of(file_, last.step), record.id, last);
    auto all = checkpoints_of(file_);
    std::error_code ignored;
    // Later ones are of a past that did not happen: damaged ones that this run began before.
    for (auto later = all.upper_bound(last.step); later != all.end(); later = all.erase(later))
      fs::remove(later->second, ignored);
    while (static_cast<std::int64_t>(all.size()) > options_.keep) {
      if (all.begin()->first != best_step) fs::remove(all.begin()->second, ignored);
      all.erase(all.begin());
    }
  });
}

void LiveRun::finish(const RunRecord& record) {
  guarded([&] { write_run(file_, record); });
  // Also of a run that this one replaced before it had files of its own.
  remove_live_files(file_);
}

}  // namespace assay
