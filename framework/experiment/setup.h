// One run's configuration, read into typed sections and prepared plugins; nothing is built yet.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <typeindex>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/api.h"
#include "config/problems.h"
#include "config/value.h"
#include "experiment/adaptation.h"
#include "experiment/expectations.h"
#include "experiment/stored_tokenizer.h"
#include "interfaces/dataset.h"
#include "interfaces/model.h"
#include "interfaces/objective.h"
#include "interfaces/optimizer.h"
#include "interfaces/probe.h"
#include "interfaces/sampler.h"
#include "interfaces/scheduler.h"
#include "interfaces/tokenizer.h"
#include "plugin/registry.h"
#include "results/live_run.h"
#include "results/record.h"
#include "train/options.h"

namespace assay {

inline constexpr std::int64_t kDefaultSeed = 1;

/// How the finished runs of a sweep are kept.
struct ResultsOptions {
  std::int64_t pack = 1;  // runs in a file
  static void describe(OptionList<ResultsOptions>& o);
};

struct RunSetup {
  std::string name;
  std::uint64_t seed = kDefaultSeed;
  Prepared<Dataset> dataset;
  Prepared<Tokenizer> tokenizer;  // may be empty: the dataset speaks ids itself
  std::string tokenizer_from;     // the file that it was trained in before; empty: none
  std::shared_ptr<const StoredTokenizer> stored_tokenizer;  // what that file holds
  Prepared<Model> model;
  Adaptation adaptation;  // of trained weights that the model starts from
  Prepared<Objective> objective;
  Prepared<Optimizer> optimizer;  // the next three are empty for models that count
  Prepared<Scheduler> scheduler;
  std::optional<TrainOptions> train;
  EvaluateOptions evaluate;
  std::optional<SampleOptions> samples;
  std::optional<AttentionMapOptions> attention;
  std::optional<DecodeOptions> decode;
  CheckpointOptions checkpoint;
  DigestOptions digest;
  Durability durability = Durability::flush;
  ResultsOptions results;
  std::vector<std::vector<Prepared<Sampler>>> samplers;  // of samples: chains
  Prepared<Probe> probe;                                 // then the sections above are empty
  std::vector<Expectation> expectations;
  std::filesystem::path experiment;   // absolute path of its file
  std::filesystem::path data_folder;  // of the experiment: relative paths start here

  Value written;            // as composed from file and arguments, for places in messages
  Value resolved;           // every option, defaults included
  std::string config;       // resolved as YAML
  std::string config_hash;  // SHA-256 of it without what changes no number

  std::int64_t evaluate_context() const { return *evaluate.context; }
  /// Positions per row that the model must take.
  std::int64_t model_context() const;
  std::vector<PluginIdentity> plugins() const;
};

/// The top level of an experiment: its sections and the options beside them.
ASSAY_API OptionTable experiment_options();
/// The names of the sections of an experiment ("model", "train", ...), which groups can fill.
ASSAY_API std::set<std::string> experiment_sections();

/// The option tables of sections, each described once.
class SectionTables {
 public:
  template <class Options>
  const OptionTable& of() {
    const auto [found, fresh] = tables_.try_emplace(typeid(Options));
    if (fresh) found->second = describe_options<Options>();
    return found->second;
  }

 private:
  std::map<std::type_index, OptionTable> tables_;
};

/// What was read from a section, for the next configuration that shares it.
template <class Read>
class KnownSections {
 public:
  /// Null: not known yet.
  const Read* find(const Value& section) const {
    const auto found = known_.find(section.identity());
    return found == known_.end() ? nullptr : &found->second.second;
  }
  const Read& add(const Value& section, Read read) {
    return known_.emplace(section.identity(), std::pair(section, std::move(read)))
        .first->second.second;
  }

 private:
  std::unordered_map<const void*, std::pair<Value, Read>> known_;  // sections live on
};

using KnownPlugins =
    std::tuple<KnownSections<Prepared<Dataset>>, KnownSections<Prepared<Tokenizer>>,
               KnownSections<Prepared<Model>>, KnownSections<Prepared<Objective>>,
               KnownSections<Prepared<Optimizer>>, KnownSections<Prepared<Scheduler>>,
               KnownSections<Prepared<Sampler>>, KnownSections<Prepared<Probe>>>;

/// Reads the composed configurations of one experiment, one or ten thousand. Sections that they
/// share are read once.
class ASSAY_API SetupReader {
 public:
  /// file: of the experiment; need not exist. registry outlives the reader.
  SetupReader(const std::filesystem::path& file, Registry& registry);
  /// Everything wrong becomes a problem; the result is usable only if there are none. Names of
  /// files that were stated elsewhere become relative to the folder of the experiment.
  RunSetup read(const Value& config, Problems& problems);

 private:
  std::filesystem::path file_, folder_;
  Registry& registry_;
  SectionTables tables_;
  KnownPlugins known_;
};

/// Whether a key ("checkpoint.every") says only how a run is kept, and changes none of its numbers:
/// no part of its identity.
ASSAY_API bool is_about_keeping(std::string_view path);

/// key -> "gpt.yaml:6:27", "argument 'seed=2':6" or "default", for every value of the resolved
/// configuration.
ASSAY_API Facts origins(const RunSetup& setup);

}  // namespace assay
