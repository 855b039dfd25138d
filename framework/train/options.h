// The sections of an experiment that say how it trains, and what is kept and measured of it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/api.h"
#include "config/options.h"

namespace assay {

struct ASSAY_API TrainOptions {
  Duration steps;
  std::int64_t batch = 32;
  std::int64_t context = 64;
  std::int64_t accumulate = 1;
  std::optional<std::int64_t> shards;
  std::optional<double> clip;
  std::string order = "random";

  static void describe(OptionList<TrainOptions>& o);
  /// Shards of a batch, also when not set: a function of the configuration only.
  std::int64_t resolved_shards() const;
};

struct ASSAY_API EvaluateOptions {
  std::optional<Duration> every;
  std::string windows = "random";
  std::optional<std::int64_t> seed, batches, batch;  // of random windows
  std::optional<std::int64_t> context;

  static void describe(OptionList<EvaluateOptions>& o);
  /// With the defaults of what is not set: 8 batches of 64 random windows of seed 123.
  EvaluateOptions resolved() const;
};

/// What is kept while a run trains. Changes no number, so it is no part of a run's identity.
struct ASSAY_API CheckpointOptions {
  std::optional<Duration> every;
  std::int64_t keep = 2;
  std::string best = "val/loss";

  static void describe(OptionList<CheckpointOptions>& o);
};

/// Hashes of all parameters on the way, beside those at evaluations. Changes no number.
struct ASSAY_API DigestOptions {
  std::optional<Duration> every;

  static void describe(OptionList<DigestOptions>& o);
};

struct ASSAY_API AttentionMapOptions {
  std::string text;
  std::vector<std::string> layers = {"*"};

  static void describe(OptionList<AttentionMapOptions>& o);
};

/// What is measured of decoding, at the end of a run.
struct ASSAY_API DecodeOptions {
  std::string prompt;  // empty: beginnings from the validation split
  std::int64_t prompts = 16, context = 20, length = 40, beam = 5;
  std::vector<double> temperatures = {0.5, 1, 2};
  double cover = 0.9;

  static void describe(OptionList<DecodeOptions>& o);
};

struct ASSAY_API SampleOptions {
  std::string prompt = "\n";
  std::optional<std::vector<std::string>> prompts;
  std::int64_t length = 300;
  std::int64_t count = 1;
  std::string stop;
  Value sampler;
  std::optional<std::vector<Value>> samplers;
  std::optional<std::string> when;

  std::vector<std::string> all_prompts() const {
    return prompts.value_or(std::vector<std::string>{prompt});
  }
  bool at_evaluations() const { return when != "end"; }

  static void describe(OptionList<SampleOptions>& o);
};

}  // namespace assay
