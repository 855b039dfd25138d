// Everything that one run leaves behind, in memory: what a result file holds (results/README.md has
// the layout).
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/api.h"
#include "base/measured_table.h"
#include "base/state.h"

namespace assay {

/// running: being written now. One that was killed is read as stopped. pruned: its sweep gave it
/// up.
enum class RunStatus { done, stopped, failed, running, pruned };
ASSAY_API std::string_view name(RunStatus status);

/// A metric by step: training metrics by the update they belong to, evaluations by the updates
/// completed before.
struct Series {
  std::vector<std::int64_t> steps;
  std::vector<double> values;
};

struct PluginIdentity {
  std::string kind, name, version, file, sha256;
};

struct Checkpoint {
  std::int64_t step = 0;  // completed updates
  State weights;          // by parameter path
  State model;            // what the model keeps beyond its parameters
  State optimizer;
  State counters;  // of the trainer
};

/// Hashes of every parameter (base/fingerprint.h) after some updates: where two runs part.
struct Trajectory {
  std::vector<std::string> parameters;  // paths, in the order of the model
  std::vector<std::int64_t> steps;      // completed updates
  std::vector<std::int64_t> hashes;     // [steps, parameters]
};
inline constexpr const char* kWeightTrajectory = "weights";

/// What the model wrote at an evaluation.
struct TextSample {
  std::int64_t step = 0;  // completed updates
  std::string prompt, text;
  std::string sampler;   // "temperature 0.8, top_k 40"; empty in files that do not say
  bool answers = false;  // the text is a target for the prompt, and does not go on from it
};

/// What each head of one layer attended to on a text.
struct AttentionMaps {
  std::int64_t step = 0;  // completed updates
  std::string text;
  std::vector<std::string> queries, keys;  // the tokens that look, and those looked at
  StateArray weights;                      // float32 [heads, queries, keys]
};

/// What the experiment stated beforehand about this run, and how it came out.
struct StatedExpectation {
  std::string metric, wanted;  // "val/loss", "1.87 to 1.915"
  std::string over;            // "runs": of each run; "seeds": of their mean
  std::string verdict;         // of this run alone: "met", "missed", "open"
  double got = 0;              // NaN: nothing
};

using Facts = std::vector<std::pair<std::string, std::string>>;

struct RunRecord {
  std::string name, run;   // experiment, and the run within it
  std::string id;          // of all files of this run while it lasts; empty before layout 3
  std::string experiment;  // absolute path of the experiment file; empty before layout 3
  RunStatus status = RunStatus::done;
  std::string message;  // why it stopped or failed
  std::uint64_t seed = 0;
  std::int64_t parameters = 0, steps = 0;  // trainable numbers; completed updates
  std::string digest;                      // SHA-256 of the final weights
  std::string started;                     // UTC, ISO 8601
  double seconds = 0;
  std::string config;       // resolved, YAML
  std::string config_hash;  // SHA-256 of it
  Facts origins;            // key -> where its value came from
  std::vector<PluginIdentity> plugins;
  Facts environment;  // build, CPU class, threads, library versions
  Facts data;         // digest, sizes, limit
  std::map<std::string, Series> metrics;
  std::map<std::string, Checkpoint> checkpoints;   // "final", "best"
  std::map<std::string, Trajectory> trajectories;  // kWeightTrajectory; none of models that count
  State tokenizer;
  std::vector<TextSample> samples;
  std::map<std::string, AttentionMaps> attention;  // by the path of the layer
  std::map<std::string, MeasuredTable> tables;     // of probes, as are
  State arrays;
  std::map<std::string, StatedExpectation> expectations;  // by the whole sentence
  Facts history;  // completed updates -> what happened there: "continued with 2 threads"
};

}  // namespace assay
