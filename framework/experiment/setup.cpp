#include "experiment/setup.h"

#include <fmt/format.h>

#include <algorithm>

#include "config/interpolation.h"
#include "config/yaml.h"
#include "experiment/stated_files.h"
#include "io/sha256.h"

namespace assay {
namespace {

// The top level of an experiment. Sections are read by their owners.
struct TopLevel {
  std::string name;
  std::int64_t seed = kDefaultSeed;
  Value dataset, tokenizer, model, objective, optimizer, scheduler, train, evaluate, samples,
      attention, decode, probe, expect, checkpoint, digest, results;
  std::string durability = "flush";

  static void describe(OptionList<TopLevel>& o) {
    o.add("name", &TopLevel::name,
          "Of the experiment and its result folder. Default: the file's name.");
    o.add("seed", &TopLevel::seed, "Of initial weights, batches, dropout and samples.").at_least(0);
    o.add("dataset", &TopLevel::dataset, "Plugin: where examples come from.").plugin("dataset");
    o.add("tokenizer", &TopLevel::tokenizer, "Plugin: from text to ids.").plugin("tokenizer");
    o.add("model", &TopLevel::model, "Plugin: from ids to logits.").plugin("model");
    o.add("objective", &TopLevel::objective,
          "Plugin: what is minimised. Default: {type: next_token}.")
        .plugin("objective");
    o.add("optimizer", &TopLevel::optimizer, "Plugin: how weights follow gradients.")
        .plugin("optimizer");
    o.add("scheduler", &TopLevel::scheduler,
          "Plugin: the learning rate by step. Default: {type: constant}.")
        .plugin("scheduler");
    o.add("train", &TopLevel::train, "Steps, batch, context and the rest of the training loop.")
        .section(describe_options<TrainOptions>());
    o.add("evaluate", &TopLevel::evaluate, "Which validation windows, and how often.")
        .section(describe_options<EvaluateOptions>());
    o.add("samples", &TopLevel::samples, "Text to generate at each evaluation.")
        .section(describe_options<SampleOptions>());
    o.add("attention", &TopLevel::attention,
          "Attention weights on a text, to be stored at the end.")
        .section(describe_options<AttentionMapOptions>());
    o.add("decode", &TopLevel::decode,
          "How likely greedy, beam and real text are at the end, and how sure the next token is.")
        .section(describe_options<DecodeOptions>());
    o.add("probe", &TopLevel::probe, "Plugin: what to measure, in place of a training run.")
        .plugin("probe");
    o.add("expect", &TopLevel::expect, "By metric: the value expected, checked when it has run.");
    o.add("checkpoint", &TopLevel::checkpoint, "How often to keep the state while it trains.")
        .section(describe_options<CheckpointOptions>());
    o.add("digest", &TopLevel::digest, "How often to hash the weights, to tell where runs part.")
        .section(describe_options<DigestOptions>());
    o.add("durability", &TopLevel::durability,
          "What a power cut may take. flush: metrics since the last checkpoint; fsync: nothing.")
        .one_of({"flush", "fsync"});
    o.add("results", &TopLevel::results, "How the finished runs of a sweep are kept.")
        .section(describe_options<ResultsOptions>());
  }
};

// The sections of plugins that an experiment need not name.
const Value& of_type(const char* type) {
  const auto section = [](const char* name) {
    return Value::map({{"type", Value::scalar(name, false, {})}}, {});
  };
  static const std::map<std::string_view, Value> sections = {
      {"next_token", section("next_token")},
      {"constant", section("constant")},
      {"temperature", section("temperature")}};
  return sections.find(type)->second;
}

template <class Options>
void read_section(Options& options, const Value& section, const std::string& name,
                  SectionTables& tables, Problems& problems) {
  tables.of<Options>().read(&options, section, name, "section '" + name + "'", problems);
}

// What sections are read with: opens the plugins that they name.
struct Plugins {
  Registry& registry;
  const std::filesystem::path& folder;  // of the experiment
  SectionTables& tables;
  Problems& problems;
  KnownPlugins& known_plugins;

  template <class Interface>
  Prepared<Interface> prepare(const Value& section, const std::string& path) const {
    auto& known = std::get<KnownSections<Prepared<Interface>>>(known_plugins);
    if (const auto* before = known.find(section)) return *before;
    if (section.is_scalar()) {
      problems.add(section.at(),
                   fmt::format("{0}: wanted a map that says its type; got {1}; write {0}: {{type: "
                               "{2}}}; no group is on the search path (see assay config "
                               "--searchpath)",
                               path, describe(section), section.text()));
      return {};
    }
    auto prepared = registry.prepare<Interface>(stated(section, Interface::kKind), path, problems);
    return prepared ? known.add(section, std::move(prepared)) : prepared;
  }

