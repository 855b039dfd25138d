#include "experiment/materials.h"

#include <gtest/gtest.h>
#include <malloc.h>
#include <unistd.h>

#include <fstream>

#include "config/yaml.h"
#include "plugins/bundled.h"
#include "support/temporary_folder.h"

namespace assay {
namespace {

double resident_megabytes() {
  std::ifstream in("/proc/self/statm");
  double all = 0, resident = 0;
  in >> all >> resident;
  return resident * static_cast<double>(::sysconf(_SC_PAGESIZE)) / 1e6;
}

class MaterialsOfASweep : public testing::Test {
 protected:
  MaterialsOfASweep() {
    std::string play;
    for (int line = 0; line < 40; ++line) play += "resolved rather to die than to famish\n";
    put(folder_ / "play.txt", play);
    put(folder_ / "copy.txt", play);
    put(folder_ / "other.txt", play + "other\n");
  }
  void write(const std::string& name, const std::string& text) { put(folder_ / name, text); }
  std::string folder_name() const { return (folder_ / "").parent_path().filename().string(); }
  const Materials::Work& work() const { return materials_.work(); }
  std::shared_ptr<const Material> get(const std::string& model, const std::string& tokenizer,
                                      const std::string& data = "source: play.txt") {
    Problems problems;
    const RunSetup setup = reader_.read(
        read_yaml("name: x\ndataset: {type: text, " + data + "}\ntokenizer: " + tokenizer +
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

TEST_F(MaterialsOfASweep, FilesOfEqualContentsAreOneTokenizationInMemory) {
  const auto first = get("{type: ngram}", "{type: char}");
  for (const char* data :
       {"source: copy.txt",
        "source: ../" /* of the folder */ "NAME/play.txt", "source: play.txt, validation: 0.1"}) {
    std::string written = data;
    if (const auto at = written.find("NAME"); at != written.npos)
      written.replace(at, 4, folder_name());
    EXPECT_EQ(get("{type: ngram}", "{type: char}", written), first) << written;
  }
  EXPECT_EQ(work().trained, 1);
  EXPECT_EQ(work().tokenized, 1);
  EXPECT_NE(get("{type: ngram}", "{type: char}", "source: other.txt"), first);
  EXPECT_EQ(work().tokenized, 2);
}

TEST_F(MaterialsOfASweep, DatasetsWithEqualTrainingTextsShareTheirTokenizer) {
  const std::string bpe = "{type: bpe, merges: 5}";
  const auto first = get("{type: ngram}", bpe);
  const auto kept = get("{type: ngram}", bpe, "source: play.txt, newlines: keep");
  EXPECT_NE(kept->dataset, first->dataset);
  EXPECT_EQ(kept->tokenizer, first->tokenizer);
  EXPECT_EQ(work().trained, 1);
  EXPECT_EQ(work().tokenized, 2);
}

// 8 MB of text, as tokens of 4 bytes: what a second and a third run with it need is next to
// nothing.
TEST_F(MaterialsOfASweep, MemoryHoldsOneTokenizationHoweverManyRunsUseIt) {
  std::string long_play;
  while (long_play.size() < 8'000'000) long_play += "resolved rather to die than to famish\n";
  write("long.txt", long_play);
  write("twin.txt", long_play);
  long_play = std::string();
  std::vector<std::shared_ptr<const Material>> held;
  const auto grown = [&](const std::string& data) {
    malloc_trim(0);  // of what was freed before
    const double before = resident_megabytes();
    held.push_back(get("{type: ngram}", "{type: char}", data));
    malloc_trim(0);
    return resident_megabytes() - before;
  };
  EXPECT_GT(grown("source: long.txt"), 30);
  EXPECT_LT(grown("source: long.txt"), 4);
  EXPECT_LT(grown("source: twin.txt"), 4);
}

}  // namespace
}  // namespace assay
