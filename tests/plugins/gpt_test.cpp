#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <string>
#include <vector>

#include "autograd/ops.h"
#include "interfaces/optimizer.h"
#include "plugins/model_under_test.h"
#include "support/golden.h"
#include "support/thrown.h"
#include "tensor/kernels/update.h"
#include "train/generate.h"

namespace assay {
namespace {

void add_mask(Batch& batch, const Shape& shape, const std::vector<std::uint8_t>& marks) {
  add_marks(batch, "mask", shape, marks);
}

struct GptSubject : ModelUnderTest {
  GptSubject(const std::string& yaml, std::int64_t vocabulary, std::int64_t context)
      : ModelUnderTest(yaml, token_spec(vocabulary, context), context) {}
};

TEST(Gpt, OfTheReferenceHas112065Parameters) {
  const GptSubject gpt("{type: gpt, width: 64, heads: 4, layers: 2}", 65, 64);
  EXPECT_EQ(gpt.parameters.count(), 112065);
  EXPECT_TRUE(gpt.model->caches());
  EXPECT_EQ(gpt.model->longest_input(), 64);
}

// D49: V = 11, T = 4, d = 6, one layer with biases.
TEST(Gpt, CountsTiedWeightsOnce) {
  const std::string common = "{type: gpt, layers: 1, heads: 2, width: 6, attention_bias: true, ";
  const GptSubject tied(common + "tied: true}", 11, 4);
  EXPECT_EQ(tied.parameters.count(), 612);
  EXPECT_FALSE(tied.parameters.find("head"));
  EXPECT_EQ(GptSubject(common + "head_bias: false}", 11, 4).parameters.count(), 678);
  EXPECT_EQ(GptSubject(common + "head_bias: true}", 11, 4).parameters.count(), 689);
  EXPECT_EQ(GptSubject(common + "tied: true, head_bias: true}", 11, 4).parameters.count(), 623);
}

TEST(Gpt, NamesItsParameters) {
  const GptSubject gpt("{type: gpt, width: 4, heads: 2, layers: 1}", 5, 3);
  std::vector<std::string> paths;
  for (const ParameterInfo& info : gpt.parameters.infos()) paths.push_back(info.path);
  EXPECT_EQ(paths,
            (std::vector<std::string>{
                "token", "position", "layer0/attention_norm/gain", "layer0/attention_norm/bias",
                "layer0/attention/q", "layer0/attention/k", "layer0/attention/v",
                "layer0/attention/o", "layer0/mlp_norm/gain", "layer0/mlp_norm/bias",
                "layer0/mlp/expand/weight", "layer0/mlp/expand/bias", "layer0/mlp/project/weight",
                "layer0/mlp/project/bias", "norm/gain", "norm/bias", "head/weight", "head/bias"}));
}

// REFERENCE: untrained, ln 65 < loss < 4.6 (4.28-4.46 over seeds).
TEST(Gpt, UntrainedIsALittleWorseThanUniform) {
  GptSubject gpt("{type: gpt, width: 64, heads: 4, layers: 2}", 65, 64);
  const Random random(3, "ids");
  std::vector<std::vector<std::int32_t>> rows(8, std::vector<std::int32_t>(64));
  std::vector<std::int32_t> targets;
  std::uint64_t draw = 0;
  for (auto& row : rows)
    for (auto& id : row) {
      id = static_cast<std::int32_t>(random.below(draw++, 65));
      targets.push_back(static_cast<std::int32_t>(random.below(draw++, 65)));
    }
  const std::vector<float> logits = gpt.logits(ids_batch(rows));
  Tape tape(false);
  const SummedLoss loss = cross_entropy(tape.constant({8, 64, 65}, logits), targets);
  const double mean = loss.sum.values()[0] / loss.weight;
  EXPECT_GT(mean, std::log(65));
  EXPECT_LT(mean, 4.6);
}

// REFERENCE S15: changing tokens 6.. leaves outputs 0..5 bit-identical.
TEST(Gpt, IsCausalToTheBit) {
  GptSubject gpt("{type: gpt, width: 16, heads: 2, layers: 2}", 11, 10);
  const auto before = gpt.logits(ids_batch({{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}}));
  const auto after = gpt.logits(ids_batch({{1, 2, 3, 4, 5, 6, 0, 0, 1, 1}}));
  EXPECT_TRUE(std::equal(before.begin(), before.begin() + 6 * 11, after.begin()));
  EXPECT_FALSE(std::equal(before.begin() + 6 * 11, before.end(), after.begin() + 6 * 11));
}

// REFERENCE S15, D35: [5, 6] padded on either side beside a longer row gives what it gives alone.
TEST(Gpt, GivesPaddedRowsWhatTheyHaveAlone) {
  GptSubject gpt("{type: gpt, width: 16, heads: 2, layers: 2}", 11, 6);
  const auto alone = gpt.logits(ids_batch({{5, 6}}));
  for (const bool left : {false, true})
    for (const std::int32_t pad : {0, 10}) {
      std::vector<std::int32_t> padded = {5, 6, pad, pad, pad, pad};
      if (left) std::rotate(padded.begin(), padded.begin() + 2, padded.end());
      Batch batch = ids_batch({{5, 6, 7, 8, 9, 3}, padded});
      const auto mask = batch.add_marks("mask", {2, 6});
      std::fill(mask.begin(), mask.begin() + 6, std::uint8_t{1});
      const std::size_t first = left ? 4 : 0;
      mask[6 + first] = mask[6 + first + 1] = 1;
      const auto together = gpt.logits(batch);
      for (std::size_t i = 0; i < 2 * 11; ++i)
        EXPECT_NEAR(together[(6 + first) * 11 + i], alone[i], 1e-5) << "left " << left;
    }
}

// 1e-5: other shapes sum in another order, at logits of about 1.
TEST(Gpt, WithACacheGivesTheLogitsOfRecomputing) {
  GptSubject gpt("{type: gpt, width: 16, heads: 2, layers: 2}", 11, 10);
  const std::vector<std::int32_t> ids = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
  const auto all = gpt.logits(ids_batch({ids}));
  KeyValueCache cache(1, 10);
  std::size_t begin = 0;
  for (const std::size_t n : {4, 1, 1, 3, 1}) {
    const auto at = ids.begin() + static_cast<std::ptrdiff_t>(begin);
    const auto fresh = gpt.logits(ids_batch({{at, at + static_cast<std::ptrdiff_t>(n)}}), &cache);
    cache.advance(static_cast<std::int64_t>(n));
    for (std::size_t i = 0; i < n * 11; ++i) EXPECT_NEAR(fresh[i], all[begin * 11 + i], 1e-5);
    begin += n;
  }
  EXPECT_EQ(thrown([&] { gpt.logits(ids_batch({{1}}), &cache); }),
            "[2] model 'gpt': 11 positions, but its context is 10");
}

// D36: context 8. A longer prompt is seen from its last 8 tokens on, at positions 0 to 7.
TEST(Gpt, ContinuesAPromptLongerThanItsContextFromItsEnd) {
  GptSubject gpt("{type: gpt, width: 16, heads: 2, layers: 2}", 11, 8);
  std::vector<std::int32_t> twenty;
  for (std::int32_t i = 0; i < 20; ++i) twenty.push_back(i * 7 % 11);
  for (const std::size_t length : {1, 8, 9, 20}) {
    const std::span<const std::int32_t> prompt(twenty.data(), length);
    const auto seen = prompt.last(std::min<std::size_t>(length, 8));
    const auto wanted = gpt.logits(ids_batch({{seen.begin(), seen.end()}}));
    NextLogits next(*gpt.model, gpt.parameters, 25);
    const auto found = next(prompt);
    EXPECT_TRUE(std::equal(found.begin(), found.end(), wanted.end() - 11)) << length;
    const Random draw(1, "test");
    const auto ids = generate(*gpt.model, gpt.parameters, {}, prompt, 5, draw);
    EXPECT_EQ(ids.size(), 5U);
    EXPECT_EQ(ids, generate(*gpt.model, gpt.parameters, {}, seen, 5, draw));
  }
}

// Rows of unequal length, padded on the left, are continued together: the mask covers cached and
// new positions.
TEST(Gpt, WithACacheHonoursTheMaskOfThePrompt) {
  GptSubject gpt("{type: gpt, width: 16, heads: 2, layers: 1}", 11, 6);
  const auto alone = gpt.logits(ids_batch({{5, 6, 7}}));
  KeyValueCache cache(2, 6);
  Batch prompt = ids_batch({{1, 2, 3}, {0, 5, 6}});
  add_mask(prompt, {2, 3}, {1, 1, 1, 0, 1, 1});
  gpt.logits(prompt, &cache);
  cache.advance(3);
  Batch next = ids_batch({{4}, {7}});
  add_mask(next, {2, 4}, {1, 1, 1, 1, 0, 1, 1, 1});
  const auto fresh = gpt.logits(next, &cache);
  for (std::size_t i = 0; i < 11; ++i) EXPECT_NEAR(fresh[11 + i], alone[2 * 11 + i], 1e-5);
}

TEST(Gpt, DropsUnitsInTrainingOnlyAndShardsLikeTheWhole) {
  GptSubject gpt("{type: gpt, width: 16, heads: 2, layers: 2, dropout: 0.2}", 11, 4);
  const Batch batch = ids_batch({{1, 2, 3, 4}, {5, 6, 7, 8}, {9, 10, 0, 1}});
  const auto train = [&](const Batch& rows) {
    Tape tape;
    Pass pass(tape, gpt.parameters, {}, Mode::train, Random(1, "step", 5));
    pass.set_first_row(rows.first_row());
    const auto values = gpt.model->forward(rows, pass).logits.values();
    return std::vector<float>(values.begin(), values.end());
  };
  const auto whole = train(batch), part = train(batch.rows(2, 3));
  EXPECT_NE(whole, gpt.logits(batch));
  for (std::size_t i = 0; i < part.size(); ++i) EXPECT_NEAR(part[i], whole[2 * 4 * 11 + i], 1e-5);
}

// D49: with the same numbers, the gradient of tied weights is that of the embedding plus that of
// the output.
TEST(Gpt, TiedWeightsGetTheGradientOfBothUses) {
  const std::string common = "{type: gpt, layers: 1, heads: 2, width: 6, head_bias: false, ";
  GptSubject tied(common + "tied: true}", 11, 4), untied(common + "tied: false}", 11, 4);
  for (const ParameterInfo& info : tied.parameters.infos()) {
    const auto from = tied.parameters.values(tied.parameters.find(info.path));
    const ParameterId to = untied.parameters.find(info.path);
    std::copy(from.begin(), from.end(), untied.parameters.values(to).begin());
  }
  const ParameterId head = untied.parameters.find("head");
  const auto token = tied.parameters.values(tied.parameters.find("token"));  // [11, 6]
  for (std::size_t k = 0; k < 11; ++k)
    for (std::size_t d = 0; d < 6; ++d)
      untied.parameters.values(head)[d * 11 + k] = token[k * 6 + d];

  const std::vector<std::int32_t> targets = {2, 3, 4, 0};
  const auto gradient_of = [&](GptSubject& gpt) {
    std::vector<float> gradient(gpt.parameters.buffer().size());
    Tape tape;
    Pass pass(tape, gpt.parameters, gradient, Mode::train, Random(1, "step"));
    const Batch batch = ids_batch({{1, 2, 3, 4}});
    tape.backward(cross_entropy(gpt.model->forward(batch, pass).logits, targets).sum);
    return gradient;
  };
  std::vector<float> both = gradient_of(tied), apart = gradient_of(untied);
  const auto sum = tied.parameters.slice(both, tied.parameters.find("token"));
  const auto input = untied.parameters.slice(apart, untied.parameters.find("token"));
  const auto output = untied.parameters.slice(apart, head);
  for (std::size_t k = 0; k < 11; ++k)
    for (std::size_t d = 0; d < 6; ++d)
      EXPECT_NEAR(sum[k * 6 + d], input[k * 6 + d] + output[d * 11 + k], 1e-5);
}

TEST(Gpt, RefusesHeadsThatDoNotDivideTheWidth) {
  const std::string message = thrown([] { GptSubject("{type: gpt, width: 8, heads: 3}", 5, 4); });
  EXPECT_NE(message.find("width must be a multiple of heads"), std::string::npos) << message;
}

// golden/gpt.json: logits, loss, gradients, their norm, and five steps of AdamW.
struct GoldenGpt : testing::Test {
  static std::string path_of(const std::string& name) {
    if (name == "tok.weight") return "token";
    if (name == "pos") return "position";
    if (name == "ln.weight") return "norm/gain";
    if (name == "ln.bias") return "norm/bias";
    if (name.starts_with("out.")) return "head/" + name.substr(4);
    std::string path = "layer";
    path += name.substr(7, 1) + "/";
    const std::string part = name.substr(9);
    if (part.starts_with("att.w")) return path + "attention/" + part.substr(5);
    if (part == "ln1.weight") return path + "attention_norm/gain";
    if (part == "ln1.bias") return path + "attention_norm/bias";
    if (part == "ln2.weight") return path + "mlp_norm/gain";
    if (part == "ln2.bias") return path + "mlp_norm/bias";
    return path + (part.starts_with("fc.") ? "mlp/expand/" : "mlp/project/") +
           part.substr(part.find('.') + 1);
  }
  static GoldenArray as_here(const std::string& name, const nlohmann::json& json) {
    const GoldenArray array = Golden::array_of(json);
    const bool linear =
        name.ends_with("fc.weight") || name.ends_with("proj.weight") || name == "out.weight";
    return linear ? transposed(array) : array;
  }

