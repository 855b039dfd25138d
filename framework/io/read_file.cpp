#include "io/read_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>
#include <vector>

#include "base/error.h"
#include "base/prefault.h"
#include "io/descriptor.h"

namespace assay {
namespace {

constexpr std::size_t kBlock = std::size_t{1} << 16;

[[noreturn]] void fail(const std::filesystem::path& file, std::string_view what) {
  throw Error(ExitCode::data, fmt::format("{}: {}", file.string(), what));
}

}  // namespace

void read_blocks(const std::filesystem::path& file,
                 FunctionRef<void(std::span<const std::byte>)> use) {
  // O_NONBLOCK: opening a pipe that nobody writes to would wait for ever.
  const Descriptor from(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!from) {
    if (errno == ENOENT) fail(file, "no such file");
    fail(file, fmt::format("cannot be opened: {}", std::strerror(errno)));
  }
  struct stat facts {};
  if (::fstat(from.get(), &facts) != 0)
    fail(file, fmt::format("cannot be examined: {}", std::strerror(errno)));
  if (S_ISDIR(facts.st_mode)) fail(file, "is a folder: wanted a file");
  if (!S_ISREG(facts.st_mode)) fail(file, "is a pipe, socket or device: wanted a regular file");
  std::vector<std::byte> block(kBlock);
  while (true) {
    const ssize_t got = ::read(from.get(), block.data(), block.size());
    if (got == 0) return;
    if (got > 0)
      use(std::span(block).first(static_cast<std::size_t>(got)));
    else if (errno != EINTR)
      fail(file, fmt::format("cannot be read: {}", std::strerror(errno)));
  }
}

std::string read_file(const std::filesystem::path& file) {
  std::string bytes;
  std::error_code unknown;
  const std::uintmax_t size = std::filesystem::file_size(file, unknown);
  if (!unknown) {
    bytes.reserve(size);
    prefault(bytes.data(), size);
  }
  read_blocks(file, [&](std::span<const std::byte> block) {
    bytes.append(reinterpret_cast<const char*>(block.data()), block.size());
  });
  return bytes;
}

}  // namespace assay
