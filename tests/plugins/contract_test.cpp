// Every bundled plugin keeps the contract of its kind. A new plugin is tested without a line here;
// options that make it small, or that it needs, or that switch on more of it, are in the table.
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>
#include <vector>

#include "config/yaml.h"
#include "contract/contract.h"
#include "support/temporary_folder.h"

namespace assay {
namespace {

/// "kind name" -> the sections to test it with.
const std::map<std::string, std::vector<std::string>>& samples() {
  static const std::map<std::string, std::vector<std::string>> table = {
      {"dataset text", {"{type: text, source: play.txt}"}},
      {"dataset grammar", {"{type: grammar, length: 3000}"}},
      {"dataset pairs", {"{type: pairs, file: pairs.tsv}"}},
      {"dataset labelled_text",
       {"{type: labelled_text, source: pets.csv}", "{type: labelled_text, source: pets}"}},
      {"dataset conll", {"{type: conll, source: names.conll, validation: 0.5}"}},
      {"dataset sentences",
       {"{type: sentences, sentences: 200}", "{type: sentences, task: tags}",
        "{type: sentences, task: actor}"}},
      {"dataset reverse", {"{type: reverse}", "{type: reverse, shortest: 2, length: 7}"}},
      {"model gpt",
       {"{type: gpt, layers: 2, heads: 2, width: 8}",
        "{type: gpt, layers: 1, heads: 1, width: 8, tied: true, attention_bias: true, dropout: "
        "0.2}"}},
      {"model bert",
       {"{type: bert, layers: 1, heads: 2, width: 8}",
        "{type: bert, layers: 2, heads: 2, width: 8, positions: relative, window: 3, block: "
        "post_norm}",
        "{type: bert, layers: 1, heads: 2, width: 8, embedding_norm: true, segments: 2, "
        "head_transform: true, pooler: true, summary: mean}"}},
      {"model encoder_decoder",
       {"{type: encoder_decoder, layers: 1, heads: 2, width: 8}",
        "{type: encoder_decoder, layers: 1, decoder_layers: 2, heads: 2, width: 8, positions: "
        "rotary, norm: rms, mlp: swiglu, key_heads: 1, qk_norm: true, block: post_norm}"}},
      {"objective label_tokens", {"{type: label_tokens, label_smoothing: 0.1}"}},
      {"objective masked_token", {"{type: masked_token}", "{type: masked_token, select: 1}"}},
      {"model ngram",
       {"{type: ngram}", "{type: ngram, context: 0}", "{type: ngram, context: 3, smoothing: 0}"}},
      {"model hmm", {"{type: hmm, states: 3}", "{type: hmm, states: 2, history: 0, smoothing: 0}"}},
      {"model word2vec", {"{type: word2vec, width: 5}"}},
      {"objective negative_sampling",
       {"{type: negative_sampling}",
        "{type: negative_sampling, variant: cbow, window: 2, negatives: 3, subsample: 0}"}},
      {"tokenizer unigram",
       {"{type: unigram, vocabulary: 70}", "{type: unigram, vocabulary: 80, unknown: true}"}},
      {"model naive_bayes",
       {"{type: naive_bayes}", "{type: naive_bayes, smoothing: 0.1, priors: equal}"}},
      {"model rnn",
       {"{type: rnn, units: 9}", "{type: rnn, units: 5, layers: 2, dropout: 0.2, embedding: 3}",
        "{type: rnn, units: 4, bidirectional: true, layers: 2, recurrent_bias: true}"}},
      {"model seq2seq_rnn",
       {"{type: seq2seq_rnn, units: 5, embedding: 3}",
        "{type: seq2seq_rnn, cell: lstm, units: 4, layers: 2, embedding: 0, dropout: 0.1}",
        "{type: seq2seq_rnn, cell: rnn, units: 4}"}},
      {"model lstm",
       {"{type: lstm, units: 5}", "{type: lstm, units: 4, layers: 2, dropout: 0.2, embedding: 3}",
        "{type: lstm, units: 3, bidirectional: true, recurrent_bias: false}"}},
      {"model gru",
       {"{type: gru, units: 5}", "{type: gru, units: 4, layers: 2, dropout: 0.2, embedding: 3}",
        "{type: gru, units: 3, reset: before, recurrent_bias: false}",
        "{type: gru, units: 3, bidirectional: true, recurrent_bias: false}"}},
      {"optimizer sgd",
       {"{type: sgd}", "{type: sgd, momentum: 0.9, nesterov: true, weight_decay: 0.1}"}},
      {"optimizer adam", {"{type: adam}", "{type: adam, weight_decay: 0.1}"}},
      {"sampler temperature",
       {"{type: temperature}", "{type: temperature, temperature: 0}",
        "{type: temperature, temperature: 1e-38}", "{type: temperature, temperature: 3}"}},
      {"probe attention_cost", {"{type: attention_cost, lengths: [8, 16], repeats: 1}"}},
      {"probe dot_products", {"{type: dot_products, draws: 50}"}},
      {"probe softmax_saturation", {"{type: softmax_saturation, widths: [4, 16], draws: 9}"}},
      {"search sobol", {"{type: sobol}", "{type: sobol, shift: false}"}},
      {"search tpe", {"{type: tpe}", "{type: tpe, startup: 1, good: 0.9, candidates: 1}"}},
      {"search gp", {"{type: gp}", "{type: gp, startup: 2, candidates: 20}"}},
      {"pruner median", {"{type: median}", "{type: median, every: 7, warmup: 50, least: 2}"}},
      {"pruner asha", {"{type: asha}", "{type: asha, first: 1, keep_one_in: 1.1}"}},
      {"scheduler warmup_cosine",
       {"{type: warmup_cosine}", "{type: warmup_cosine, warmup: 100, minimum: 0.01}",
        "{type: warmup_cosine, warmup: 400}"}},
  };
  return table;
}

class BundledPlugins : public testing::Test {
 protected:
  BundledPlugins() {
    std::string play;
    for (int line = 0; line < 40; ++line)
      play += "Citizen " + std::to_string(line) + ": r\u00e9solved rather to die than to famish?\n";
    put(folder_ / "play.txt", play);
    std::string pairs;
    for (int line = 0; line < 40; ++line)
      pairs += std::to_string(line) + "\t" + std::to_string(7 * line) + "\n";
    put(folder_ / "pairs.tsv", pairs);
    std::string pets = "text,label\n";
    for (const char* pet : {"cat", "dog"}) {
      std::filesystem::create_directories(folder_ / ("pets/" + std::string(pet)));
      for (int number = 10; number < 30; ++number) {
        const std::string text = std::string(pet) + " number " + std::to_string(number);
        pets += "\"" + text + "\"," + pet + "\n";
        put(folder_ / ("pets/" + std::string(pet) + "/" + std::to_string(number)), text);
      }
    }
    put(folder_ / "pets.csv", pets);
    put(folder_ / "names.conll", "Ann B-PER\nruns O\n\nBonn B-LOC\nsleeps O\n");
  }

