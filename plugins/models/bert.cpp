// Encoder transformer (Devlin et al., 2019, "BERT"): every token sees every other. A class token
// stands before each row; answers per position ("target" [B, N]) are read from the tokens, one
// answer per row ("target" [B]) from the class token, or the mean of all tokens. "segment" [B, N],
// where the data have it, says which of two texts a token is in.
//
// Ids beyond the vocabulary: that of a masked token, which the objective masked_token writes, and
// that of the class token, which is added here. First numbers as those of `gpt`, but learned
// positions N(0, 1), as the tokens: masked tokens look alike, and attention tells them apart by
// their positions from the start. Where the output is tied to the tokens, both are N(0, 0.02), as
// in BERT, and the two ids beyond the vocabulary can be predicted, too.
#include <algorithm>
#include <numeric>
#include <span>
#include <string>
#include <vector>

#include "assay.h"

namespace {

using namespace assay;

class Bert final : public Model {
 public:
  struct Options : TransformerSettings {
    bool tied = false, head_transform = false, pooler = false, embedding_norm = false;
    std::int64_t segments = 0;
    std::string summary = "class_token";
    static void describe(OptionList<Options>& o) {
      TransformerSettings::describe(o);
      o.add("tied", &Options::tied,
            "Where tokens are predicted, the output weights are the token embedding's.");
      o.add("head_transform", &Options::head_transform,
            "Where tokens are predicted, a linear map, GELU and a norm before the output.");
      o.add("pooler", &Options::pooler,
            "Where rows are classified, a linear map and tanh before the output.");
      o.add("summary", &Options::summary,
            "What the answer of a row is read from: the class token, or the mean of all tokens.")
          .one_of({"class_token", "mean"});
      o.add("embedding_norm", &Options::embedding_norm, "Norm of the embedded tokens.");
      o.add("segments", &Options::segments, "Texts in a row that are told apart; 0: none are.")
          .at_least(0);
    }
  };

  Bert(const Options& o, const ModelBuild& b)
      : segments_(o.segments > 0), means_(o.summary == "mean") {
    const FieldSpec &input = b.data.field("input"), &target = b.data.field("target");
    per_position_ = target.length > 0;
    const bool tokens = per_position_ && target.vocabulary == input.vocabulary;
    const bool tied = tokens && o.tied;
    class_token_ = static_cast<std::int32_t>(input.vocabulary + 1);
    context_ = std::max(b.context, input.length);
    TransformerOptions stack = o.stack(input.vocabulary + 2, context_ + 1, "model 'bert'");
    stack.causal = false;
    stack.position_deviation = o.tied ? 0.02 : 1;
    if (o.tied) stack.token = Initialiser::normal(0.02);
    stack.embedding_norm = o.embedding_norm, stack.segments = o.segments;
    layers_ = Transformer(b.scope, stack);
    transforms_ = tokens && o.head_transform;
    pools_ = !per_position_ && o.pooler;
    if (transforms_) {
      transform_ = Linear(b.scope / "head/transform", o.width, o.width);
      transform_norm_ = Norm(b.scope / "head/norm", o.width, stack.block.norm);
    }
    if (pools_) pooler_ = Linear(b.scope / "pooler", o.width, o.width);
    OutputOptions output;
    output.width = o.width, output.classes = target.vocabulary;
    if (tied)
      output.classes = input.vocabulary + 2, output.tied = &layers_.token(), output.bias = true;
    head_ = OutputLayer(b.scope / "head", output);
  }

  Output forward(const Batch& batch, Pass& pass) const override {
    const Field<std::int32_t> input = batch.ids("input");  // [B, N]
    const std::int64_t rows = input.shape[0], length = input.shape[1];
    const auto marks = batch.marks_or_none("mask");
    const auto starts = starts_of(marks, rows);
    const auto ids = with_first(input.values, starts, class_token_, pass);
    const auto keys =
        marks.empty() ? marks : with_first(marks, starts, static_cast<std::uint8_t>(1), pass);
    std::span<const std::int32_t> segment;
    if (segments_ && batch.has("segment"))
      segment = with_first(batch.ids("segment").values, starts, 0, pass);
    const Tensor x =
        layers_(ids, {rows, length + 1}, keys, pass, {}, {}, segment);  // [B, N + 1, D]
    if (per_position_) {
      const Tensor tokens = some_positions(x, 1, length);
      return {head_(transformed(tokens, pass), pass), tokens};
    }
    const Tensor row =
        reshape(means_ ? mean_of(x, keys, pass) : class_of(x, starts, pass), {rows, x.shape()[2]});
    return {head_(pools_ ? tanh(pooler_(row, pass)) : row, pass), row};
  }

