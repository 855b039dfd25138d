#include "results/open_pack.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <optional>
#include <set>

#include "base/error.h"
#include "io/append_file.h"
#include "io/atomic_file.h"
#include "io/descriptor.h"
#include "io/lock_file.h"
#include "io/read_file.h"
#include "results/flat_record.h"
#include "results/journal_record.h"
#include "results/live_files.h"
#include "results/pack.h"
#include "results/run_path.h"
#include "results/trailer.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

enum PackType : std::uint32_t { kPackBegin = 1, kRun = 3 };
constexpr std::string_view kWord = "pack";
constexpr std::uint64_t kFull = std::uint64_t{64} << 20;  // its image is built in memory
constexpr std::string_view kStart = "pack-";

std::string run_payload(const RunRecord& record) {
  FlatWriter flat(Checkpoints::included);
  const std::int64_t layout = kLayout;
  flat.bytes.assign(reinterpret_cast<const char*>(&layout), sizeof layout);
  run_layout(flat, record);
  return std::move(flat.bytes);
}

/// The run of a record that has the right checksum; none if another version wrote it.
std::optional<RunRecord> run_of(const JournalRecord& found) {
  std::int64_t layout = 0;
  if (found.type != kRun || found.payload.size() < sizeof layout) return std::nullopt;
  std::memcpy(&layout, found.payload.data(), sizeof layout);
  if (layout < 1 || layout > kLayout) return std::nullopt;
  FlatReader flat("is damaged", found.payload.substr(sizeof layout), layout, Checkpoints::included);
  try {
    RunRecord record;
    run_layout(flat, record);
    return record;
  } catch (const Error&) {
    return std::nullopt;
  }
}

/// Of runs of one name the last stays, at its place.
void keep_last_of_each_name(std::vector<RunRecord>& runs) {
  std::set<std::string> later;
  const auto gone = std::remove_if(runs.rbegin(), runs.rend(), [&](const RunRecord& run) {
    return !later.insert(run.run).second;
  });
  runs.erase(runs.begin(), gone.base());
}

/// The number in "pack-0012"; none if the name is not that of a pack.
std::optional<int> number_of(const fs::path& file) {
  const std::string stem = file.stem().string();
  if (!stem.starts_with(kStart)) return std::nullopt;
  int number = 0;
  const char* const last = stem.data() + stem.size();
  const auto [end, wrong] = std::from_chars(stem.data() + kStart.size(), last, number);
  return wrong == std::errc() && end == last && number > 0 ? std::optional(number) : std::nullopt;
}

/// Null if somebody has it.
std::unique_ptr<LockFile> lock_unless_held(const fs::path& lock) {
  try {
    return std::make_unique<LockFile>(lock);
  } catch (const Error&) {
    if (LockFile::is_held(lock)) return nullptr;
    throw;
  }
}

/// What the journal of this pack starts with. A run may be called pack-0001 too.
enum class Start { of_pack, torn, of_other };
Start start_of(const fs::path& journal) {
  const std::string wanted = journal_record(kPackBegin, 0, kWord);
  std::string start(wanted.size(), '\0');
  const Descriptor from(::open(journal.c_str(), O_RDONLY | O_CLOEXEC));
  const ssize_t got = from ? ::pread(from.get(), start.data(), start.size(), 0) : -1;
  if (got < 0) return Start::of_other;
  start.resize(static_cast<std::size_t>(got));
  if (start == wanted) return Start::of_pack;
  return wanted.starts_with(start) ? Start::torn : Start::of_other;
}

void settle_held(const fs::path& pack) {
  const Start start = start_of(journal_of(pack));
  if (start == Start::of_other) return;
  if (is_open_pack(pack)) write_pack(pack, read_open_pack(pack, true), IfExists::refuse);
  std::error_code ignored;
  fs::remove(journal_of(pack), ignored);
}

}  // namespace

bool is_open_pack(const fs::path& pack) {
  std::error_code error;
  return number_of(pack) && !fs::exists(pack, error) &&
         start_of(journal_of(pack)) == Start::of_pack;
}

std::vector<fs::path> packs_in(const fs::path& folder) {
  std::set<std::pair<int, fs::path>> found;
  std::error_code error;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    const fs::path& file = at->path();
    if (const auto number = number_of(file))
      if (file.extension() == ".h5" || file.extension() == ".journal")
        found.emplace(*number, result_of(file));
  }
  std::vector<fs::path> packs;
  for (const auto& [number, pack] : found) packs.push_back(pack);
  return packs;
}

