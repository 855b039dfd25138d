// How long a process takes from its start to the end of its first update, and the most memory that
// it had until then: the program starts itself on a small experiment that is a real one (corpus
// from a file, tokenizer, gpt-char, AdamW; one evaluation window), and both look at the same clock.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "experiment/bench.h"

namespace assay {

BenchResult bench_start(int threads, const std::vector<std::filesystem::path>& folders);

/// In the process started: runs the experiment, and returns the time of the first progress in
/// milliseconds of the monotonic clock, and the memory then.
BenchResult first_update(const std::filesystem::path& experiment, int threads,
                         const std::vector<std::filesystem::path>& folders);

/// The name under which `assay bench` reaches first_update: this and a file.
inline constexpr const char* kFirstUpdate = "first-update=";

}  // namespace assay
