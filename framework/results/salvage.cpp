#include "results/salvage.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <set>

#include "base/error.h"
#include "io/descriptor.h"
#include "results/flat_record.h"
#include "results/loading.h"
#include "results/pack.h"
#include "results/run_summary.h"
#include "results/trailer.h"
#include "results/trajectory.h"

namespace assay {
namespace {

constexpr int kMostCrashes = 100;
constexpr std::uint64_t kMostPadding = std::uint64_t{8} << 30;
constexpr unsigned kMostSeconds = 300;  // a damaged file may lead HDF5 in circles

// What a file is made of, as far as its end says.
struct Pieces {
  std::string image;
  std::int64_t layout = kLayout;
  std::vector<RunRecord> summaries;
};

/// The image as long as its superblock says: what was cut off reads as zeros, which no checksum
/// takes for data.
void pad(std::string& image) {
  constexpr std::size_t end_of_file_at = 28;
  std::uint64_t size = 0;
  if (image.size() < end_of_file_at + sizeof size) return;
  std::memcpy(&size, image.data() + end_of_file_at, sizeof size);
  if (size > image.size() && size < kMostPadding) image.resize(size);
}

Pieces pieces_of(const std::string& file, std::string_view bytes) {
  Pieces pieces;
  const bool has_end = bytes.size() >= kTrailerSize;
  const auto facts =
      has_end ? read_trailer(bytes.substr(bytes.size() - kTrailerSize)) : std::nullopt;
  const std::size_t most = has_end ? bytes.size() - kTrailerSize : 0;
  const auto size = facts ? static_cast<std::size_t>(facts->image_size) : 0;
  if (!facts || size > most) {
    pieces.image = bytes;
    pad(pieces.image);
    return pieces;
  }
  pieces.image = bytes.substr(0, size);
  if (facts->layout >= 1 && facts->layout <= kPackLayout) pieces.layout = facts->layout;
  try {
    pieces.summaries = summaries_in(file, bytes.substr(size, most - size), pieces.layout);
  } catch (const Error&) {  // damaged too, or of a version without them
  }
  return pieces;
}

/// What a group holds if the index cannot say.
Names names_of(const RunRecord& summary) {
  Names names;
  for (const auto& [metric, series] : summary.metrics) names["metrics"].push_back(metric);
  names["checkpoints"] = {"final", "best"};
  return names;
}

const RunRecord* summary_of(const Pieces& pieces, const std::string& run) {
  for (const RunRecord& summary : pieces.summaries)
    if (pieces.layout != kPackLayout || summary.run == run) return &summary;
  return nullptr;
}

void read_runs(ImageReader& reader, const Pieces& pieces, Piecewise& piecewise, Salvage& found) {
  const auto read_run = [&](const std::string& prefix, const RunRecord* summary) {
    if (summary) piecewise.names = names_of(*summary);
    Loading loading(reader, std::min(pieces.layout, kLayout), prefix, true, &piecewise);
    run_layout(loading, found.runs.emplace_back());
  };
  std::vector<std::string> runs;
  {
    Piecewise top;
    const Names index = Loading(reader, kLayout, "", false, &top).index();
    if (const auto named = index.find(kRuns); named != index.end()) runs = named->second;
  }
  found.pack = !runs.empty() || pieces.layout == kPackLayout;
  if (!found.pack) return read_run("", summary_of(pieces, ""));
  if (runs.empty()) {
    piecewise.lost.emplace_back(kIndex, "cannot be read");
    for (const RunRecord& summary : pieces.summaries) runs.push_back(summary.run);
  }
  for (const std::string& run : runs) {
    read_run(place_in_pack(run), summary_of(pieces, run));
    found.runs.back().run = run;
  }
}

/// Both ways between the processes.
template <class Flat, class Found>
void exchange(Flat& flat, Found& found, std::int64_t& runs, std::int64_t& pack) {
  flat.integer("", runs);
  flat.integer("", pack);
  flat.table("", found.lost, [](auto& row) { return std::tie(row.first, row.second); });
}

void write_all(int file, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(file, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) throw Error(ExitCode::failed, "the helper cannot hand over what it read");
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
}

void hand_over(int to, const Salvage& found) {
  FlatWriter flat(Checkpoints::included);
  std::int64_t runs = static_cast<std::int64_t>(found.runs.size()), pack = found.pack;
  exchange(flat, found, runs, pack);
  for (const RunRecord& run : found.runs) run_layout(flat, run);
  write_all(to, flat.bytes);
}

Salvage handed_over(int from) {
  std::string bytes(static_cast<std::size_t>(::lseek(from, 0, SEEK_END)), '\0');
  for (std::size_t at = 0; at < bytes.size();) {
    const ssize_t got = ::pread(from, bytes.data() + at, bytes.size() - at, static_cast<off_t>(at));
    if (got <= 0) throw Error(ExitCode::failed, "what the helper read cannot be taken over");
    at += static_cast<std::size_t>(got);
  }
  FlatReader flat("what the helper read cannot be understood", bytes, kLayout,
                  Checkpoints::included);
  Salvage found;
  std::int64_t runs = 0, pack = 0;
  exchange(flat, found, runs, pack);
  for (; runs > 0; --runs) run_layout(flat, found.runs.emplace_back());
  found.pack = pack != 0;
  return found;
}

Salvage read_in_helper(const std::string& file, const Pieces& pieces, const Helper& helper) {
  std::set<std::size_t> skipped;
  for (int crashes = 0;; ++crashes) {
    const Descriptor memory(::memfd_create("salvage", MFD_CLOEXEC));
    if (!memory) throw Error(ExitCode::failed, "no memory to read a damaged file in");
    const HelperEnding ending = helper([&](const SaidFunction& said) {
      ::alarm(kMostSeconds);
      Piecewise piecewise;
      piecewise.skipped = skipped;
      piecewise.attempting = [&](std::size_t number) { said(fmt::to_string(number)); };
      Salvage found;
      try {
        ImageReader reader(file, pieces.image);
        read_runs(reader, pieces, piecewise, found);
      } catch (const Error& error) {
        piecewise.lost.emplace_back("/", error.what());
      }
      for (RunRecord& run : found.runs)
        std::erase_if(run.trajectories, [](const auto& entry) { return !is_whole(entry.second); });
      found.lost = std::move(piecewise.lost);
      hand_over(memory.get(), found);
      ::alarm(0);
    });
    if (ending.finished) return handed_over(memory.get());
    std::size_t number = 0;
    const char* const last = ending.during.data() + ending.during.size();
    const auto [end, wrong] = std::from_chars(ending.during.data(), last, number);
    // Where it does not say at what, it was the file as a whole.
    if (wrong != std::errc() || end != last || !skipped.insert(number).second ||
        crashes == kMostCrashes) {
      Salvage nothing;
      nothing.lost.emplace_back("/", fmt::format("a process that reads it {}", ending.how));
      return nothing;
    }
  }
}

bool is_lost(const Facts& lost, const std::string& path) {
  return std::any_of(lost.begin(), lost.end(), [&](const auto& one) { return one.first == path; });
}

/// Whether anything at this path or below it is lost.
bool is_lost_below(const Facts& lost, const std::string& path) {
  return std::any_of(lost.begin(), lost.end(), [&](const auto& one) {
    return one.first.starts_with(path) &&
           (one.first.size() == path.size() || one.first[path.size()] == '/');
  });
}

// An array that could not be read has no numbers for its shape.
void drop_unread(State& state) {
  std::erase_if(state, [](const auto& entry) {
    const StateArray& array = entry.second;
    return ArrayKind{Element::bytes, array.shape}.count() !=
           std::visit([](const auto& values) { return values.size(); }, array.data);
  });
}

// Half a checkpoint continues nothing, but its weights may be of use. Half a tokenizer is none.
void set_partial_states_apart(RunRecord& run, const std::string& prefix, const Facts& lost) {
  std::map<std::string, Checkpoint> kept;
  for (auto& [name, checkpoint] : run.checkpoints) {
    const bool empty = checkpoint.weights.empty() && checkpoint.model.empty();
    if (is_lost_below(lost, prefix + "checkpoints/" + encode_name(name))) {
      drop_unread(checkpoint.weights);
      if (!checkpoint.weights.empty())
        kept[name + "-partial"] = {checkpoint.step, std::move(checkpoint.weights), {}, {}, {}};
    } else if (!empty || !is_lost(lost, prefix + kIndex)) {
      kept[name] = std::move(checkpoint);
    }
  }
  run.checkpoints = std::move(kept);
  if (is_lost_below(lost, prefix + "tokenizer")) run.tokenizer.clear();
  drop_unread(run.arrays);
}

void drop_torn_series(RunRecord& run) {
  std::erase_if(run.metrics, [](const auto& metric) {
    return metric.second.steps.size() != metric.second.values.size();
  });
}

// The summary has a checksum of its own, which single numbers in the image have not.
void complete(RunRecord& run, const RunRecord& summary, const std::string& prefix, Facts& lost) {
  const auto take = [&](const char* path, auto& value, const auto& from) {
    value = from;
    std::erase_if(lost, [&](const auto& one) { return one.first == prefix + path; });
  };
  take("name", run.name, summary.name);
  take("run", run.run, summary.run);
  take("status", run.status, summary.status);
  take("message", run.message, summary.message);
  take("seed", run.seed, summary.seed);
  take("parameters", run.parameters, summary.parameters);
  take("steps", run.steps, summary.steps);
  take("digest", run.digest, summary.digest);
  take("started", run.started, summary.started);
  take("seconds", run.seconds, summary.seconds);
  take("config", run.config, summary.config);
  take("config_hash", run.config_hash, summary.config_hash);
  take("environment", run.environment, summary.environment);
  take("data", run.data, summary.data);
  for (const auto& [metric, outline] : summary.metrics)
    if (!outline.steps.empty() && run.metrics[metric].steps.empty()) {
      run.metrics[metric] = outline;
      const std::string path = prefix + "metrics/" + encode_name(metric);
      std::string why = "cannot be read";
      std::erase_if(lost, [&](const auto& one) {
        if (!one.first.starts_with(path + "/")) return false;
        why = one.second;
        return true;
      });
      lost.emplace_back(
          path, fmt::format("{}; {} of its rows are in the summary", why, outline.steps.size()));
    }
}

}  // namespace

Salvage salvage(const std::string& file, std::string_view bytes, const Helper& helper) {
  const Pieces pieces = pieces_of(file, bytes);
  Salvage found = read_in_helper(file, pieces, helper);
  if (found.runs.empty()) {  // nothing but the summaries
    found.pack = pieces.layout == kPackLayout;
    found.runs.resize(pieces.summaries.size());
    for (std::size_t i = 0; i < found.runs.size(); ++i) found.runs[i].run = pieces.summaries[i].run;
  }
  for (RunRecord& run : found.runs) {
    const std::string prefix = found.pack ? place_in_pack(run.run) : "";
    drop_torn_series(run);
    set_partial_states_apart(run, prefix, found.lost);
    if (const RunRecord* summary = summary_of(pieces, run.run))
      complete(run, *summary, prefix, found.lost);
  }
  return found;
}

}  // namespace assay