  GoldenGpt() : golden("gpt"), gpt("{type: gpt, width: 8, heads: 2, layers: 2}", 11, 6) {
    for (const auto& [name, json] : golden.json().at("parameters").items()) {
      const GoldenArray array = as_here(name, json);
      const ParameterId id = gpt.parameters.find(path_of(name));
      EXPECT_TRUE(id) << name;
      EXPECT_EQ(gpt.parameters.info(id).shape, array.shape) << name;
      std::copy(array.values.begin(), array.values.end(), gpt.parameters.values(id).begin());
    }
    EXPECT_EQ(static_cast<std::size_t>(gpt.parameters.size()),
              golden.json().at("parameters").size());
    batch = ids_batch(golden.json().at("tokens").get<std::vector<std::vector<std::int32_t>>>());
    for (const auto& row : golden.json().at("targets"))
      for (const auto& target : row) targets.push_back(target.get<std::int32_t>());
    gradient.resize(gpt.parameters.buffer().size());
  }

  // Mean loss; fills the gradient of the mean.
  double backward() {
    tape.reset();
    Pass pass(tape, gpt.parameters, gradient, Mode::train, Random(1, "step"));
    const SummedLoss loss = cross_entropy(gpt.model->forward(batch, pass).logits, targets);
    tape.backward(loss.sum, static_cast<float>(1 / loss.weight));
    pass.complete_gradients();
    return loss.sum.values()[0] / loss.weight;
  }
  void expect_parameters(const char* key, std::span<float> buffer, double tolerance) {
    for (const auto& [name, json] : golden.json().at(key).items())
      expect_close(gpt.parameters.slice(buffer, gpt.parameters.find(path_of(name))),
                   as_here(name, json).values, tolerance, name);
  }