  bool causal() const override { return false; }
  std::int64_t longest_input() const override { return context_; }

 private:
  // Where the text of each row starts: after the padding before it.
  static std::vector<std::size_t> starts_of(std::span<const std::uint8_t> marks,
                                            std::int64_t rows) {
    std::vector<std::size_t> starts(static_cast<std::size_t>(rows));
    const std::size_t length = marks.size() / starts.size();
    for (std::size_t row = 0; row < starts.size(); ++row) {
      const auto begin = marks.begin() + static_cast<std::ptrdiff_t>(row * length);
      const auto end = begin + static_cast<std::ptrdiff_t>(length);
      const auto first = std::find_if(begin, end, [](std::uint8_t mark) { return mark != 0; });
      if (first != end) starts[row] = static_cast<std::size_t>(first - begin);
    }
    return starts;
  }

  // [B, N] -> [B, N + 1]: one value more in each row, before its text.
  template <class T>
  static std::span<const T> with_first(std::span<const T> values,
                                       const std::vector<std::size_t>& starts, T first,
                                       Pass& pass) {
    const std::size_t count = values.size() + starts.size();
    auto* all = static_cast<T*>(pass.tape().arena().take(count * sizeof(T)));
    const std::size_t length = values.size() / starts.size();
    for (std::size_t row = 0; row < starts.size(); ++row) {
      const T* from = values.data() + row * length;
      T* to = all + row * (length + 1);
      std::copy_n(from, starts[row], to);
      to[starts[row]] = first;
      std::copy(from + starts[row], from + length, to + starts[row] + 1);
    }
    return {all, count};
  }

  // [B, N, D] -> [B, 1, D], of the class token.
  static Tensor class_of(Tensor x, const std::vector<std::size_t>& starts, Pass& pass) {
    if (std::all_of(starts.begin(), starts.end(), [](std::size_t start) { return start == 0; }))
      return some_positions(x, 0, 1);
    const std::int64_t rows = x.shape()[0], length = x.shape()[1];
    std::vector<float> shares(static_cast<std::size_t>(rows * length));
    for (std::size_t row = 0; row < starts.size(); ++row)
      shares[row * static_cast<std::size_t>(length) + starts[row]] = 1;
    return matmul(pass.tape().constant({rows, 1, length}, shares), x);
  }

  // [B, N, D] -> [B, 1, D], of what is no padding.
  static Tensor mean_of(Tensor x, std::span<const std::uint8_t> keys, Pass& pass) {
    const std::int64_t rows = x.shape()[0], length = x.shape()[1];
    std::vector<float> shares(static_cast<std::size_t>(rows * length), 1);
    for (std::size_t i = 0; i < keys.size(); ++i) shares[i] = keys[i] != 0 ? 1 : 0;
    for (auto row = shares.begin(); row != shares.end(); row += length) {
      const float total = std::accumulate(row, row + length, 0.0F);  // the class token is one
      std::for_each(row, row + length, [=](float& share) { share /= total; });
    }
    return matmul(pass.tape().constant({rows, 1, length}, shares), x);
  }

  Tensor transformed(Tensor x, Pass& pass) const {
    return transforms_ ? transform_norm_(transform_.gelu(x, pass), pass) : x;
  }

  bool per_position_ = true, segments_ = false, means_ = false, transforms_ = false, pools_ = false;
  std::int32_t class_token_ = 0;
  std::int64_t context_ = 0;
  Transformer layers_;
  Linear transform_, pooler_;
  Norm transform_norm_;
  OutputLayer head_;
};

}  // namespace

ASSAY_PLUGIN(Model, "bert", Bert, "Encoder transformer with a class token.")
