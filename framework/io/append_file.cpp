#include "io/append_file.h"

#include <fcntl.h>
#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "base/error.h"
#include "io/atomic_file.h"

namespace assay {

AppendFile::AppendFile(std::filesystem::path file, std::uint64_t keep) : file_(std::move(file)) {
  to_ = Descriptor(
      ::open(file_.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0666));
  if (!to_) fail(fmt::format("cannot be written: {}", std::strerror(errno)));
  cut(keep);
}

void AppendFile::fail(const std::string& what) const {
  throw Error(ExitCode::data, fmt::format("{}: {}{}", file_.string(), what, free_space(file_)));
}

void AppendFile::cut(std::uint64_t size) {
  if (::ftruncate(to_.get(), static_cast<off_t>(size)) != 0)
    fail(fmt::format("cannot be cut to its size: {}", std::strerror(errno)));
  size_ = size;
}

void AppendFile::append(std::string_view piece) {
  ssize_t written = 0;
  do {
    written = ::write(to_.get(), piece.data(), piece.size());
  } while (written < 0 && errno == EINTR);
  if (written == static_cast<ssize_t>(piece.size())) {
    size_ += piece.size();
    return;
  }
  const int reason = written < 0 ? errno : ENOSPC;  // a short write is a disk that just filled
  if (written > 0) cut(size_);
  fail(fmt::format("cannot be written: {}", std::strerror(reason)));
}

void AppendFile::sync() {
  if (::fdatasync(to_.get()) != 0)
    fail(fmt::format("cannot be brought to the disk: {}", std::strerror(errno)));
  if (std::exchange(is_named_, true)) return;
  if (const int reason = sync_folder_of(file_); reason != 0)
    fail(fmt::format("its name cannot be brought to the disk: {}", std::strerror(reason)));
}

void AppendFile::clear() {
  cut(0);
}

}  // namespace assay
