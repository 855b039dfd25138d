// Encoder transformer (Devlin et al., 2019, "BERT"): every token sees every other. A class token
// stands before each row; answers per position ("target" [B, N]) are read from the tokens, one
// answer per row ("target" [B]) from the class token.
//
// Ids beyond the vocabulary: that of a masked token, which the objective masked_token writes, and
// that of the class token, which is added here. First numbers as those of `gpt`, but learned
// positions N(0, 1), as the tokens: masked tokens look alike, and attention tells them apart by
// their positions from the start.
#include <algorithm>
#include <span>

#include "assay.h"

namespace {

using namespace assay;

class Bert final : public Model {
 public:
  using Options = TransformerSettings;

  Bert(const Options& o, const ModelBuild& b) {
    const FieldSpec &input = b.data.field("input"), &target = b.data.field("target");
    per_position_ = target.length > 0;
    class_token_ = static_cast<std::int32_t>(input.vocabulary + 1);
    context_ = std::max(b.context, input.length);
    TransformerOptions stack = o.stack(input.vocabulary + 2, context_ + 1, "model 'bert'");
    stack.causal = false;
    stack.position_deviation = 1;
    layers_ = Transformer(b.scope, stack);
    OutputOptions output;
    output.width = o.width, output.classes = target.vocabulary;
    head_ = OutputLayer(b.scope / "head", output);
  }

  Output forward(const Batch& batch, Pass& pass) const override {
    const Field<std::int32_t> input = batch.ids("input");  // [B, N]
    const std::int64_t rows = input.shape[0], length = input.shape[1];
    const auto ids = with_first(input.values, rows, class_token_, pass);
    const auto marks = batch.marks_or_none("mask");
    const auto keys =
        marks.empty() ? marks : with_first(marks, rows, static_cast<std::uint8_t>(1), pass);
    const Tensor x = layers_(ids, {rows, length + 1}, keys, pass);  // [B, N + 1, D]
    if (per_position_) {
      const Tensor tokens = some_positions(x, 1, length);
      return {head_(tokens, pass), tokens};
    }
    const Tensor first = reshape(some_positions(x, 0, 1), {rows, x.shape()[2]});
    return {head_(first, pass), first};
  }

  bool causal() const override { return false; }
  std::int64_t longest_input() const override { return context_; }

 private:
  // [B, N] -> [B, N + 1]: each row after one value more.
  template <class T>
  static std::span<const T> with_first(std::span<const T> values, std::int64_t rows, T first,
                                       Pass& pass) {
    const std::size_t count = values.size() + static_cast<std::size_t>(rows);
    auto* all = static_cast<T*>(pass.tape().arena().take(count * sizeof(T)));
    const std::size_t length = values.size() / static_cast<std::size_t>(rows);
    for (std::size_t row = 0; row < static_cast<std::size_t>(rows); ++row) {
      T* to = all + row * (length + 1);
      *to = first;
      std::copy_n(values.data() + row * length, length, to + 1);
    }
    return {all, count};
  }

  bool per_position_ = true;
  std::int32_t class_token_ = 0;
  std::int64_t context_ = 0;
  Transformer layers_;
  OutputLayer head_;
};

}  // namespace

ASSAY_PLUGIN(Model, "bert", Bert, "Encoder transformer with a class token.")
