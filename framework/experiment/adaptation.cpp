#include "experiment/adaptation.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "base/text.h"
#include "config/yaml.h"
#include "experiment/forerunner.h"
#include "experiment/gpt2_names.h"
#include "experiment/stated_files.h"
#include "experiment/stored_tokenizer.h"
#include "results/digest.h"
#include "results/run_file.h"
#include "results/safetensors.h"

namespace assay {
namespace {

constexpr const char* kIn = "/lora_a";
constexpr const char* kOut = "/lora_b";

Value model_section(const std::filesystem::path& file) {
  const RunRecord record = read_run(file, false);
  const Value config = read_yaml(record.config, file.string() + ": config");
  const Value* section = config.find("model");
  if (!section)
    throw Error(ExitCode::data, fmt::format("{}: run {} of {} had no model", file.string(),
                                            record.run, record.name));
  return without_adaptation(*section);
}

std::vector<float>& floats(StateArray& array) {
  return std::get<std::vector<float>>(array.data);
}

bool is_safetensors(const std::filesystem::path& file) {
  return file.extension() == ".safetensors";
}

bool is_adapter(const std::string& path) {
  return path.ends_with(kIn) || path.ends_with(kOut);
}

// The paths, and patterns of many of them: "layer*/attention/q", "head/*".
std::vector<std::string> paths_and_patterns(const Parameters& parameters) {
  std::vector<std::string> all, patterns;
  for (const ParameterInfo& info : parameters.infos()) {
    all.push_back(info.path);
    std::string any;
    for (const char c : info.path) {
      const bool digit = c >= '0' && c <= '9';
      if (!digit)
        any += c;
      else if (!any.ends_with('*'))
        any += '*';
      if (c == '/') patterns.push_back(any + "*");
    }
    patterns.push_back(any);
  }
  all.insert(all.end(), patterns.begin(), patterns.end());
  return all;
}

std::string shape_text(const std::vector<std::int64_t>& shape) {
  return fmt::format("({})", fmt::join(shape, ", "));
}

std::vector<std::int64_t> extents(const Shape& shape) {
  std::vector<std::int64_t> all;
  for (int i = 0; i < shape.rank(); ++i) all.push_back(shape[i]);
  return all;
}

// Whether an array of a file can be a parameter, or its first rows the positions.
bool fits(const StateArray& array, const ParameterInfo& info) {
  const std::vector<std::int64_t> wanted = extents(info.shape), &held = array.shape;
  if (held == wanted) return true;
  return info.path.ends_with("position") && held.size() == 2 && wanted.size() == 2 &&
         held[1] == wanted[1] && held[0] > wanted[0];
}

}  // namespace

const Checkpoint& stored_checkpoint(const RunRecord& record, const std::string& name,
                                    const std::string& file) {
  const auto found = record.checkpoints.find(name);
  if (found != record.checkpoints.end()) return found->second;
  // The best one is kept only where it is not the last.
  const auto final = record.checkpoints.find("final");
  if (name == "best" && final != record.checkpoints.end()) return final->second;
  std::vector<std::string> names;
  for (const auto& [one, checkpoint] : record.checkpoints) names.push_back(one);
  throw Error(ExitCode::data, fmt::format("{}: no checkpoint {}; it has {}", file, quote(name),
                                          names.empty() ? "none" : join(names)));
}

void LoraOptions::describe(OptionList<LoraOptions>& o) {
  o.add("rank", &LoraOptions::rank, "Rank R of the adapters.").at_least(1);
  o.add("alpha", &LoraOptions::alpha, "Adapters count alpha / rank times; default: once.").above(0);
  o.add("on", &LoraOptions::on, "Patterns of the matrices, such as layer*/attention/q.").required();
}

void AdaptationOptions::describe(OptionList<AdaptationOptions>& o) {
  o.add("from", &AdaptationOptions::from,
        "Result file, experiment or safetensors whose weights training starts from.")
      .names_file();
  o.add("checkpoint", &AdaptationOptions::checkpoint, "Which of its checkpoints.")
      .one_of({"final", "best"});
  o.add("digest", &AdaptationOptions::digest, "What these weights must be.");
  o.add("trainable", &AdaptationOptions::trainable,
        "Patterns of the parameters that are trained, such as head/*; default: all.");
  o.add("lora", &AdaptationOptions::lora, "Low-rank adapters: only they are trained.")
      .section(describe_options<LoraOptions>());
}

std::vector<std::string> adaptation_keys() {
  std::vector<std::string> keys;
  for (const auto& entry : describe_options<AdaptationOptions>().entries)
    keys.push_back(entry.info.name);
  return keys;
}

Value without_adaptation(const Value& section) {
  Value rest = section;
  for (const std::string& key : adaptation_keys()) rest = rest.without(key);
  return rest;
}

Adaptation read_adaptation(const Value& section, const std::filesystem::path& folder,
                           Problems& problems) {
  Adaptation adaptation;
  if (!section.is_map()) return adaptation;
  std::vector<Value::Entry> entries;
  std::vector<Location> places;
  for (const std::string& key : adaptation_keys())
    if (const auto index = section.index_of(key)) {
      entries.push_back(section.entries()[*index]);
      places.push_back(section.key_location(*index));
    }
  if (entries.empty()) return adaptation;
  const OptionTable table = describe_options<AdaptationOptions>();
  const Value own = with_stated_files(
      Value::map(std::move(entries), section.at(), std::move(places)), table, folder);
  table.read(&adaptation.options, own, "model", "section 'model'", problems);
  if (!adaptation.options.lora.is_null()) {
    adaptation.lora.emplace();
    describe_options<LoraOptions>().read(&*adaptation.lora, adaptation.options.lora, "model.lora",
                                         "section 'lora'", problems);
  }
  if (!adaptation.options.from.empty())
    adaptation.file = find_stored_tokenizer(adaptation.options.from, folder);
  return adaptation;
}

Value adapted_section(const Adaptation& adaptation, const Value& section, Problems& problems) {
  const Value own = without_adaptation(section);
  if (is_safetensors(adaptation.file) && !own.find("type"))
    problems.add(section.at(),
                 fmt::format("model.type: is missing, and {} has weights alone; write the type and "
                             "options of their model beside from, such as type: gpt",
                             adaptation.options.from));
  if (adaptation.file.empty() || !adaptation.options.digest.empty() ||
      is_safetensors(adaptation.file))
    return own;
  const Value stored = model_section(adaptation.file);
  const Value *type = own.find("type"), *held = stored.find("type");
  if (type && held && type->text() != held->text())
    problems.add(type->at(), fmt::format("model.type: {}, but the weights of {} are those of {}; "
                                         "remove type",
                                         type->text(), adaptation.options.from, held->text()));
  return merge(stored, own);
}

Value with_adaptation(const Adaptation& adaptation, Value resolved) {
  const AdaptationOptions& o = adaptation.options;
  if (!o.from.empty()) {
    const std::string digest_of_weights =
        o.digest.empty() ? digest(read_starting_weights(adaptation)->weights) : o.digest;
    resolved = resolved.with("from", Value::scalar(o.from, true, {}))
                   .with("checkpoint", Value::scalar(o.checkpoint, true, {}))
                   .with("digest", Value::scalar(digest_of_weights, true, {}));
  }
  if (!o.trainable.empty())
    resolved = resolved.with("trainable",
                             *describe_options<AdaptationOptions>().write(&o).find("trainable"));
  if (adaptation.lora)
    resolved = resolved.with("lora", describe_options<LoraOptions>().write(&*adaptation.lora));
  return resolved;
}

std::optional<StartingWeights> read_starting_weights(const Adaptation& adaptation) {
  if (adaptation.file.empty()) return std::nullopt;
  if (adaptation.options.digest == kUnknownDigest) return std::nullopt;
  const std::string file = adaptation.file.string();
  StartingWeights start;
  if (is_safetensors(adaptation.file)) {
    State weights = read_safetensors(adaptation.file);
    if (has_gpt2_names(weights)) weights = from_gpt2_names(weights);
    start = {adaptation.options.from, std::move(weights), std::nullopt};
  } else {
    RunRecord record = read_run(adaptation.file);
    const Checkpoint& from = stored_checkpoint(record, adaptation.options.checkpoint, file);
    if (from.weights.empty())
      throw Error(ExitCode::data, fmt::format("{}: its model counts, and has no weights", file));
    start = {fmt::format("{}, step {}", adaptation.options.from, from.step), from.weights,
             std::move(record.tokenizer)};
  }
  const std::string& wanted = adaptation.options.digest;
  if (!wanted.empty() && digest(start.weights) != wanted)
    throw Error(ExitCode::data,
                fmt::format("model.from: {} holds other weights, {}, than those that were wanted, "
                            "{}; name the file of these",
                            file, digest(start.weights), wanted));
  return start;
}

void add_adapters(const Adaptation& adaptation, Parameters& parameters) {
  if (adaptation.lora)
    parameters.adapt({adaptation.lora->rank, adaptation.lora->scale(), adaptation.lora->on});
}

namespace {

[[noreturn]] void refuse_pattern(const char* key, const std::string& pattern, const char* what,
                                 const Parameters& parameters) {
  const auto near = near_match(pattern, paths_and_patterns(parameters));
  std::vector<std::string> paths;
  for (const ParameterInfo& info : parameters.infos())
    if (!is_adapter(info.path)) paths.push_back(info.path);
  throw Error(ExitCode::usage, fmt::format("{}: {} matches no {}{}", key, quote(pattern), what,
                                           near ? fmt::format("; did you mean {}?", *near)
                                                : "; this model has " + join(paths)));
}

}  // namespace

void choose_trainable(const Adaptation& adaptation, Parameters& parameters) {
  if (adaptation.lora)
    for (const std::string& pattern : adaptation.lora->on) {
      const bool found = std::any_of(
          parameters.infos().begin(), parameters.infos().end(), [&](const ParameterInfo& info) {
            if (!info.path.ends_with(kIn)) return false;
            const std::string layer = info.path.substr(0, info.path.size() - 7);
            return matches_path(pattern, layer) || matches_path(pattern, layer + "/weight");
          });
      if (!found) refuse_pattern("model.lora.on", pattern, "linear layer", parameters);
    }
  const std::vector<std::string>& patterns = adaptation.options.trainable;
  if (patterns.empty() && !adaptation.lora) return;
  std::vector<bool> used(patterns.size());
  for (std::int32_t i = 0; i < parameters.size(); ++i) {
    const std::string& path = parameters.info({i}).path;
    bool trains = adaptation.lora && is_adapter(path);
    for (std::size_t p = 0; p < patterns.size(); ++p)
      if (matches_path(patterns[p], path)) trains = used[p] = true;
    parameters.set_trainable({i}, trains);
  }
  for (std::size_t p = 0; p < patterns.size(); ++p) {
    if (!used[p]) refuse_pattern("model.trainable", patterns[p], "parameter", parameters);
  }
}

std::vector<std::string> new_parameters(const StartingWeights& start,
                                        const Parameters& parameters) {
  std::vector<std::string> fresh;
  for (const ParameterInfo& info : parameters.infos()) {
    const auto found = start.weights.find(info.path);
    if (found != start.weights.end() && fits(found->second, info)) continue;
    if (found != start.weights.end() && !info.path.starts_with("head"))
      throw Error(ExitCode::usage,
                  fmt::format("model.from: {} has shape {} in {}, and {} here; only heads may "
                              "differ, and positions may be fewer",
                              info.path, shape_text(found->second.shape), start.where,
                              shape_text(extents(info.shape))));
    fresh.push_back(info.path);
  }
  if (fresh.size() == parameters.infos().size())
    throw Error(ExitCode::usage, fmt::format("model.from: {} has none of the parameters of this "
                                             "model",
                                             start.where));
  return fresh;
}

void start_from(const StartingWeights& start, Parameters& parameters) {
  for (std::int32_t i = 0; i < parameters.size(); ++i) {
    const ParameterInfo& info = parameters.info({i});
    const auto found = start.weights.find(info.path);
    if (found == start.weights.end() || !fits(found->second, info)) continue;
    const auto& from = std::get<std::vector<float>>(found->second.data);
    std::copy_n(from.begin(), info.shape.elements(), parameters.values({i}).begin());
  }
}

std::int64_t trainable_count(const Parameters& parameters) {
  std::int64_t count = 0;
  for (const ParameterInfo& info : parameters.infos())
    if (info.trainable) count += info.shape.elements();
  return count;
}

RunRecord merged(const RunRecord& record, const std::string& where) {
  RunRecord result = record;
  const Value config = read_yaml(record.config, where + ": config");
  const Value* section = config.find("model");
  const Value* lora = section ? section->find("lora") : nullptr;
  if (!lora)
    throw Error(ExitCode::usage, fmt::format("{}: its model has no adapters to be merged", where));
  LoraOptions options;
  Problems problems;
  describe_options<LoraOptions>().read(&options, *lora, "model.lora", "section 'lora'", problems);
  problems.raise();
  for (auto& [name, checkpoint] : result.checkpoints) {
    State& weights = checkpoint.weights;
    std::vector<std::string> adapted;
    for (const auto& [path, array] : weights)
      if (path.ends_with(kIn)) adapted.push_back(path.substr(0, path.size() - 7));
    for (const std::string& layer : adapted) {
      const auto bare = weights.find(layer);
      StateArray& matrix = bare != weights.end() ? bare->second : weights.at(layer + "/weight");
      StateArray &in = weights.at(layer + kIn), &out = weights.at(layer + kOut);
      const auto inputs = static_cast<std::size_t>(in.shape[0]);
      const auto rank = static_cast<std::size_t>(in.shape[1]);
      const auto outputs = static_cast<std::size_t>(out.shape[1]);
      for (std::size_t i = 0; i < inputs; ++i)
        for (std::size_t j = 0; j < outputs; ++j) {
          double sum = 0;
          for (std::size_t r = 0; r < rank; ++r)
            sum += double{floats(in)[i * rank + r]} * double{floats(out)[r * outputs + j]};
          float& w = floats(matrix)[i * outputs + j];
          w = static_cast<float>(w + options.scale() * sum);
        }
      weights.erase(layer + kIn);
      weights.erase(layer + kOut);
    }
    checkpoint.optimizer.clear();  // its moments are those of the adapters
  }
  result.config = write_yaml(config.with("model", without_adaptation(*section)));
  const auto final = result.checkpoints.find("final");
  if (final != result.checkpoints.end()) {
    result.digest = digest(final->second.weights);
    result.parameters = 0;
    for (const auto& [path, array] : final->second.weights)
      result.parameters +=
          static_cast<std::int64_t>(std::get<std::vector<float>>(array.data).size());
  }
  result.history.emplace_back(std::to_string(record.steps), "adapters merged, from " + where);
  return result;
}

}  // namespace assay
