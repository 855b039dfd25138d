#include "experiment/materials.h"

#include <optional>
#include <string_view>

#include "base/error.h"
#include "config/yaml.h"

namespace assay {
namespace {

std::shared_ptr<const Material> load(const RunSetup& setup) {
  auto material = std::make_shared<Material>();
  std::shared_ptr<Dataset> dataset = setup.dataset.create({setup.data_folder});
  setup.dataset.locating([&] { dataset->load(); });
  std::shared_ptr<Tokenizer> tokenizer;
  if (setup.tokenizer) {
    std::optional<std::string_view> text;
    setup.dataset.locating([&] { text = dataset->text(Split::train); });
    if (!text)
      throw Error(ExitCode::usage,
                  problem_text(setup.written.find("tokenizer")->at(),
                               "tokenizer: this dataset has no text to tokenize; remove the "
                               "section"));
    tokenizer = setup.tokenizer.create({setup.data_folder});
    if (setup.stored_tokenizer)
      restore(*tokenizer, setup.stored_tokenizer->state);
    else
      setup.tokenizer.locating([&] { tokenizer->train(*text); });
    const std::string owner = "tokenizer '" + setup.tokenizer.entry().facts.name + "': ";
    for (const std::string& note : tokenizer->notes()) material->notes.push_back(owner + note);
    StateIo io = StateIo::saving(material->tokenizer_state);
    tokenizer->state(io);
  }
  setup.dataset.locating([&] { dataset->tokenize(tokenizer.get()); });
  for (std::string& note : dataset->notes()) material->notes.push_back(std::move(note));
  material->dataset = std::move(dataset);
  material->tokenizer = std::move(tokenizer);
  return material;
}

}  // namespace

std::shared_ptr<const Material> Materials::get(const RunSetup& setup) {
  std::string key = setup.data_folder.string() + "\n" + write_yaml(setup.dataset.resolved());
  if (setup.stored_tokenizer)
    key += setup.stored_tokenizer->digest;
  else if (setup.tokenizer)
    key += write_yaml(setup.tokenizer.resolved());
  auto& known = known_[key];
  if (!known) known = load(setup);
  return known;
}

}  // namespace assay
