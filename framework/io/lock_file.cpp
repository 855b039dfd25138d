#include "io/lock_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <string>

#include "base/error.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

std::string boot_id() {
  std::ifstream from("/proc/sys/kernel/random/boot_id");
  std::string id;
  std::getline(from, id);
  return id;
}

/// "process 1234", or where it is said to be if that is another machine.
std::string holder_text(const fs::path& file) {
  std::ifstream from(file);
  std::string process, boot;
  std::getline(from, process);
  std::getline(from, boot);
  if (process.empty()) return "another process";
  return boot == boot_id() ? "process " + process
                           : fmt::format("process {} of another machine", process);
}

/// Whether the open file is still the one of this name: a holder removes it when it is done.
bool is_in_place(int open, const fs::path& file) {
  struct stat here {
  }, named{};
  return ::fstat(open, &here) == 0 && ::stat(file.c_str(), &named) == 0 &&
         here.st_ino == named.st_ino && here.st_dev == named.st_dev;
}

// Of the whole file, owned by the open file itself: threads of one process exclude each other too.
struct flock whole_file(short type) {
  struct flock lock {};
  lock.l_type = type;
  lock.l_whence = SEEK_SET;
  return lock;
}

}  // namespace

LockFile::LockFile(fs::path file) : file_(std::move(file)) {
  const auto fail = [&](const std::string& what) {
    throw Error(ExitCode::data, fmt::format("{}: {}", file_.string(), what));
  };
  std::error_code error;
  if (file_.has_parent_path()) fs::create_directories(file_.parent_path(), error);
  if (error) fail(fmt::format("its folder cannot be created: {}", error.message()));
  while (true) {
    Descriptor opened(::open(file_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666));
    if (!opened) fail(fmt::format("cannot be created: {}", std::strerror(errno)));
    struct flock lock = whole_file(F_WRLCK);
    if (::fcntl(opened.get(), F_OFD_SETLK, &lock) != 0) {
      if (errno == EINTR) continue;
      if (errno == EAGAIN || errno == EACCES)
        fail(fmt::format("this run is being written by {}; wait for it, or stop it",
                         holder_text(file_)));
      fail(fmt::format("cannot be locked: {}", std::strerror(errno)));
    }
    if (!is_in_place(opened.get(), file_)) continue;
    held_ = std::move(opened);
    break;
  }
  // For messages only: that it could not be written (a full disk) harms nothing.
  const std::string text = fmt::format("{}\n{}\n", ::getpid(), boot_id());
  const bool emptied = ::ftruncate(held_.get(), 0) == 0;
  const ssize_t written = emptied ? ::pwrite(held_.get(), text.data(), text.size(), 0) : 0;
  static_cast<void>(written);
}

LockFile::~LockFile() {
  if (held_) ::unlink(file_.c_str());
}

bool LockFile::is_held(const fs::path& file) {
  const Descriptor opened(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  if (!opened) return false;
  struct flock lock = whole_file(F_RDLCK);
  return ::fcntl(opened.get(), F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
}

}  // namespace assay
