// The rows of a run since its last snapshot: one record (journal_record.h) for each completed step,
// each one write().
//
// The first record (type 1) holds the id of the run; the others (type 2) hold completed updates,
// seconds, and rows: bytes of the metric's name (4), name, step (8), value (8). Type 3 holds the
// samples of one evaluation: step (8), and for each prompt, text and sampler, with the bytes of
// each (4) before it, and whether it answers (1). Little-endian.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "io/append_file.h"
#include "results/record.h"

namespace assay {

class Journal {
 public:
  /// A new one for the run of this id, in place of what stands there.
  Journal(const std::filesystem::path& file, const std::string& id);

  void row(std::string_view metric, std::int64_t step, double value);
  /// Of one evaluation, written at once.
  void samples(std::span<const TextSample> samples);
  /// Writes the rows since the last flush as one record; nothing if there are none.
  void flush(std::int64_t steps, double seconds);
  void sync() { file_.sync(); }
  /// Forgets all records: the snapshot has them.
  void restart();
  std::uint64_t size() const { return file_.size(); }

 private:
  void write(std::uint32_t type, std::string_view payload);

  AppendFile file_;
  std::string id_, rows_;
  std::uint64_t sequence_ = 0;
};

struct JournalContent {
  std::string id;
  std::map<std::string, Series> metrics;
  std::vector<TextSample> samples;
  std::int64_t steps = 0;  // of the last record; 0 if there is none
  double seconds = 0;
  std::uint64_t records = 0;
  std::uint64_t torn = 0;  // bytes behind the last good record
  std::string damage;      // where a bad record is followed by a good one: says that
};

enum class Damage { refuse, cut };
/// bytes of a journal; file is its name in messages. Throws Error(data) if a bad record is followed
/// by a good one, unless damage is to be cut off there.
JournalContent parse_journal(const std::string& file, std::string_view bytes,
                             Damage damage = Damage::refuse);

/// Adds those rows and samples of a journal that its run has not, and gives how many rows.
std::size_t add_rows(RunRecord& record, const JournalContent& journal);

}  // namespace assay