  Golden golden;
  GptSubject gpt;
  Batch batch;
  std::vector<std::int32_t> targets;
  std::vector<float> gradient;
  Tape tape;
};

TEST_F(GoldenGpt, LogitsAndLossAgreeWithPyTorch) {
  expect_close(gpt.logits(batch), golden.array("logits").values, kForwardTolerance);
  const double wanted = golden.json().at("loss").get<double>();
  EXPECT_NEAR(backward(), wanted, kForwardTolerance * wanted);
}

TEST_F(GoldenGpt, GradientsAndTheirNormAgreeWithPyTorch) {
  backward();
  expect_parameters("gradients", gradient, kGradientTolerance);
  const double wanted = golden.json().at("gradient_norm").get<double>();
  EXPECT_NEAR(std::sqrt(sum_of_squares(gradient)), wanted, kGradientTolerance * wanted);
}

TEST_F(GoldenGpt, FiveStepsOfAdamWAgreeWithPyTorch) {
  const auto adamw =
      make<Optimizer>("{type: adamw, learning_rate: 6e-3, weight_decay: 0.01}", {gpt.parameters});
  for (const double wanted : golden.json().at("losses_of_5_steps")) {
    EXPECT_NEAR(backward(), wanted, kGradientTolerance * wanted);
    adamw->step(gradient, adamw->learning_rate());
  }
  expect_parameters("parameters_after_5_steps", gpt.parameters.buffer(), kForwardTolerance);
}

}  // namespace
}  // namespace assay
