#include "results/verification.h"

#include <fmt/format.h>

#include "base/error.h"
#include "base/text.h"
#include "io/lock_file.h"
#include "io/read_file.h"
#include "results/counted.h"
#include "results/digest.h"
#include "results/journal.h"
#include "results/live_files.h"
#include "results/open_pack.h"
#include "results/pack.h"
#include "results/run_file.h"
#include "results/run_path.h"
#include "results/run_summary.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

class Check {
 public:
  explicit Check(const fs::path& path) : at_(split_run_path(path)) {}

  Verification verify() {
    step([&] { is_open_pack(at_.file) ? check_open_pack() : check_file(); });
    const std::string name = at_.run.empty() ? at_.file.string() : run_path(at_.file, at_.run);
    if (wrong_.empty()) return {name, true, fmt::format("{}", fmt::join(facts_, ", "))};
    return {name, false, fmt::format("{}", fmt::join(wrong_, "; "))};
  }

 private:
  template <class Work>
  void step(Work work) {
    try {
      work();
    } catch (const Error& error) {
      // Of other files than the one of this line the name belongs to the message.
      const std::string text = error.what(), start = at_.file.string() + ": ";
      wrong_.push_back(text.starts_with(start) ? text.substr(start.size()) : text);
    }
  }

  void check_open_pack() {
    const std::string journal = journal_of(at_.file).string();
    const std::string bytes = read_file(journal);
    const OpenPackContent content = parse_pack_journal(journal, bytes);
    if (!content.damage.empty()) read_open_pack(at_.file, false);  // refuses it
    facts_.push_back(fmt::format("{} that no pack has yet, in its journal",
                                 counted(content.runs.size(), "run")));
    add_torn(content.torn);
    facts_.push_back(human_bytes(static_cast<double>(bytes.size())));
  }

  void check_file() {
    const std::string bytes = read_file(at_.file);
    const std::vector<RunRecord> runs = runs_in(at_.file, bytes, true, at_.run);
    read_summaries(at_.file);
    for (const RunRecord& run : runs) check_digest(run);
    if (is_pack(bytes) && at_.run.empty()) {
      facts_.push_back("pack of " + counted(runs.size(), "run"));
    } else {
      const RunRecord& run = runs.front();
      const bool killed = run.status == RunStatus::running && !LockFile::is_held(lock_of(at_.file));
      facts_.emplace_back(name(killed ? RunStatus::stopped : run.status));
      facts_.push_back(counted(static_cast<std::size_t>(run.steps), "step"));
      facts_.push_back(counted(run.metrics.size(), "metric"));
      if (run.status == RunStatus::running) check_live_files(run);
    }
    facts_.push_back(human_bytes(static_cast<double>(bytes.size())));
  }

  void check_digest(const RunRecord& run) {
    const auto final = run.checkpoints.find("final");
    if (run.status != RunStatus::done || run.digest.empty() || final == run.checkpoints.end())
      return;
    const Checkpoint& last = final->second;
    if (digest(last.weights.empty() ? last.model : last.weights) != run.digest)
      wrong_.push_back(fmt::format("{}: the final weights are not those of the digest", run.run));
  }

  void check_live_files(const RunRecord& run) {
    std::error_code error;
    if (fs::exists(journal_of(at_.file), error)) step([&] { check_journal(run); });
    const auto checkpoints = checkpoints_of(at_.file);
    for (const auto& checkpoint : checkpoints)
      step([&] { read_checkpoint(checkpoint.second, run.id); });
    facts_.push_back(counted(checkpoints.size(), "checkpoint"));
  }

  void check_journal(const RunRecord& run) {
    const std::string file = journal_of(at_.file).string();
    const JournalContent content = parse_journal(file, read_file(file));
    if (content.records > 0 && content.id != run.id)
      throw Error(ExitCode::data, file + ": is the journal of another run");
    facts_.push_back(fmt::format("journal up to step {}", std::max(run.steps, content.steps)));
    add_torn(content.torn);
  }

  void add_torn(std::uint64_t bytes) {
    if (bytes > 0)
      facts_.push_back(fmt::format("{} of a record that a kill cut short",
                                   counted(static_cast<std::size_t>(bytes), "byte")));
  }

  RunPath at_;
  std::vector<std::string> facts_, wrong_;
};

}  // namespace

Verification verify(const fs::path& path) {
  return Check(path).verify();
}

}  // namespace assay
