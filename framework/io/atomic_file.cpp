#include "io/atomic_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/fs.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include <cerrno>
#include <charconv>
#include <cstring>
#include <optional>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "base/text.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kSuffix = ".assay-tmp";
constexpr int kMostTemporaries = 100000;

fs::path folder_of(const fs::path& file) {
  return file.has_parent_path() ? file.parent_path() : fs::path(".");
}

/// The process that wrote a temporary of this name; none if the name is not of our pattern.
std::optional<pid_t> writer_of(std::string_view name) {
  if (name.empty() || name.front() != '.' || !name.ends_with(kSuffix)) return std::nullopt;
  name.remove_suffix(kSuffix.size());
  const std::size_t dash = name.rfind('-');
  if (dash == std::string_view::npos) return std::nullopt;
  const std::size_t dot = name.rfind('.', dash);
  if (dot == std::string_view::npos || dot == 0) return std::nullopt;
  pid_t writer = 0;
  int count = 0;
  const auto whole = [](std::string_view digits, auto& number) {
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    return error == std::errc() && end == digits.data() + digits.size() && number >= 0;
  };
  if (!whole(name.substr(dot + 1, dash - dot - 1), writer) || writer == 0 ||
      !whole(name.substr(dash + 1), count))
    return std::nullopt;
  return writer;
}

}  // namespace

std::string free_space(const fs::path& file) {
  std::error_code error;
  const fs::space_info space = fs::space(folder_of(file), error);
  return error ? "" : fmt::format(" ({} free)", human_bytes(static_cast<double>(space.available)));
}

AtomicFile::AtomicFile(fs::path file, std::uint64_t expected_size, IfExists if_exists)
    : file_(std::move(file)), expected_size_(expected_size), if_exists_(if_exists) {
  std::error_code error;
  if (file_.filename().empty()) fail("cannot be written: it names no file");
  if (fs::is_directory(file_, error)) fail("cannot be written: it is a folder");
  if (if_exists_ == IfExists::refuse && fs::exists(file_, error)) fail("exists already");
  const fs::path folder = folder_of(file_);
  fs::create_directories(folder, error);
  if (error)
    fail(fmt::format("the folder {} cannot be created: {}", folder.string(), error.message()));
  create_temporary();
  if (expected_size_ == 0) return;
  int reason = 0;
  do {
    reason = ::posix_fallocate(to_.get(), 0, static_cast<off_t>(expected_size_));
  } while (reason == EINTR);
  if (reason != 0) {
    ::unlink(temporary_.c_str());
    fail(fmt::format("cannot be written: {}", std::strerror(reason)));
  }
}

AtomicFile::~AtomicFile() {
  if (to_) ::unlink(temporary_.c_str());
}

void AtomicFile::fail(const std::string& what) const {
  throw Error(ExitCode::data, fmt::format("{}: {}{}", file_.string(), what, free_space(file_)));
}

void AtomicFile::create_temporary() {
  for (int n = 0; n < kMostTemporaries; ++n) {
    temporary_ = folder_of(file_) /
                 fmt::format(".{}.{}-{}{}", file_.filename().string(), ::getpid(), n, kSuffix);
    Descriptor created(::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
    if (!created && errno == EEXIST) continue;
    if (!created) fail(fmt::format("cannot be written: {}", std::strerror(errno)));
    // Tells remove_leftovers, where it cannot see our process (a container), that somebody is
    // writing.
    ::flock(created.get(), LOCK_EX | LOCK_NB);
    to_ = std::move(created);
    return;
  }
  fail("cannot be written: too many temporaries of this name");
}

void AtomicFile::append(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(to_.get(), bytes.data(), bytes.size());
    if (written > 0) {
      bytes = bytes.subspan(static_cast<std::size_t>(written));
      size_ += static_cast<std::uint64_t>(written);
    } else if (written == 0 || errno != EINTR) {
      fail(fmt::format("cannot be written: {}", std::strerror(written == 0 ? ENOSPC : errno)));
    }
  }
}

void AtomicFile::publish() {
  if (size_ < expected_size_ && ::ftruncate(to_.get(), static_cast<off_t>(size_)) != 0)
    fail(fmt::format("cannot be cut to its size: {}", std::strerror(errno)));
  if (::fsync(to_.get()) != 0)
    fail(fmt::format("cannot be brought to the disk: {}", std::strerror(errno)));
  const int reason = if_exists_ == IfExists::refuse ? rename_unless_exists(temporary_, file_)
                     : ::rename(temporary_.c_str(), file_.c_str()) == 0 ? 0
                                                                        : errno;
  if (reason == EEXIST) fail("exists already");
  if (reason != 0) fail(fmt::format("cannot be put in place: {}", std::strerror(reason)));
  to_ = Descriptor();
  if (const int unsynced = sync_folder_of(file_); unsynced != 0)
    fail(fmt::format("is in place, but a power cut may undo that: {}", std::strerror(unsynced)));
}

void write_atomically(const fs::path& file, std::span<const std::byte> bytes, IfExists if_exists) {
  AtomicFile to(file, bytes.size(), if_exists);
  to.append(bytes);
  to.publish();
}

// RENAME_NOREPLACE is not known to every file system; a hard link refuses as well.
int rename_unless_exists(const fs::path& from, const fs::path& to) {
  if (::syscall(SYS_renameat2, AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) == 0)
    return 0;
  if (errno != EINVAL && errno != ENOSYS) return errno;
  if (::link(from.c_str(), to.c_str()) != 0) return errno;
  ::unlink(from.c_str());
  return 0;
}

int sync_folder_of(const fs::path& file) {
  const Descriptor folder(::open(folder_of(file).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  // EINVAL: a file system that cannot sync folders. Not being allowed to read the folder is no
  // failure either.
  return folder && ::fsync(folder.get()) != 0 && errno != EINVAL ? errno : 0;
}

void check_can_write(const fs::path& file) {
  const AtomicFile attempt(file);
  remove_leftovers(folder_of(file));
}

int remove_leftovers(const fs::path& folder) {
  int removed = 0;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    const std::optional<pid_t> writer = writer_of(entry->path().filename().native());
    if (!writer || ::kill(*writer, 0) == 0 || errno != ESRCH) continue;
    const Descriptor leftover(::open(entry->path().c_str(), O_WRONLY | O_NOFOLLOW | O_CLOEXEC));
    if (!leftover || ::flock(leftover.get(), LOCK_EX | LOCK_NB) != 0) continue;
    if (::unlink(entry->path().c_str()) == 0) ++removed;
  }
  return removed;
}

}  // namespace assay
