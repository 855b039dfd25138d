// The suite of models must find what is wrong: negative controls.
#include <gtest/gtest.h>

#include <cmath>

#include "autograd/ops.h"
#include "base/error.h"
#include "contract/contract.h"

namespace assay {
namespace {

/// A table of next tokens, plus one fault at a time.
enum class Fault {
  none,
  looks_ahead,
  looks_at_targets,
  mixes_rows,
  no_gradient,
  half_a_gradient,
  looks_both_ways,
  wrong_shape,
  throws
};

class Table final : public Model {
 public:
  Table(Fault fault, const ModelBuild& build) : fault_(fault) {
    const std::int64_t size = build.data.field("target").vocabulary;
    table_ = build.scope.add("table", {size, size}, Initialiser::normal(1));
    twin_ = build.scope.add("twin", {size, size}, Initialiser::normal(1));
  }

  Output forward(const Batch& batch, Pass& pass) const override {
    if (fault_ == Fault::throws) throw Error(ExitCode::usage, "no");
    const auto input = batch.ids("input");
    Tensor x = add(embedding(pass.parameter(table_), input.values, input.shape),
                   embedding(pass.parameter(twin_), input.values, input.shape));
    if (fault_ == Fault::no_gradient) x = pass.tape().constant(x.shape(), x.values());
    if (fault_ == Fault::half_a_gradient) {
      const Tensor unlearnt = pass.tape().constant(x.shape(), x.values());
      x = scale(add(x, unlearnt), 0.5F);
    }
    if (fault_ == Fault::looks_ahead || fault_ == Fault::looks_both_ways ||
        fault_ == Fault::mixes_rows || fault_ == Fault::looks_at_targets) {
      const auto ids = batch.ids(fault_ == Fault::looks_at_targets ? "target" : "input");
      const auto rows = static_cast<std::size_t>(ids.shape[0]);
      const std::size_t length = ids.values.size() / rows,
                        width = x.values().size() / rows / length;
      std::vector<float> peeked(x.values().size());
      for (std::size_t i = 0; i < ids.values.size(); ++i) {
        std::size_t from = i;
        if (fault_ == Fault::looks_ahead || fault_ == Fault::looks_both_ways)
          from = i / length * length + length - 1;
        if (fault_ == Fault::mixes_rows) from = (i + length) % ids.values.size();
        for (std::size_t k = 0; k < width; ++k)
          peeked[i * width + k] = static_cast<float>(ids.values[from]);
      }
      x = add(x, pass.tape().constant(x.shape(), peeked));
    }
    if (fault_ == Fault::wrong_shape) x = transpose(x);
    return {x, {}};
  }
  std::int64_t longest_input() const override { return 6; }
  bool causal() const override { return fault_ != Fault::looks_both_ways; }

 private:
  Fault fault_;
  ParameterId table_, twin_;
};

Failures failures_of(Fault fault) {
  return check_model(
      [fault](const ModelBuild& build) { return std::make_unique<Table>(fault, build); });
}

TEST(ModelContract, HoldsForATable) {
  EXPECT_EQ(failures_of(Fault::none), Failures{});
}

TEST(ModelContract, FindsOneThatLooksAhead) {
  EXPECT_EQ(failures_of(Fault::looks_ahead),
            Failures{"it looks ahead: other ids from position 5 on change the logits before; a "
                     "model that looks both ways says so in causal()"});
}

TEST(ModelContract, LetsAModelLookBothWaysThatSaysSo) {
  EXPECT_EQ(failures_of(Fault::looks_both_ways), Failures{});
}

TEST(ModelContract, FindsOneThatLooksAtTheTargets) {
  EXPECT_EQ(failures_of(Fault::looks_at_targets),
            Failures{"it looks at the targets: other targets change the logits"});
}

TEST(ModelContract, FindsOneWhoseRowsSeeEachOther) {
  EXPECT_EQ(failures_of(Fault::mixes_rows),
            (Failures{"rows see each other: other rows change the logits of the first",
                      "rows 1 and 2 of a batch, alone, have other logits than within it"}));
}

TEST(ModelContract, FindsAWrongGradientOfEachParameter) {
  const Failures failures = failures_of(Fault::half_a_gradient);
  ASSERT_EQ(failures.size(), 2U);
  EXPECT_TRUE(failures[0].starts_with("the gradient of 'table' is wrong: ")) << failures[0];
  EXPECT_TRUE(failures[1].starts_with("the gradient of 'twin' is wrong: ")) << failures[1];
}

TEST(ModelContract, FindsAMissingGradient) {
  const Failures failures = failures_of(Fault::no_gradient);
  ASSERT_EQ(failures.size(), 2U);
  EXPECT_TRUE(failures[0].starts_with("the gradient of 'table' is wrong: 0 along")) << failures[0];
}

TEST(ModelContract, FindsLogitsOfAnotherShape) {
  EXPECT_EQ(failures_of(Fault::wrong_shape),
            Failures{"its logits have shape (4, 11, 6); wanted (4, 6, 11) or (4, 11)"});
}

TEST(ModelContract, SaysWhatAModelThrows) {
  EXPECT_EQ(failures_of(Fault::throws), Failures{"shape of the logits: it throws: no"});
}

/// Counts followers; forgets them when it is saved.
class Forgetful final : public Model {
 public:
  explicit Forgetful(const ModelBuild& build) : size_(build.data.field("target").vocabulary) {
    counts_.assign(static_cast<std::size_t>(size_ * size_), 1);
  }
  bool learns_by_counting() const override { return true; }
  Reading fit(BatchStream& train) override {
    train.rewind();
    while (const auto batch = train.next()) {
      const auto input = batch->ids("input").values, target = batch->ids("target").values;
      for (std::size_t i = 0; i < input.size(); ++i)
        counts_[static_cast<std::size_t>(input[i] * size_ + target[i])] += 1;
    }
    return {};
  }
  Output forward(const Batch& batch, Pass& pass) const override {
    const auto input = batch.ids("input");
    std::vector<float> logits;
    for (const std::int32_t id : input.values) {
      const auto row = std::span(counts_).subspan(static_cast<std::size_t>(id * size_),
                                                  static_cast<std::size_t>(size_));
      double total = 0;
      for (const double count : row) total += count;
      for (const double count : row) logits.push_back(static_cast<float>(std::log(count / total)));
    }
    return {pass.tape().constant(input.shape.appended(size_), logits), {}};
  }

 private:
  std::int64_t size_;
  std::vector<double> counts_;
};

TEST(ModelContract, FindsCountsThatAreNotSaved) {
  EXPECT_EQ(check_model([](const ModelBuild& build) { return std::make_unique<Forgetful>(build); }),
            Failures{"one restored from its state has other logits: state() leaves something out"});
}

}  // namespace
}  // namespace assay
