#include "results/run_summary.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <tuple>

#include "base/error.h"
#include "io/descriptor.h"
#include "io/sha256.h"
#include "results/layout.h"
#include "results/run_file.h"
#include "results/summary.h"
#include "results/trailer.h"

namespace assay {
namespace {

constexpr std::size_t kHash = 32;

/// The Io of layout.h that writes one field after the other.
class Packing {
 public:
  std::string bytes;

  bool with_checkpoints() const { return false; }
  std::int64_t layout() const { return kLayout; }
  void text(const std::string&, const std::string& value) {
    number(value.size());
    bytes += value;
  }
  void status(const std::string&, RunStatus value) { number(value); }
  void integer(const std::string&, std::int64_t value) { number(value); }
  void unsigned_integer(const std::string&, std::uint64_t value) { number(value); }
  void real(const std::string&, double value) { number(value); }
  template <class T>
  void numbers(const std::vector<T>& values) {
    number(values.size());
    for (const T value : values) number(value);
  }
  void integers(const std::string&, const std::vector<std::int64_t>& values) { numbers(values); }
  void reals(const std::string&, const std::vector<double>& values) { numbers(values); }
  void array(const std::string& path, const StateArray&) {
    throw Error(ExitCode::failed, path + ": summaries hold no arrays");
  }
  template <class Rows, class Cells>
  void table(const std::string& path, const Rows& rows, Cells cells) {
    number(rows.size());
    for (const auto& row : rows)
      std::apply([&](const auto&... cell) { (text(path, cell), ...); }, cells(row));
  }
  template <class Rows, class Number>
  void column(const std::string&, const Rows& rows, Number number_of) {
    for (const auto& row : rows) number(number_of(row));
  }
  template <class Map, class Use>
  void each(const std::string& group, const Map& entries, Use use) {
    number(entries.size());
    for (const auto& [name, entry] : entries) {
      text(group, name);
      use(group, entry);
    }
  }

 private:
  template <class T>
  void number(T value) {
    bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
};

/// Its counterpart. What it reads has the right hash: only another version can lay it out
/// otherwise.
class Unpacking {
 public:
  Unpacking(std::string file, std::string_view bytes, std::int64_t layout)
      : file_(std::move(file)), bytes_(bytes), layout_(layout) {}

  bool with_checkpoints() const { return false; }
  std::int64_t layout() const { return layout_; }
  void text(const std::string&, std::string& value) {
    const std::size_t size = count();
    need(size);
    value.assign(bytes_.substr(at_, size));
    at_ += size;
  }
  void status(const std::string&, RunStatus& value) { number(value); }
  void integer(const std::string&, std::int64_t& value) { number(value); }
  void unsigned_integer(const std::string&, std::uint64_t& value) { number(value); }
  void real(const std::string&, double& value) { number(value); }
  template <class T>
  void numbers(std::vector<T>& values) {
    values.resize(count());
    for (T& value : values) number(value);
  }
  void integers(const std::string&, std::vector<std::int64_t>& values) { numbers(values); }
  void reals(const std::string&, std::vector<double>& values) { numbers(values); }
  void array(const std::string&, StateArray&) { fail(); }
  template <class Rows, class Cells>
  void table(const std::string& path, Rows& rows, Cells cells) {
    rows.resize(count());
    for (auto& row : rows) std::apply([&](auto&... cell) { (text(path, cell), ...); }, cells(row));
  }
  template <class Rows, class Number>
  void column(const std::string&, Rows& rows, Number number_of) {
    for (auto& row : rows) number(number_of(row));
  }
  template <class Map, class Use>
  void each(const std::string& group, Map& entries, Use use) {
    const std::size_t size = count();
    std::string name;
    for (std::size_t i = 0; i < size; ++i) {
      text(group, name);
      use(group, entries[name]);
    }
  }

 private:
  [[noreturn]] void fail() const {
    throw Error(ExitCode::data, file_ + ": has a summary that this Assay cannot read");
  }
  void need(std::size_t size) const {
    if (size > bytes_.size() - at_) fail();
  }
  std::size_t count() {
    std::size_t size = 0;
    number(size);
    need(size);  // every entry has at least a byte
    return size;
  }
  template <class T>
  void number(T& value) {
    need(sizeof value);
    std::memcpy(&value, bytes_.data() + at_, sizeof value);
    at_ += sizeof value;
  }

