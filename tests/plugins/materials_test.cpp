#include "experiment/materials.h"

#include <gtest/gtest.h>

#include "config/yaml.h"
#include "plugins/bundled.h"
#include "support/temporary_folder.h"

namespace assay {
namespace {

class MaterialsOfASweep : public testing::Test {
 protected:
  MaterialsOfASweep() {
    std::string play;
    for (int line = 0; line < 40; ++line) play += "resolved rather to die than to famish\n";
    put(folder_ / "play.txt", play);
  }
  std::shared_ptr<const Material> get(const std::string& model, const std::string& tokenizer) {
    Problems problems;
    const RunSetup setup = reader_.read(
        read_yaml("name: x\ndataset: {type: text, source: play.txt}\ntokenizer: " + tokenizer +
                      "\nmodel: " + model +
                      "\nobjective: {type: next_token}\nevaluate: {windows: all, context: 4}\n",
                  "x.yaml"),
        problems);
    problems.raise();
    return materials_.get(setup);
  }

 private:
  TemporaryFolder folder_;
  Registry registry_{{ASSAY_BUNDLED_PLUGINS}};
  SetupReader reader_{folder_ / "x.yaml", registry_};
  Materials materials_;
};

TEST_F(MaterialsOfASweep, TrainsATokenizerOnceForAllRunsThatShareIt) {
  const auto first = get("{type: ngram, context: 1}", "{type: bpe, merges: 5}");
  const auto second = get("{type: ngram, context: 2}", "{type: bpe, merges: 5}");
  EXPECT_EQ(first->tokenizer, second->tokenizer);
  EXPECT_EQ(first->dataset, second->dataset);
  const auto other = get("{type: ngram, context: 2}", "{type: bpe, merges: 6}");
  EXPECT_NE(first->tokenizer, other->tokenizer);
  EXPECT_EQ(other->tokenizer->vocabulary(), first->tokenizer->vocabulary() + 1);
}

}  // namespace
}  // namespace assay
