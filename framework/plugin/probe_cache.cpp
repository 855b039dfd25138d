#include "plugin/probe_cache.h"

#include <fmt/format.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <system_error>

#include "io/sha256.h"
#include "plugin/loader.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

fs::path cache_folder() {
  if (const char* cache = std::getenv("XDG_CACHE_HOME"); cache && fs::path(cache).is_absolute())
    return fs::path(cache) / "assay" / "probes";
  if (const char* home = std::getenv("HOME"); home && fs::path(home).is_absolute())
    return fs::path(home) / ".cache" / "assay" / "probes";
  return {};
}

/// Path, size and time of a file as a line.
std::string stamp(const fs::path& file) {
  std::error_code ignored;
  const auto size = fs::file_size(file, ignored);
  const auto time = fs::last_write_time(file, ignored).time_since_epoch().count();
  return fmt::format("{} {} {}\n", file.string(), size, time);
}

}  // namespace

ProbeCache::ProbeCache(const fs::path& file, const std::string& sha256) {
  const fs::path folder = cache_folder();
  if (folder.empty()) return;
  record_ = folder / sha256_hex(file.string());
  key_ = stamp(file) + sha256 + "\n" + stamp(library_file());
}

bool ProbeCache::passed() const {
  if (record_.empty()) return false;
  std::ifstream in(record_, std::ios::binary);
  const std::string found{std::istreambuf_iterator<char>(in), {}};
  return found == key_;  // a record that was cut short is not equal
}

void ProbeCache::remember() const {
  if (record_.empty()) return;
  std::error_code ignored;
  fs::create_directories(record_.parent_path(), ignored);
  std::ofstream(record_, std::ios::binary) << key_;
}

}  // namespace assay
