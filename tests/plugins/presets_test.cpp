// The bundled presets of models against the numbers of parameters that the field knows them by.
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>

#include "plugins/model_under_test.h"

namespace assay {
namespace {

std::int64_t count(const std::string& preset, const DataSpec& spec, std::int64_t context) {
  std::ifstream file(std::string(ASSAY_TESTS) + "/../plugins/config/model/" + preset + ".yaml");
  std::stringstream yaml;
  yaml << file.rdbuf();
  Parameters parameters;
  make<Model>(yaml.str(), {spec, context, Scope(parameters)});
  return parameters.count();
}

TEST(Preset, Gpt2SmallHas124439808Parameters) {
  EXPECT_EQ(count("gpt2-small", token_spec(50257, 1024), 1024), 124439808);
}

// llama2.c, stories15M: dim 288, 6 layers, 6 heads, hidden 768, 32,000 tokens, tied.
TEST(Preset, LlamaTinyHas15191712Parameters) {
  EXPECT_EQ(count("llama-tiny", token_spec(32000, 256), 256), 15191712);
}

// Of transformers' BertForMaskedLM and BertForSequenceClassification with the configuration of
// google/bert_uncased_L-4_H-256_A-4: 30,522 ids, of which ours count the mask and the class token
// apart; 512 positions, the class token's among them.
TEST(Preset, BertMiniHasTheParametersOfBertMini) {
  EXPECT_EQ(count("bert-mini", token_spec(30520, 511), 511), 11201594);
  const DataSpec rows = {{{"input", 30520, 511, 0}, {"target", 2, 0, 0}}};
  EXPECT_EQ(count("bert-mini", rows, 511), 11170560 + 2 * 256 + 2);
}

}  // namespace
}  // namespace assay