 private:
  Value stated(const Value& section, const char* kind) const {
    const Value* type = section.find("type");
    if (!type || !type->is_scalar()) return section;
    Problems told_later;
    const auto entry = registry.open(kind, type->text(), type->at(), told_later);
    return entry ? with_stated_files(section, entry->options, folder) : section;
  }
};

void require(const Value& section, const char* name, const char* example, const Value& root,
             Problems& problems) {
  if (section.is_null())
    problems.add(root.at(), fmt::format("{}: missing; write {}: {}", name, name, example));
}

// tokenizer: {from: FILE}
struct StoredOptions {
  std::string from;
  static void describe(OptionList<StoredOptions>& o) {
    o.add("from", &StoredOptions::from, "Result file of the run that trained it.").names_file();
  }
};

void read_stored(const Value& section, RunSetup& setup, const Plugins& plugins) {
  const Value stated =
      with_stated_files(section, plugins.tables.of<StoredOptions>(), plugins.folder);
  StoredOptions options;
  const Value only_from = Value::map({{"from", *stated.find("from")}}, section.at());
  const std::size_t before = plugins.problems.size();
  read_section(options, only_from, "tokenizer", plugins.tables, plugins.problems);
  if (plugins.problems.size() > before) return;
  auto stored = std::make_shared<StoredTokenizer>(
      read_stored_tokenizer(find_stored_tokenizer(options.from, plugins.folder)));
  check_stored_tokenizer(*stored, section, options.from, plugins.problems);
  setup.tokenizer = plugins.prepare<Tokenizer>(stored->section, "tokenizer");
  setup.tokenizer_from = options.from;
  setup.stored_tokenizer = std::move(stored);
}

void read_training(const TopLevel& top, RunSetup& setup, const Value& root, const Plugins& plugins,
                   Problems& problems) {
  if (!top.train.is_null()) {
    setup.train.emplace();
    read_section(*setup.train, top.train, "train", plugins.tables, problems);
    require(top.optimizer, "optimizer", "{type: adamw, learning_rate: 1e-3}", root, problems);
  } else {
    for (const auto& [section, name] :
         {std::pair(&top.optimizer, "optimizer"), std::pair(&top.scheduler, "scheduler")})
      if (!section->is_null())
        problems.add(
            section->at(),
            fmt::format("{}: of no use without a section train; add train: {{steps: 1000}}, or "
                        "remove this section",
                        name));
  }
  if (!top.optimizer.is_null())
    setup.optimizer = plugins.prepare<Optimizer>(top.optimizer, "optimizer");
  if (setup.train)
    setup.scheduler = plugins.prepare<Scheduler>(
        top.scheduler.is_null() ? of_type("constant") : top.scheduler, "scheduler");
}

// One sampler, or a list of them that are applied one after the other.
std::vector<Prepared<Sampler>> read_chain(const Value& written, const std::string& path,
                                          const Plugins& plugins, Problems& problems) {
  if (!written.is_list()) return {plugins.prepare<Sampler>(written, path)};
  if (written.items().empty())
    problems.add(written.at(), path + ": wanted at least one sampler, got an empty list");
  std::vector<Prepared<Sampler>> chain;
  for (std::size_t i = 0; i < written.items().size(); ++i)
    chain.push_back(plugins.prepare<Sampler>(written.items()[i], path + "." + std::to_string(i)));
  return chain;
}

void read_samplers(RunSetup& setup, const Plugins& plugins, Problems& problems) {
  const SampleOptions& o = *setup.samples;
  if (!o.samplers) {
    setup.samplers = {read_chain(o.sampler.is_null() ? of_type("temperature") : o.sampler,
                                 "samples.sampler", plugins, problems)};
    return;
  }
  for (std::size_t i = 0; i < o.samplers->size(); ++i)
    setup.samplers.push_back(
        read_chain((*o.samplers)[i], "samples.samplers." + std::to_string(i), plugins, problems));
}

Value resolved_chain(const std::vector<Prepared<Sampler>>& chain, const Value& written) {
  if (!written.is_list()) return chain.front().resolved();
  std::vector<Value> sections;
  for (const auto& sampler : chain) sections.push_back(sampler.resolved());
  return Value::list(std::move(sections), {});
}

SampleOptions resolved_samples(const RunSetup& setup) {
  SampleOptions samples = *setup.samples;
  if (!samples.samplers) {
    samples.sampler = resolved_chain(setup.samplers.front(), samples.sampler);
    return samples;
  }
  for (std::size_t i = 0; i < setup.samplers.size(); ++i)
    (*samples.samplers)[i] = resolved_chain(setup.samplers[i], (*samples.samplers)[i]);
  return samples;
}

void read_evaluation(const TopLevel& top, RunSetup& setup, const Plugins& plugins,
                     Problems& problems) {
  if (!top.evaluate.is_null())
    read_section(setup.evaluate, top.evaluate, "evaluate", plugins.tables, problems);
  if (!setup.evaluate.context)
    setup.evaluate.context = setup.train.value_or(TrainOptions{}).context;
  setup.evaluate = setup.evaluate.resolved();
  if (!top.attention.is_null())
    read_section(setup.attention.emplace(), top.attention, "attention", plugins.tables, problems);
  if (!top.decode.is_null())
    read_section(setup.decode.emplace(), top.decode, "decode", plugins.tables, problems);
  if (top.samples.is_null()) return;
  setup.samples.emplace();
  read_section(*setup.samples, top.samples, "samples", plugins.tables, problems);
  read_samplers(setup, plugins, problems);
}

void read_probe(const TopLevel& top, RunSetup& setup, const Plugins& plugins, Problems& problems) {
  setup.probe = plugins.prepare<Probe>(top.probe, "probe");
  for (const auto& [section, name] :
       {std::pair(&top.dataset, "dataset"), std::pair(&top.tokenizer, "tokenizer"),
        std::pair(&top.model, "model"), std::pair(&top.objective, "objective"),
        std::pair(&top.optimizer, "optimizer"), std::pair(&top.scheduler, "scheduler"),
        std::pair(&top.train, "train"), std::pair(&top.evaluate, "evaluate"),
        std::pair(&top.samples, "samples"), std::pair(&top.attention, "attention"),
        std::pair(&top.decode, "decode")})
    if (!section->is_null())
      problems.add(section->at(), fmt::format("{}: of no use beside a probe, which measures and "
                                              "does not train; remove one of the two sections",
                                              name));
}

void read_run(const TopLevel& top, RunSetup& setup, const Value& root, const Plugins& plugins,
              Problems& problems) {
  require(top.dataset, "dataset", "{type: grammar}", root, problems);
  require(top.model, "model", "{type: gpt}", root, problems);
  if (!top.dataset.is_null()) setup.dataset = plugins.prepare<Dataset>(top.dataset, "dataset");
  if (top.tokenizer.find("from"))
    read_stored(top.tokenizer, setup, plugins);
  else if (!top.tokenizer.is_null())
    setup.tokenizer = plugins.prepare<Tokenizer>(top.tokenizer, "tokenizer");
  if (!top.model.is_null()) {
    setup.adaptation = read_adaptation(top.model, plugins.folder, problems);
    const std::size_t before = problems.size();
    const Value section = adapted_section(setup.adaptation, top.model, problems);
    if (problems.size() == before) setup.model = plugins.prepare<Model>(section, "model");
  }
  setup.objective = plugins.prepare<Objective>(
      top.objective.is_null() ? of_type("next_token") : top.objective, "objective");
  read_training(top, setup, root, plugins, problems);
  read_evaluation(top, setup, plugins, problems);
}

template <class Options>
Value written_options(const Options& options, SectionTables& tables) {
  return tables.of<Options>().write(&options);
}

// Every option with its value. The order is that of a hand-written file.
Value resolve(const RunSetup& setup, const TopLevel& top, SectionTables& tables) {
  std::vector<Value::Entry> entries;
  const auto add = [&](const char* key, Value value) {
    entries.emplace_back(key, std::move(value));
  };
  const auto add_plugin = [&](const char* key, const auto& prepared) {
    if (prepared) add(key, prepared.resolved());
  };
  add("name", Value::scalar(setup.name, true, {}));
  add("seed", Value::scalar(std::to_string(setup.seed), false, {}));
  add_plugin("dataset", setup.dataset);
  if (setup.stored_tokenizer)
    add("tokenizer", setup.tokenizer.resolved()
                         .with("from", Value::scalar(setup.tokenizer_from, true, {}))
                         .with("digest", Value::scalar(setup.stored_tokenizer->digest, true, {})));
  else
    add_plugin("tokenizer", setup.tokenizer);
  if (setup.model) add("model", with_adaptation(setup.adaptation, setup.model.resolved()));
  add_plugin("objective", setup.objective);
  add_plugin("optimizer", setup.optimizer);
  add_plugin("scheduler", setup.scheduler);
  if (setup.train) {
    TrainOptions train = *setup.train;
    train.shards = train.resolved_shards();
    add("train", written_options(train, tables));
  }
  if (!setup.probe) add("evaluate", written_options(setup.evaluate, tables));
  add_plugin("probe", setup.probe);
  if (setup.samples) add("samples", written_options(resolved_samples(setup), tables));
  if (setup.attention) add("attention", written_options(*setup.attention, tables));
  if (setup.decode) add("decode", written_options(*setup.decode, tables));
  if (!top.checkpoint.is_null()) add("checkpoint", written_options(setup.checkpoint, tables));
  if (!top.digest.is_null()) add("digest", written_options(setup.digest, tables));
  if (setup.durability != Durability::flush)
    add("durability", Value::scalar(top.durability, false, {}));
  if (!top.results.is_null()) add("results", written_options(setup.results, tables));
  return Value::map(std::move(entries), {});
}

Value without_keeping(const Value& config) {
  std::vector<Value::Entry> entries;
  for (const auto& entry : config.entries())
    if (!is_about_keeping(entry.first)) entries.push_back(entry);
  return Value::map(std::move(entries), {});
}

void collect_origins(const Value& resolved, const Value& written, const std::string& path,
                     Facts& facts) {
  if (resolved.is_map()) {
    for (const auto& [key, entry] : resolved.entries())
      collect_origins(entry, written, path.empty() ? key : path + "." + key, facts);
    return;
  }
  const Value* source = written.at_path(path);
  facts.emplace_back(path, source ? source->at().text() : "default");
}

template <class Interface>
void add_identity(const Prepared<Interface>& prepared, std::vector<PluginIdentity>& plugins) {
  if (!prepared) return;
  const PluginFacts& facts = prepared.entry().facts;
  const auto named = [&](const PluginIdentity& one) {
    return one.kind == facts.kind && one.name == facts.name;
  };
  if (std::none_of(plugins.begin(), plugins.end(), named))
    plugins.push_back(
        {facts.kind, facts.name, facts.version, facts.file.string(), prepared.entry().sha256});
}

}  // namespace

std::int64_t RunSetup::model_context() const {
  return std::max(train ? train->context : 1, evaluate_context());
}

std::vector<PluginIdentity> RunSetup::plugins() const {
  std::vector<PluginIdentity> plugins;
  add_identity(dataset, plugins);
  add_identity(tokenizer, plugins);
  add_identity(model, plugins);
  add_identity(objective, plugins);
  add_identity(optimizer, plugins);
  add_identity(scheduler, plugins);
  for (const auto& chain : samplers)
    for (const auto& sampler : chain) add_identity(sampler, plugins);
  add_identity(probe, plugins);
  return plugins;
}

void ResultsOptions::describe(OptionList<ResultsOptions>& o) {
  o.add("pack", &ResultsOptions::pack,
        "Finished runs of a sweep in one file; 1: a file for each. See results/README.md.")
      .at_least(1)
      .at_most(4096);
}

OptionTable experiment_options() {
  return describe_options<TopLevel>();
}

bool is_about_keeping(std::string_view path) {
  const std::string_view section = path.substr(0, path.find('.'));
  return section == "checkpoint" || section == "digest" || section == "durability" ||
         section == "results";
}

std::set<std::string> experiment_sections() {
  std::set<std::string> names;
  for (const OptionTable::Entry& entry : describe_options<TopLevel>().entries)
    if (entry.info.type == OptionInfo::Type::any) names.insert(entry.info.name);
  return names;
}

SetupReader::SetupReader(const std::filesystem::path& file, Registry& registry)
    : file_(file), folder_(std::filesystem::absolute(file).parent_path()), registry_(registry) {}

RunSetup SetupReader::read(const Value& config, Problems& problems) {
  RunSetup setup;
  setup.written = config;
  setup.experiment = folder_ / file_.filename();
  setup.data_folder = folder_;
  const Plugins plugins = {registry_, folder_, tables_, problems, known_};
  if (!config.is_map()) {
    problems.add(config.at(),
                 fmt::format("wanted an experiment (a map with dataset, model, ...), got {}",
                             describe(config)));
    return setup;
  }
  TopLevel top;
  tables_.of<TopLevel>().read(&top, config, "", "an experiment", problems);
  setup.name = top.name.empty() ? file_.stem().string() : top.name;
  setup.seed = static_cast<std::uint64_t>(top.seed);
  if (top.probe.is_null())
    read_run(top, setup, config, plugins, problems);
  else
    read_probe(top, setup, plugins, problems);
  setup.expectations = read_expectations(top.expect, problems);
  if (!top.checkpoint.is_null())
    read_section(setup.checkpoint, top.checkpoint, "checkpoint", tables_, problems);
  if (!top.results.is_null())
    read_section(setup.results, top.results, "results", tables_, problems);
  if (!top.digest.is_null()) read_section(setup.digest, top.digest, "digest", tables_, problems);
  if (top.durability == "fsync") setup.durability = Durability::fsync;
  if (!problems.empty()) return setup;

  setup.resolved = without_references(resolve(setup, top, tables_));
  setup.config = write_yaml(setup.resolved);
  const Value identity = without_keeping(setup.resolved);
  setup.config_hash = sha256_hex(identity.entries().size() == setup.resolved.entries().size()
                                     ? setup.config
                                     : write_yaml(identity));
  return setup;
}

Facts origins(const RunSetup& setup) {
  Facts facts;
  collect_origins(setup.resolved, setup.written, "", facts);
  return facts;
}

}  // namespace assay
