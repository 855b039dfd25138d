#include "results/run_summary.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "base/error.h"
#include "io/descriptor.h"
#include "io/sha256.h"
#include "results/flat_record.h"
#include "results/layout.h"
#include "results/run_file.h"
#include "results/run_path.h"
#include "results/summary.h"
#include "results/trailer.h"

namespace assay {
namespace {

constexpr std::size_t kSeal = 32;

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

struct End {
  std::optional<TrailerFacts> facts;
  std::int64_t at = 0;  // where the trailer starts
};

End end_of(int file) {
  struct stat status {};
  const auto size = static_cast<std::int64_t>(kTrailerSize);
  if (file < 0 || fstat(file, &status) != 0 || !S_ISREG(status.st_mode) || status.st_size < size)
    return {};
  return {read_trailer(bytes_before(file, status.st_size, size)), status.st_size - size};
}

Descriptor opened(const std::filesystem::path& file) {
  return Descriptor(open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
}

Block block_of(const std::filesystem::path& file) {
  const Descriptor from = opened(file);
  const auto [facts, end] = end_of(from.get());
  constexpr std::int64_t kMost = std::int64_t{64} << 20;
  if (!facts || facts->layout > kPackLayout || facts->image_size < 0) return {};
  const std::int64_t size = end - facts->image_size;
  if (size < 0 || size > kMost) return {};
  return {bytes_before(from.get(), end, size), facts->layout};
}

std::string summary_bytes(const RunRecord& record) {
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
  FlatWriter flat(Checkpoints::left_out);
  run_layout(flat, summary);
  return std::move(flat.bytes);
}

}  // namespace

std::int64_t layout_of_file(const std::filesystem::path& file) {
  const auto facts = end_of(opened(file).get()).facts;
  return facts ? facts->layout : 0;
}

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
  const std::string bytes = summary_bytes(record);
  return bytes + hash_of(bytes);
}

std::string summary_block_of_pack(std::span<const RunRecord> runs) {
  std::string bytes;
  for (const RunRecord& run : runs) {
    const std::string one = summary_bytes(run);
    const std::uint64_t size = one.size();
    bytes.append(reinterpret_cast<const char*>(&size), sizeof size);
    bytes += one;
  }
  return bytes + hash_of(bytes);
}

std::vector<RunRecord> summaries_in(const std::string& file, std::string_view block,
                                    std::int64_t layout) {
  if (block.size() < kSeal ||
      hash_of(block.substr(0, block.size() - kSeal)) != block.substr(block.size() - kSeal))
    throw Error(ExitCode::data, fmt::format("{}: is damaged: the SHA-256 of its summary is not the "
                                            "one it was written with; {}",
                                            file, saved_by_recover(file)));
  block.remove_suffix(kSeal);
  const std::string unreadable = file + ": has a summary that this Assay cannot read";
  std::vector<RunRecord> runs;
  while (!block.empty()) {
    std::uint64_t size = block.size();
    if (layout == kPackLayout) {
      if (block.size() < sizeof size) throw Error(ExitCode::data, unreadable);
      std::memcpy(&size, block.data(), sizeof size);
      block.remove_prefix(sizeof size);
      if (size > block.size()) throw Error(ExitCode::data, unreadable);
    }
    FlatReader flat(unreadable, block.substr(0, size), std::min(layout, kLayout),
                    Checkpoints::left_out);
    run_layout(flat, runs.emplace_back());
    block.remove_prefix(size);
  }
  return runs;
}

std::vector<RunRecord> read_summaries(const std::filesystem::path& path) {
  const RunPath at = split_run_path(path);
  const auto [block, layout] = block_of(at.file);
  if (block.size() <= kSeal) return read_runs(path, false);
  std::vector<RunRecord> runs = summaries_in(at.file.string(), block, layout);
  if (layout == kPackLayout) {
    if (at.run.empty()) return runs;
    return {the_run(at, std::move(runs))};
  }
  // Rows of a run that is not over stand beside its file.
  if (runs.size() != 1 || !at.run.empty() || runs.front().status == RunStatus::running)
    return read_runs(path, false);
  return runs;
}

bool in_summary(std::string_view measure) {
  for (const char* known : {"first", "last", "min", "max", "step_of_min", "step_of_max"})
    if (measure == known) return true;
  return false;
}

}  // namespace assay
