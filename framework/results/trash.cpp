#include "results/trash.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstring>

#include "base/error.h"
#include "base/text.h"
#include "io/atomic_file.h"
#include "io/lock_file.h"
#include "results/live_files.h"
#include "results/open_pack.h"

namespace assay {
namespace {

namespace fs = std::filesystem;
constexpr const char* kTrash = ".trash";

[[noreturn]] void fail_to_move(const fs::path& file, const std::string& what) {
  throw Error(ExitCode::data, fmt::format("{}: {}", file.string(), what));
}

fs::path folder_of(const fs::path& file) {
  return file.has_parent_path() ? file.parent_path() : fs::path(".");
}

std::string now() {
  const auto time = std::chrono::system_clock::now();
  const auto milliseconds =
      std::chrono::duration_cast<std::chrono::milliseconds>(time.time_since_epoch()).count() % 1000;
  return fmt::format("{:%Y%m%dT%H%M%S}.{:03}Z",
                     fmt::gmtime(std::chrono::system_clock::to_time_t(time)), milliseconds);
}

/// The file, and what a run that has not ended keeps beside it.
std::vector<fs::path> belonging_to(const fs::path& file) {
  std::vector<fs::path> all = {file};
  for (const auto& [step, checkpoint] : checkpoints_of(file)) all.push_back(checkpoint);
  if (fs::exists(journal_of(file))) all.push_back(journal_of(file));
  return all;
}

void move_file(const fs::path& from, const fs::path& to) {
  if (const int reason = rename_unless_exists(from, to); reason != 0)
    fail_to_move(from,
                 fmt::format("cannot be moved to {}: {}", to.string(), std::strerror(reason)));
}

/// A new folder in the trash: two files discarded in one millisecond have two.
fs::path new_entry(const fs::path& trash) {
  std::error_code error;
  fs::create_directories(trash, error);
  if (error) fail_to_move(trash, "cannot be created: " + error.message());
  const std::string when = now();
  for (int n = 0;; ++n) {
    const fs::path entry = trash / (n == 0 ? when : fmt::format("{}-{:04}", when, n));
    if (fs::create_directory(entry, error)) return entry;
    if (error) fail_to_move(entry, "cannot be created: " + error.message());
  }
}

/// Entries of one trash, the last first.
std::vector<fs::path> entries_of(const fs::path& trash) {
  std::vector<fs::path> entries;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(trash, error))
    if (entry.is_directory()) entries.push_back(entry.path());
  std::sort(entries.rbegin(), entries.rend());
  return entries;
}

std::vector<fs::path> trashes_below(const fs::path& folder) {
  std::vector<fs::path> found;
  if (fs::is_directory(folder / kTrash)) found.push_back(folder / kTrash);
  std::error_code error;
  fs::recursive_directory_iterator at(folder, fs::directory_options::skip_permission_denied, error);
  for (; !error && at != fs::recursive_directory_iterator(); at.increment(error)) {
    if (!at->is_directory()) continue;
    if (at->path().filename().string().starts_with('.'))
      at.disable_recursion_pending();
    else if (fs::is_directory(at->path() / kTrash))
      found.push_back(at->path() / kTrash);
  }
  return found;
}

/// The result file of an entry: the one that is no checkpoint of a live run.
std::string main_file(const fs::path& entry) {
  for (const fs::directory_entry& file : fs::directory_iterator(entry)) {
    const std::string name = file.path().filename().string();
    if (name.ends_with(".h5") && !is_checkpoint_name(name)) return name;
  }
  return {};
}

}  // namespace

fs::path new_trash_file(const fs::path& file) {
  return new_entry(folder_of(file) / kTrash) / file.filename();
}

fs::path discard(const fs::path& file) {
  if (is_open_pack(file)) settle_pack(file);
  std::error_code error;
  if (!fs::is_regular_file(file, error)) fail_to_move(file, "no such file");
  const LockFile lock(lock_of(file));  // a run that is being written stays
  const fs::path entry = new_entry(folder_of(file) / kTrash);
  for (const fs::path& part : belonging_to(file)) move_file(part, entry / part.filename());
  return entry / file.filename();
}

void restore(const fs::path& file) {
  if (fs::exists(file)) fail_to_move(file, "exists; move it away before another is restored");
  const fs::path trash = folder_of(file) / kTrash;
  std::vector<std::string> names;
  for (const fs::path& entry : entries_of(trash)) {
    const std::string name = main_file(entry);
    names.push_back(name);
    if (name != file.filename().string()) continue;
    const LockFile lock(lock_of(file));
    for (const fs::directory_entry& part : fs::directory_iterator(entry))
      move_file(part.path(), folder_of(file) / part.path().filename());
    std::error_code error;
    fs::remove(entry, error);
    fs::remove(trash, error);  // only if it is empty now
    return;
  }
  std::string message = fmt::format("is not in {}", trash.string());
  if (const auto near = near_match(file.filename().string(), names))
    message += fmt::format("; did you mean {}?", *near);
  fail_to_move(file, message);
}

std::vector<Discarded> discarded(const fs::path& folder) {
  std::vector<Discarded> all;
  for (const fs::path& trash : trashes_below(folder))
    for (const fs::path& entry : entries_of(trash))
      if (const std::string name = main_file(entry); !name.empty())
        all.push_back({(trash.parent_path() / name).string(), entry.filename().string()});
  std::stable_sort(all.begin(), all.end(),
                   [](const Discarded& a, const Discarded& b) { return a.when > b.when; });
  return all;
}

std::size_t empty_trash(const fs::path& folder) {
  std::size_t count = 0;
  for (const fs::path& trash : trashes_below(folder)) {
    count += entries_of(trash).size();
    std::error_code error;
    fs::remove_all(trash, error);
    if (error) fail_to_move(trash, "cannot be removed: " + error.message());
  }
  return count;
}

}  // namespace assay