  std::string file_;
  std::string_view bytes_;
  std::int64_t layout_;
  std::size_t at_ = 0;
};

std::string hash_of(std::string_view bytes) {
  Sha256 hash;
  hash.add(bytes);
  const auto digest = hash.digest();
  return {reinterpret_cast<const char*>(digest.data()), digest.size()};
}

/// The last `size` bytes before `end`; empty if they cannot be read.
std::string bytes_before(int file, std::int64_t end, std::int64_t size) {
  std::string bytes(static_cast<std::size_t>(size), '\0');
  const ssize_t got = pread(file, bytes.data(), bytes.size(), end - size);
  return got == size ? bytes : std::string();
}

struct Block {
  std::string bytes;  // empty where a file has none
  std::int64_t layout = 0;
};

Block block_of(const std::filesystem::path& file) {
  const Descriptor from(open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  struct stat status {};
  if (from.get() < 0 || fstat(from.get(), &status) != 0 || !S_ISREG(status.st_mode)) return {};
  const auto trailer_size = static_cast<std::int64_t>(kTrailerSize);
  if (status.st_size < trailer_size) return {};
  const auto facts = read_trailer(bytes_before(from.get(), status.st_size, trailer_size));
  const std::int64_t end = status.st_size - trailer_size;
  constexpr std::int64_t kMost = std::int64_t{64} << 20;
  if (!facts || facts->layout > kLayout || facts->image_size < 0) return {};
  const std::int64_t size = end - facts->image_size;
  if (size < 0 || size > kMost) return {};
  return {bytes_before(from.get(), end, size), facts->layout};
}

}  // namespace

Series outline(const Series& series) {
  if (series.values.empty()) return {};
  std::vector<std::size_t> kept = {0, series.values.size() - 1};
  for (const char* measure_name : {"step_of_min", "step_of_max"})
    if (const auto step = measure(series, measure_name))
      kept.push_back(static_cast<std::size_t>(
          std::find(series.steps.begin(), series.steps.end(), static_cast<std::int64_t>(*step)) -
          series.steps.begin()));
  std::sort(kept.begin(), kept.end());
  kept.erase(std::unique(kept.begin(), kept.end()), kept.end());
  Series out;
  for (const std::size_t i : kept) {
    out.steps.push_back(series.steps[i]);
    out.values.push_back(series.values[i]);
  }
  return out;
}

std::string summary_block(const RunRecord& record) {
  RunRecord summary;
  summary.name = record.name;
  summary.run = record.run;
  summary.status = record.status;
  summary.message = record.message;
  summary.seed = record.seed;
  summary.parameters = record.parameters;
  summary.steps = record.steps;
  summary.digest = record.digest;
  summary.started = record.started;
  summary.seconds = record.seconds;
  summary.config = record.config;
  summary.config_hash = record.config_hash;
  summary.environment = record.environment;
  summary.data = record.data;
  for (const auto& [metric, series] : record.metrics) summary.metrics[metric] = outline(series);
  Packing packing;
  run_layout(packing, summary);
  return packing.bytes + hash_of(packing.bytes);
}

RunRecord read_summary(const std::filesystem::path& file) {
  const auto [block, layout] = block_of(file);
  if (block.size() <= kHash) return read_run(file, false);
  const std::string_view packed = std::string_view(block).substr(0, block.size() - kHash);
  if (hash_of(packed) != std::string_view(block).substr(packed.size()))
    throw Error(ExitCode::data,
                file.string() +
                    ": is damaged: the SHA-256 of its summary is not the one it was "
                    "written with; use a copy, or run again");
  Unpacking unpacking(file.string(), packed, layout);
  RunRecord record;
  run_layout(unpacking, record);
  // Rows of a run that is not over stand beside its file.
  return record.status == RunStatus::running ? read_run(file, false) : record;
}

bool in_summary(std::string_view measure) {
  for (const char* known : {"first", "last", "min", "max", "step_of_min", "step_of_max"})
    if (measure == known) return true;
  return false;
}

}  // namespace assay
