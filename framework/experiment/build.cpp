#include "experiment/build.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "base/text.h"
#include "results/digest.h"
#include "train/decoding.h"
#include "train/pace.h"

namespace assay {
namespace {

// path: into the experiment; empty, or one that is not written: the whole.
[[noreturn]] void refuse(const RunSetup& setup, std::string_view path, const std::string& message) {
  const Value* value = setup.written.at_path(path);
  throw Error(ExitCode::usage, problem_text((value ? *value : setup.written).at(), message));
}

// "temperature 0.8", "beam width 5 length_penalty 1": its type, and its options by name, but for
// one that is called as it is.
std::string sampler_name(const Value& section) {
  std::string name;
  for (const auto& [key, value] : section.entries()) {
    const bool type = key == "type", alike = key == section.find("type")->text();
    if (value.is_scalar()) name += (type ? "" : alike ? " " : " " + key + " ") + value.text();
  }
  return name;
}

// An error that begins with the key it is about ("model.trainable: ...") gets that one's place.
template <class Work>
void placing(const RunSetup& setup, Work work) {
  try {
    work();
  } catch (const Error& error) {
    const std::string_view message = error.what();
    refuse(setup, message.substr(0, message.find(':')), std::string(message));
  }
}

}  // namespace

Error refused_pass(const RunSetup& setup, const Error& error) {
  const std::string message =
      fmt::format("model '{}' with objective '{}': {}", setup.model.entry().facts.name,
                  setup.objective.entry().facts.name, error.what());
  return Error(error.code(), problem_text(setup.written.find("model")->at(), message));
}

BuiltRun::BuiltRun(const RunSetup& setup, std::shared_ptr<const Material> material)
    : setup_(setup), material_(std::move(material)) {
  spec_ = dataset().spec({setup.model_context(), 0});
  add_adapters(setup.adaptation, parameters_);
  model_ = setup.model.create({spec_, setup.model_context(), Scope(parameters_), setup.seed});
  placing(setup, [&] { choose_trainable(setup.adaptation, parameters_); });
  starting_weights_ = read_starting_weights(setup.adaptation);
  refuse_other_tokens();
  placing(setup, [&] { note_start(); });
  objective_ = setup.objective.create({spec_});
  const bool counts = model_->learns_by_counting();
  const std::string name = setup.model.entry().facts.name;
  if (counts && setup.train)
    refuse(setup, "train",
           fmt::format("train: model '{}' learns by counting; remove the sections train, optimizer "
                       "and scheduler",
                       name));
  if (!counts && !setup.train)
    refuse(setup, "",
           fmt::format("train: missing, and model '{}' learns by gradients; write train: {{steps: "
                       "1000, batch: 32, context: 64}}",
                       name));
  refuse_looking_both_ways();
  refuse_no_text();
  make_samples();
  refuse_unattended();
  refuse_undecodable();
  if (setup.train) {
    optimizer_ = setup.optimizer.create({parameters_});
    const Pace pace = training_pace(*setup.train, dataset(), train_request());
    steps_ = pace.steps(setup.train->steps);
    scheduler_ = setup.scheduler.create({steps_, optimizer_->learning_rate(), pace});
  } else if (model_->readings() > 1) {
    steps_ = model_->readings();
  }
  dataset().examples(Split::train, train_request());
  dataset().examples(Split::validation, evaluate_request());
}

void BuiltRun::refuse_looking_both_ways() const {
  if (model_->causal()) return;
  // Where the section is written; the model's place for one that is there by default.
  const auto place = [&](const char* section) {
    return setup_.written.find(section) ? section : "model";
  };
  const std::string name = setup_.model.entry().facts.name;
  if (objective_->needs_causal_model())
    refuse(setup_, place("objective"),
           fmt::format("objective: '{}' has the model predict what follows, but model '{}' looks "
                       "both ways and would see it; choose another objective, or a causal model",
                       setup_.objective.entry().facts.name, name));
  if (setup_.samples)
    refuse(setup_, "samples",
           fmt::format("samples: model '{}' looks both ways, so that no text can be generated from "
                       "it; remove the section",
                       name));
}

void BuiltRun::refuse_no_text() const {
  if (setup_.samples && spec_.field("target").length == 0)
    refuse(setup_, "samples",
           fmt::format("samples: model '{}' gives one answer per row, and no text; remove the "
                       "section",
                       setup_.model.entry().facts.name));
}

std::int32_t BuiltRun::stop_id() const {
  const std::string& stop = setup_.samples->stop;
  if (stop.empty()) return -1;
  const std::int32_t id = material_->tokenizer ? material_->tokenizer->special(stop) : -1;
  if (id < 0)
    refuse(setup_, "samples.stop",
           fmt::format("samples.stop: the tokenizer has no special token {0}; give it one, such as "
                       "tokenizer: {{type: byte_bpe, special: [{0}], read_special: true}}",
                       quote(stop)));
  return id;
}

void BuiltRun::make_samples() {
  if (!setup_.samples) return;
  const WritingModel asked = {*model_,   parameters_, spec_, {material_->tokenizer.get(), spec_},
                              stop_id(), setup_.seed};
  std::vector<SamplerChain> chains;
  for (const auto& prepared : setup_.samplers) {
    SamplerChain& chain = chains.emplace_back();
    for (const auto& sampler : prepared) {
      chain.samplers.push_back(sampler.create({}));
      chain.name += (chain.name.empty() ? "" : ", ") + sampler_name(sampler.resolved());
    }
  }
  const Value* section = setup_.written.find("samples");
  try {
    samples_.emplace(asked, std::move(chains), *setup_.samples);
  } catch (const Error& error) {
    throw Error(error.code(), fmt::format("{}: {}", section->at().text(), error.what()));
  }
}

// What can be known before the first step; which layers attend shows a pass over the text.
void BuiltRun::refuse_unattended() const {
  if (!setup_.attention) return;
  const Value& section = *setup_.written.find("attention");
  try {
    if (model_->learns_by_counting())
      throw Error(ExitCode::usage,
                  fmt::format("model '{}' learns by counting and has no attention; remove the "
                              "section",
                              setup_.model.entry().facts.name));
    const TextCodec codec(material_->tokenizer.get(), spec_);
    attended_ids({*model_, parameters_, spec_, codec}, setup_.attention->text, "text");
  } catch (const Error& error) {
    throw Error(error.code(), fmt::format("{}: attention: {}", section.at().text(), error.what()));
  }
}

Attended BuiltRun::attended() const {
  if (!setup_.attention) return {};
  const TextCodec codec(material_->tokenizer.get(), spec_);
  const std::string where = setup_.written.find("attention")->at().text() + ": attention";
  const std::vector<std::string>& patterns = setup_.attention->layers;
  Attended found =
      attend({*model_, parameters_, spec_, codec}, setup_.attention->text, where + ".text");
  std::vector<std::string> paths;
  for (const auto& [path, maps] : found) paths.push_back(path);
  for (const std::string& pattern : patterns)
    if (std::none_of(paths.begin(), paths.end(),
                     [&](const std::string& path) { return matches_path(pattern, path); }))
      throw Error(ExitCode::usage, fmt::format("{}.layers: no layer is like {}; there are {}",
                                               where, quote(pattern), join(paths)));
  std::erase_if(found, [&](const auto& layer) {
    return std::none_of(patterns.begin(), patterns.end(), [&](const std::string& pattern) {
      return matches_path(pattern, layer.first);
    });
  });
  return found;
}

void BuiltRun::refuse_undecodable() const {
  if (!setup_.decode) return;
  if (!objective_->needs_causal_model())
    refuse(setup_, "decode",
           fmt::format("decode: needs a model that tells what follows, and objective '{}' teaches "
                       "something else; remove the section",
                       setup_.objective.entry().facts.name));
  if (spec_.find("source"))
    refuse(setup_, "decode",
           "decode: the model reads a source, and there is none beside a beginning; remove the "
           "section");
  const DecodeOptions& o = *setup_.decode;
  if (o.prompt.empty())
    dataset().examples(Split::validation, {o.context + o.length, 0});
  else if (!material_->tokenizer)
    refuse(setup_, "decode.prompt",
           "decode.prompt: there is no tokenizer to read it; remove it, and beginnings from the "
           "validation split are continued");
  else
    material_->tokenizer->encode(o.prompt, "decode.prompt");
}

std::map<std::string, double> BuiltRun::decoded() const {
  if (!setup_.decode) return {};
  return decode({*model_, parameters_, dataset(), material_->tokenizer.get()}, *setup_.decode);
}

// Weights that learned from ids continue with the ids of the same tokenizer only.
void BuiltRun::refuse_other_tokens() const {
  if (!starting_weights_ || !starting_weights_->tokenizer ||
      digest(*starting_weights_->tokenizer) == digest(material_->tokenizer_state))
    return;
  refuse(setup_, "model.from",
         fmt::format("model.from: {} learned from the ids of another tokenizer; write tokenizer: "
                     "{{from: {}}}",
                     starting_weights_->where, setup_.adaptation.options.from));
}

void BuiltRun::note_start() {
  if (starting_weights_) {
    const auto fresh = new_parameters(*starting_weights_, parameters_);
    start_facts_.emplace_back("started from", starting_weights_->where);
    if (!fresh.empty()) start_facts_.emplace_back("new parameters", join(fresh));
  }
  if (setup_.adaptation.any())
    start_facts_.emplace_back("trained numbers",
                              fmt::format("{} of {}", human_count(trainable_count(parameters_)),
                                          human_count(parameters_.count())));
}

Request BuiltRun::train_request() const {
  return {setup_.train ? setup_.train->context : setup_.evaluate_context(), model_->history()};
}

Request BuiltRun::evaluate_request() const {
  return {setup_.evaluate_context(), model_->history()};
}

Trainer& BuiltRun::start() {
  parameters_.initialise(setup_.seed);
  if (starting_weights_) start_from(*starting_weights_, parameters_);
  starting_weights_.reset();
  attended();  // refuses what it cannot show while nothing is lost
  RunSettings settings;
  settings.seed = setup_.seed;
  settings.evaluate = setup_.evaluate;
  settings.evaluate_context = setup_.evaluate_context();
  settings.best = setup_.checkpoint.best;
  settings.digest_every = setup_.digest.every;
  if (setup_.train) settings.train = *setup_.train;
  const RunParts parts = {dataset(),   *objective_,      *model_,
                          parameters_, optimizer_.get(), scheduler_.get()};
  return trainer_.emplace(parts, settings);
}

}  // namespace assay
