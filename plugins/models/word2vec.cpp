// Two tables of word vectors whose products say which words stand near each other (Mikolov, Chen,
// Corrado and Dean, 2013, "Efficient estimation of word representations in vector space"; Mikolov,
// Sutskever, Chen, Corrado and Dean, 2013, "Distributed representations of words and phrases and
// their compositionality"). The first table, "token", is the one that is used afterwards:
// `assay neighbours`, `assay export --format word2vec`.
//
//   score of word k near c_1 ... c_C = (mean of token[c_i]) . output[k]
//
// With objective negative_sampling, which says in each batch which words are near ("context") and
// which are to be scored ("candidates"), this is word2vec, in both variants. Without candidates the
// scores are those of all words near each token of the input.
#include <cstdint>

#include "assay.h"

namespace {

using namespace assay;

class Word2vec final : public Model {
 public:
  struct Options {
    std::int64_t width = 100;
    static void describe(OptionList<Options>& o) {
      o.add("width", &Options::width, "Numbers D of a word vector.").at_least(1);
    }
  };

  // First numbers as in the authors' program: small ones, and zeros.
  Word2vec(const Options& o, const ModelBuild& b)
      : token_(b.scope / "token", b.data.field("input").vocabulary, o.width,
               Initialiser::uniform(0.5 / static_cast<double>(o.width))),
        output_(b.scope / "output", b.data.field("target").vocabulary, o.width,
                Initialiser::constant(0)) {}

  Output forward(const Batch& batch, Pass& pass) const override {
    const Tensor output = pass.parameter(output_.weight());
    if (!batch.has("candidates")) {
      const Field<std::int32_t> input = batch.ids("input");  // [B, N]
      const Tensor near = token_(input.values, input.shape, pass);
      return {linear_transposed(near, output), near};
    }
    const auto context = batch.ids("context"), candidates = batch.ids("candidates");
    const Tensor near =  // [B, P, C] -> [B, P, D]
        embedding_mean(pass.parameter(token_.weight()), context.values, context.shape);
    return {candidate_scores(near, output, candidates.values, candidates.shape), near};
  }

 private:
  Embedding token_, output_;
};

}  // namespace

ASSAY_PLUGIN(Model, "word2vec", Word2vec, "Word vectors, learned from the words around each word.")
