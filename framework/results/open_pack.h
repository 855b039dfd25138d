// A pack that is being filled: pack-0001.journal, beside the pack-0001.h5 that it becomes.
//
//   PackWriter packs("results/gpt", 256);
//   packs.add(record);      // after this no kill and no power cut loses the run
//   packs.close();          // the rest, in a file
//
// The journal (journal_record.h) begins with the word "pack" (type 1); each further record (type 3)
// is one finished run: its layout (8 bytes), then the record as flat_record.h writes it. When it
// has its runs, or 64 MB, the pack is written whole and the journal removed; whichever of the two
// is there can be read, under the name of the pack. One that a kill left is made a pack by the next
// writer.
//
// Threads: any. Errors: Error(data) from add, and the run is not in the pack then.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "base/api.h"
#include "results/record.h"

namespace assay {

/// Whether the pack of this name is its journal still.
bool is_open_pack(const std::filesystem::path& pack);
/// The packs of a folder in the order of their names, open ones too, complete or not.
ASSAY_API std::vector<std::filesystem::path> packs_in(const std::filesystem::path& folder);

struct OpenPackContent {
  std::vector<RunRecord> runs;      // of two of one name the later
  std::vector<std::string> damage;  // what is lost between good records
  std::uint64_t torn = 0;           // bytes behind the last one
};
/// bytes of its journal; file is the journal's name in messages.
OpenPackContent parse_pack_journal(const std::string& file, std::string_view bytes);
/// Its runs. Throws Error(data) if it is damaged.
std::vector<RunRecord> read_open_pack(const std::filesystem::path& pack, bool with_checkpoints);

/// Makes it a file, unless somebody fills it now; nothing if it is one.
ASSAY_API void settle_pack(const std::filesystem::path& pack);

class ASSAY_API PackWriter {
 public:
  /// Settles what a kill left in the folder.
  PackWriter(std::filesystem::path folder, std::int64_t runs_per_pack);
  ~PackWriter();
  PackWriter(const PackWriter&) = delete;
  PackWriter& operator=(const PackWriter&) = delete;

  /// Where the run is now: "results/gpt/pack-0001.h5::seed=1".
  std::string add(const RunRecord& record);
  /// Writes what is open. Gives what went wrong, here or when a pack was full: its runs are in the
  /// journal still.
  std::vector<std::string> close();

 private:
  struct Open;
  std::unique_ptr<Open> opened() const;
  void settle(std::unique_ptr<Open> open);

  std::filesystem::path folder_;
  std::int64_t runs_per_pack_;
  std::mutex mutex_;
  std::unique_ptr<Open> open_;
  std::vector<std::string> problems_;
};

}  // namespace assay