OpenPackContent parse_pack_journal(const std::string& file, std::string_view bytes) {
  OpenPackContent content;
  for (std::size_t at = 0; at < bytes.size();) {
    const auto record = journal_record_at(bytes.substr(at));
    auto run = record ? run_of(*record) : std::nullopt;
    if (run) content.runs.push_back(std::move(*run));
    if (run || (record && record->type == kPackBegin && record->payload == kWord)) {
      at += record->size;
      continue;
    }
    const std::size_t next = find_journal_record(bytes, at + 1);
    if (next == std::string_view::npos) {
      content.torn = bytes.size() - at;
      break;
    }
    content.damage.push_back(fmt::format(
        "{}: is damaged from byte {} to byte {}, with good records behind it", file, at, next));
    at = next;
  }
  keep_last_of_each_name(content.runs);
  return content;
}

std::vector<RunRecord> read_open_pack(const fs::path& pack, bool with_checkpoints) {
  const std::string journal = journal_of(pack).string();
  OpenPackContent content = parse_pack_journal(journal, read_file(journal));
  if (!content.damage.empty())
    throw Error(ExitCode::data,
                fmt::format("{}; {}", content.damage.front(), saved_by_recover(pack.string())));
  if (!with_checkpoints)
    for (RunRecord& run : content.runs) run.checkpoints.clear();
  return std::move(content.runs);
}

void settle_pack(const fs::path& pack) {
  std::error_code error;
  if (!fs::exists(journal_of(pack), error) && !fs::exists(lock_of(pack), error)) return;
  if (const auto lock = lock_unless_held(lock_of(pack))) settle_held(pack);
}

struct PackWriter::Open {
  Open(fs::path file, std::unique_ptr<LockFile> held)
      : pack(std::move(file)), lock(std::move(held)), journal(journal_of(pack), 0) {
    journal.append(journal_record(kPackBegin, 0, kWord));
  }
  fs::path pack;
  std::unique_ptr<LockFile> lock;
  AppendFile journal;
  std::int64_t runs = 0;
};

PackWriter::PackWriter(fs::path folder, std::int64_t runs_per_pack)
    : folder_(std::move(folder)), runs_per_pack_(runs_per_pack) {
  for (const fs::path& pack : packs_in(folder_)) settle_pack(pack);
  remove_leftovers(folder_);
}

PackWriter::~PackWriter() = default;

std::unique_ptr<PackWriter::Open> PackWriter::opened() const {
  const std::vector<fs::path> packs = packs_in(folder_);
  for (int number = packs.empty() ? 1 : *number_of(packs.back()) + 1;; ++number) {
    const fs::path pack = folder_ / fmt::format("{}{:04}.h5", kStart, number);
    std::unique_ptr<LockFile> lock = lock_unless_held(lock_of(pack));
    // Another process may have filled a pack of this number meanwhile.
    std::error_code error;
    if (lock && !fs::exists(pack, error) && !fs::exists(journal_of(pack), error))
      return std::make_unique<Open>(pack, std::move(lock));
  }
}

std::string PackWriter::add(const RunRecord& record) {
  const std::string payload = run_payload(record);
  std::unique_ptr<Open> full;
  fs::path pack;
  {
    const std::lock_guard guard(mutex_);
    if (!open_) open_ = opened();
    pack = open_->pack;
    open_->journal.append(
        journal_record(kRun, static_cast<std::uint64_t>(open_->runs + 1), payload));
    open_->journal.sync();
    if (++open_->runs >= runs_per_pack_ || open_->journal.size() >= kFull) full = std::move(open_);
  }
  if (full) settle(std::move(full));
  return run_path(pack, record.run);
}

// Without the lock of the writer: other runs go into the next pack meanwhile.
void PackWriter::settle(std::unique_ptr<Open> open) {
  try {
    settle_held(open->pack);
  } catch (const Error& error) {
    const std::lock_guard guard(mutex_);
    problems_.push_back(fmt::format("{}; its runs are in {}, where every verb reads them",
                                    error.what(), journal_of(open->pack).string()));
  }
}

std::vector<std::string> PackWriter::close() {
  if (open_) settle(std::move(open_));
  return std::move(problems_);
}

}  // namespace assay