  void check(const std::string& kind) {
    Registry registry({ASSAY_BUNDLED_PLUGINS});
    int tested = 0;
    for (const PluginFacts& plugin : registry.list()) {
      if (plugin.kind != kind) continue;
      ASSERT_EQ(plugin.refused, "") << plugin.file;
      const auto sample = samples().find(kind + " " + plugin.name);
      const std::vector<std::string> sections =
          sample == samples().end() ? std::vector<std::string>{"{type: " + plugin.name + "}"}
                                    : sample->second;
      for (const std::string& section : sections) {
        const Failures failures =
            check_plugin(registry, kind, read_yaml(section, "sample"), folder_.path());
        EXPECT_EQ(failures, Failures{}) << kind << ": " << section;
        ++tested;
      }
    }
    EXPECT_GT(tested, 0);
  }

 private:
  TemporaryFolder folder_;
};

TEST_F(BundledPlugins, TokenizersKeepTheirContract) {
  check("tokenizer");
}
TEST_F(BundledPlugins, DatasetsKeepTheirContract) {
  check("dataset");
}
TEST_F(BundledPlugins, ModelsKeepTheirContract) {
  check("model");
}
TEST_F(BundledPlugins, ObjectivesKeepTheirContract) {
  check("objective");
}
TEST_F(BundledPlugins, OptimizersKeepTheirContract) {
  check("optimizer");
}
TEST_F(BundledPlugins, SchedulersKeepTheirContract) {
  check("scheduler");
}
TEST_F(BundledPlugins, SamplersKeepTheirContract) {
  check("sampler");
}

TEST_F(BundledPlugins, ProbesKeepTheirContract) {
  check("probe");
}

TEST_F(BundledPlugins, SearchesKeepTheirContract) {
  check("search");
}

TEST_F(BundledPlugins, PrunersKeepTheirContract) {
  check("pruner");
}

// `plugins show` and `schema` print the text of a rule; of one that makes its text from the values
// they can only say that it is there.
TEST_F(BundledPlugins, SayWhatTheirRulesAre) {
  Registry registry({ASSAY_BUNDLED_PLUGINS});
  for (const PluginFacts& plugin : registry.list()) {
    Problems problems;
    const auto entry = registry.open(plugin.kind, plugin.name, {}, problems);
    problems.raise();
    for (const OptionTable::Rule& rule : entry->options.rules)
      EXPECT_NE(rule.text, "") << plugin.kind << " " << plugin.name;
  }
}

TEST_F(BundledPlugins, AreOfKindsThatHaveAContract) {
  Registry registry({ASSAY_BUNDLED_PLUGINS});
  const std::vector<std::string> kinds = contract_kinds();
  const std::set<std::string> known(kinds.begin(), kinds.end());
  for (const PluginFacts& plugin : registry.list())
    EXPECT_TRUE(known.count(plugin.kind)) << plugin.kind << " " << plugin.name;
}

}  // namespace
}  // namespace assay
