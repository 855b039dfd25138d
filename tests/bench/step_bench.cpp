// Times training steps of gpt-char (B = 32, N = 64, D = 64, H = 4, L = 2, AdamW) on one thread:
//   step_bench PLUGIN_FOLDER [SEQUENCES_PER_SHARD...]
// Prints steps/s by the clock of the thread, and the parts of a step: the median over 15 repeats of
// 10 steps.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>
#include <vector>

#include "assay.h"
#include "config/yaml.h"
#include "plugin/registry.h"

namespace assay {
namespace {

double seconds() {
  timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

template <class Interface>
std::unique_ptr<Interface> make(Registry& registry, const char* yaml,
                                const typename Interface::Build& build) {
  Problems problems;
  const auto prepared =
      registry.prepare<Interface>(read_yaml(yaml, "bench"), Interface::kKind, problems);
  problems.raise();
  return prepared.create(build);
}

struct Times {
  double forward = 0, backward = 0, rest = 0;
};

class GptChar {
 public:
  explicit GptChar(const char* plugins)
      : registry_({plugins}),
        spec_{{{"input", kVocabulary, kContext, 0}, {"target", kVocabulary, kContext, 0}}},
        model_(make<Model>(registry_, "{type: gpt, width: 64, heads: 4, layers: 2}",
                           {spec_, kContext, Scope(parameters_)})),
        objective_(make<Objective>(registry_, "{type: next_token}", {spec_})),
        batch_(kRows) {
    parameters_.initialise(1);
    optimizer_ = make<Optimizer>(registry_, "{type: adamw, learning_rate: 6e-3}", {parameters_});
    const Random random(1, "ids");
    std::uint64_t draw = 0;
    for (const char* field : {"input", "target"})
      for (std::int32_t& id : batch_.add_ids(field, {kRows, kContext}))
        id = static_cast<std::int32_t>(random.below(draw++, kVocabulary));
    gradient_.resize(parameters_.buffer().size());
    part_.resize(gradient_.size());
  }

  Times step(std::int64_t sequences) {
    Times times;
    double weight = 0;
    flops_ = 0;
    double clock = seconds();
    const auto lap = [&] {
      const double now = seconds(), passed = now - clock;
      clock = now;
      return passed;
    };
    for (std::int64_t row = 0; row < kRows; row += sequences) {
      const Batch shard = batch_.rows(row, row + sequences);
      tape_.reset();
      Pass pass(tape_, parameters_, row == 0 ? gradient_ : part_, Mode::train, Random(1, "step"));
      const SummedLoss loss = objective_->loss(model_->forward(shard, pass), shard, pass);
      weight += loss.weight;
      times.forward += lap();
      tape_.backward(loss.sum);
      pass.complete_gradients();
      times.backward += lap();
      flops_ += tape_.flops();
      if (row > 0) add_into(gradient_, part_);
    }
    scale_in_place(gradient_, static_cast<float>(1 / weight));
    optimizer_->step(gradient_, 6e-3);
    times.rest += lap();
    return times;
  }
  double flops() const { return flops_; }

 private:
  static constexpr std::int64_t kRows = 32, kContext = 64, kVocabulary = 65;
  Registry registry_;
  DataSpec spec_;
  Parameters parameters_;
  std::unique_ptr<Model> model_;
  std::unique_ptr<Objective> objective_;
  std::unique_ptr<Optimizer> optimizer_;
  Batch batch_;
  std::vector<float> gradient_, part_;
  Tape tape_;
  double flops_ = 0;
};

int run(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "step_bench PLUGIN_FOLDER [SEQUENCES_PER_SHARD...]\n");
    return 2;
  }
  std::vector<std::int64_t> shards;
  for (int i = 2; i < argc; ++i) shards.push_back(std::atoll(argv[i]));
  if (shards.empty()) shards = {4, 8, 16, 32};
  GptChar gpt(argv[1]);
  Pool one(1);  // kernels that spread their work must not leave this thread, whose clock is read
  for (const std::int64_t sequences : shards) {
    for (int i = 0; i < 5; ++i) one.run([&] { gpt.step(sequences); });
    std::vector<double> total, forward, backward, rest;
    for (int repeat = 0; repeat < 15; ++repeat) {
      Times sum;
      for (int i = 0; i < 10; ++i) {
        Times t;
        one.run([&] { t = gpt.step(sequences); });
        sum.forward += t.forward, sum.backward += t.backward, sum.rest += t.rest;
      }
      total.push_back((sum.forward + sum.backward + sum.rest) / 10);
      forward.push_back(sum.forward / 10);
      backward.push_back(sum.backward / 10);
      rest.push_back(sum.rest / 10);
    }
    const double step = median(total);
    std::printf(
        "shards of %2lld: %6.1f steps/s, %5.1f GFLOP/s; ms: %.2f forward, %.2f backward, %.2f "
        "rest\n",
        static_cast<long long>(sequences), 1 / step, 1e-9 * gpt.flops() / step,
        1e3 * median(forward), 1e3 * median(backward), 1e3 * median(rest));
  }
  return 0;
}

}  // namespace
}  // namespace assay

int main(int argc, char** argv) {
  return assay::run(argc, argv);
}
