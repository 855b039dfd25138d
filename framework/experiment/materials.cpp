#include "experiment/materials.h"

#include <optional>
#include <string_view>

#include "base/error.h"
#include "config/yaml.h"
#include "io/sha256.h"

namespace assay {
namespace {

// The options of a plugin but for where its files are.
template <class Interface>
std::string without_files(const Prepared<Interface>& prepared) {
  Value options = prepared.resolved();
  for (const OptionTable::Entry& entry : prepared.entry().options.entries)
    if (entry.info.names_file) options = options.without(entry.info.name);
  return write_yaml(options);
}

}  // namespace

Materials::Learned Materials::learned(const RunSetup& setup, const Dataset& dataset) {
  std::optional<std::string_view> text;
  setup.dataset.locating([&] { text = dataset.text(Split::train); });
  if (!text)
    throw Error(ExitCode::usage, problem_text(setup.written.find("tokenizer")->at(),
                                              "tokenizer: this dataset has no text to tokenize; "
                                              "remove the section"));
  // Files of its own are where the experiment is.
  const std::string key =
      setup.stored_tokenizer
          ? setup.stored_tokenizer->digest
          : setup.data_folder.string() + write_yaml(setup.tokenizer.resolved()) + sha256_hex(*text);
  if (const auto known = learned_.find(key); known != learned_.end()) return known->second;
  const std::shared_ptr<Tokenizer> tokenizer = setup.tokenizer.create({setup.data_folder});
  if (setup.stored_tokenizer)
    restore(*tokenizer, setup.stored_tokenizer->state);
  else
    setup.tokenizer.locating([&] { tokenizer->train(*text); });
  ++work_.trained;
  Learned fresh;
  fresh.key = key;
  StateIo io = StateIo::saving(fresh.state);
  tokenizer->state(io);
  fresh.tokenizer = tokenizer;
  return learned_.emplace(key, std::move(fresh)).first->second;
}

std::shared_ptr<const Material> Materials::load(const RunSetup& setup) {
  const std::shared_ptr<Dataset> dataset = setup.dataset.create({setup.data_folder});
  setup.dataset.locating([&] { dataset->load(); });
  ++work_.loaded;
  Learned with;
  if (setup.tokenizer) with = learned(setup, *dataset);
  const std::string key = dataset->digest() + without_files(setup.dataset) + with.key;
  auto& known = by_content_[key];
  if (known) return known;
  auto material = std::make_shared<Material>();
  if (with.tokenizer) {
    const std::string owner = "tokenizer '" + setup.tokenizer.entry().facts.name + "': ";
    for (const std::string& note : with.tokenizer->notes()) material->notes.push_back(owner + note);
  }
  setup.dataset.locating([&] { dataset->tokenize(with.tokenizer.get()); });
  ++work_.tokenized;
  for (std::string& note : dataset->notes()) material->notes.push_back(std::move(note));
  material->dataset = dataset;
  material->tokenizer = std::move(with.tokenizer);
  material->tokenizer_state = std::move(with.state);
  known = material;
  return known;
}

std::shared_ptr<const Material> Materials::get(const RunSetup& setup) {
  std::string key = setup.data_folder.string() + "\n" + write_yaml(setup.dataset.resolved());
  if (setup.stored_tokenizer)
    key += setup.stored_tokenizer->digest;
  else if (setup.tokenizer)
    key += write_yaml(setup.tokenizer.resolved());
  auto& known = by_sections_[key];
  if (!known) known = load(setup);
  return known;
}

}  // namespace assay
