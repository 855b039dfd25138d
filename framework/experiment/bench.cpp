#include "experiment/bench.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <functional>

#include "autograd/ops.h"
#include "base/aligned.h"
#include "base/error.h"
#include "base/parallel.h"
#include "base/text.h"
#include "config/yaml.h"
#include "experiment/bench_start.h"
#include "nn/attention.h"
#include "plugin/registry.h"
#include "tensor/kernels/matmul.h"
#include "train/generate.h"
#include "train/trainer.h"

namespace assay {
namespace {

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

// Seconds of one call: the median of `rounds`, after one to warm up.
double time_calls(int rounds, const std::function<void()>& call) {
  call();
  std::vector<double> seconds;
  for (int i = 0; i < rounds; ++i) {
    const double start = now();
    call();
    seconds.push_back(now() - start);
  }
  return median(seconds);
}

// What one core reaches on a product that fits its caches, times the threads that do so at once.
double peak_gflops(int threads) {
  constexpr std::int64_t kSize = 512;
  struct Core {
    AlignedFloats a = AlignedFloats(kSize * kSize, 0.5F), b = a, c = a;
    Workspace workspace;
  };
  std::vector<std::unique_ptr<Core>> cores;
  for (int i = 0; i < threads; ++i) cores.push_back(std::make_unique<Core>());
  const double seconds = time_calls(20, [&] {
    parallel_for(threads, [&](std::int64_t i) {
      Core& core = *cores[static_cast<std::size_t>(i)];
      Matmul product;
      product.m = product.n = product.k = kSize;
      product.a = core.a.data(), product.b = core.b.data(), product.c = core.c.data();
      for (int repeat = 0; repeat < 8; ++repeat) matmul(product, core.workspace);
    });
  });
  return 8 * 2e-9 * kSize * kSize * kSize * threads / seconds;
}

// Ids drawn at random: the work does not depend on what they are.
class RandomIds final : public Dataset {
 public:
  explicit RandomIds(std::int64_t vocabulary) : vocabulary_(vocabulary) {}
  void load() override {}
  void tokenize(const Tokenizer*) override {}
  DataSpec spec(const Request& r) const override {
    return {{{"input", vocabulary_, r.context, 0}, {"target", vocabulary_, r.context, 0}}};
  }
  std::int64_t examples(Split, const Request&) const override { return 100000; }
  Batch batch(Split, std::span<const Example> examples, const Request& r) const override {
    const auto rows = static_cast<std::int64_t>(examples.size());
    Batch batch(rows);
    const auto input = batch.add_ids("input", {rows, r.context});
    const auto target = batch.add_ids("target", {rows, r.context});
    for (std::size_t i = 0; i < input.size(); ++i) {
      const std::size_t row = i / static_cast<std::size_t>(r.context);
      const Random draw(static_cast<std::uint64_t>(examples[row].index), "bench");
      input[i] =
          static_cast<std::int32_t>(draw.below(2 * i, static_cast<std::uint64_t>(vocabulary_)));
      target[i] =
          static_cast<std::int32_t>(draw.below(2 * i + 1, static_cast<std::uint64_t>(vocabulary_)));
    }
    return batch;
  }
  std::string digest() const override { return "random ids"; }

 private:
  std::int64_t vocabulary_;
};

struct TrainingWork {
  std::int64_t vocabulary, context, model_context, batch, shards, steps;
  const char *model, *optimizer;
  std::optional<double> clip = {};
  const char* dataset = nullptr;  // null: random ids
  const char* objective = "{type: next_token}";
};

template <class Interface>
Prepared<Interface> prepare(Registry& registry, const char* yaml) {
  Problems problems;
  auto prepared = registry.prepare<Interface>(read_yaml(yaml, "bench"), Interface::kKind, problems);
  problems.raise();
  return prepared;
}

std::unique_ptr<Dataset> data_of(const TrainingWork& work, Registry& registry) {
  if (!work.dataset) return std::make_unique<RandomIds>(work.vocabulary);
  auto data = prepare<Dataset>(registry, work.dataset).create({});
  data->load();
  data->tokenize(nullptr);
  return data;
}

// A model of the workload with its optimizer, as a run has it.
struct BuiltModel {
  BuiltModel(const TrainingWork& work, Registry& registry)
      : data(data_of(work, registry)),
        spec(data->spec({work.context, 0})),
        model(prepare<Model>(registry, work.model)
                  .create({spec, work.model_context, Scope(parameters)})),
        objective(prepare<Objective>(registry, work.objective).create({spec})),
        optimizer(prepare<Optimizer>(registry, work.optimizer).create({parameters})),
        scheduler(prepare<Scheduler>(registry, "{type: constant}")
                      .create({work.steps, optimizer->learning_rate(), {}})) {
    parameters.initialise(12);
  }
  std::unique_ptr<Dataset> data;
  DataSpec spec;
  Parameters parameters;
  std::unique_ptr<Model> model;
  std::unique_ptr<Objective> objective;
  std::unique_ptr<Optimizer> optimizer;
  std::unique_ptr<Scheduler> scheduler;
};

// Times the updates of the real trainer; evaluations are outside the intervals.
BenchResult train_model(const TrainingWork& work, Registry& registry) {
  BuiltModel built(work, registry);
  RunSettings settings;
  settings.train.steps = work.steps;
  settings.train.batch = work.batch;
  settings.train.context = work.context;
  settings.train.shards = work.shards;
  settings.train.clip = work.clip;
  settings.evaluate.batches = settings.evaluate.batch = 1;
  settings.evaluate_context = work.context;
  Trainer trainer({*built.data, *built.objective, *built.model, built.parameters,
                   built.optimizer.get(), built.scheduler.get()},
                  settings);
  std::vector<double> at;
  Watch watch;
  watch.progress = [&](const Progress&) { at.push_back(now()); };
  RunRecord record;
  trainer.run(record, watch);
  std::vector<double> seconds;
  for (std::size_t i = 2; i + 1 < at.size(); ++i)
    seconds.push_back(at[i] - at[i - 1]);  // the last one evaluates
  BenchResult result;
  result.unit = "step";
  result.milliseconds = 1e3 * median(seconds);
  result.tokens_per_second = static_cast<double>(work.batch * work.context) / median(seconds);
  const Example first{0, 0};
  const Batch row = built.data->batch(Split::train, {&first, 1}, {work.context, 0});
  AlignedFloats gradient(static_cast<std::size_t>(built.parameters.buffer_size()));
  const double flops = trainer.shards().gradient(row, Random(0, ""), gradient).flops *
                       static_cast<double>(work.batch);
  result.gflops = 1e-9 * flops / median(seconds);
  return result;
}

constexpr TrainingWork kGptChar = {65,
                                   64,
                                   64,
                                   32,
                                   8,
                                   200,
                                   "{type: gpt, width: 64, heads: 4, layers: 2}",
                                   "{type: adamw, learning_rate: 6e-3, weight_decay: 0.01}"};
// Few shards: each step of time multiplies the rows of a shard by the whole recurrent matrix.
constexpr TrainingWork kRnnChar = {
    65, 64, 64, 32, 4, 300, "{type: rnn, units: 128}", "{type: adam, learning_rate: 3e-3}", 1.0};
constexpr TrainingWork kReverse = {0,
                                   10,
                                   10,
                                   64,
                                   4,
                                   300,
                                   "{type: encoder_decoder, layers: 1, heads: 2, width: 32}",
                                   "{type: adam, learning_rate: 3e-3}",
                                   {},
                                   "{type: reverse, length: 10}",
                                   "{type: seq2seq}"};
constexpr TrainingWork kGptCharLarge = {65,
                                        256,
                                        256,
                                        64,
                                        16,
                                        6,
                                        "{type: gpt, width: 384, heads: 6, layers: 6}",
                                        "{type: adamw, learning_rate: 3e-4, weight_decay: 0.01}"};
constexpr TrainingWork kGpt2Small = {50257,
                                     64,
                                     1024,
                                     4,
                                     4,
                                     6,
                                     "{type: gpt, width: 768, heads: 12, layers: 12}",
                                     "{type: adamw, learning_rate: 3e-4, weight_decay: 0.01}"};

BenchResult sample(Registry& registry) {
  constexpr std::int64_t kTokens = 300;
  BuiltModel built(kGptChar, registry);
  const std::vector<std::unique_ptr<Sampler>> plain;
  const std::int32_t prompt[] = {0};
  const double seconds = time_calls(7, [&] {
    generate(*built.model, built.parameters, plain, prompt, kTokens, Random(0, "bench"));
  });
  BenchResult result;
  result.unit = "token";
  result.milliseconds = 1e3 * seconds / kTokens;
  result.tokens_per_second = kTokens / seconds;
  return result;
}

// One layer of one head on one long sequence, with its four maps, as the peer's `attention` does.
BenchResult attention_forward() {
  constexpr std::int64_t kN = 4096, kD = 64;
  Parameters parameters;
  const MultiHeadAttention layer(Scope(parameters),
                                 {.width = kD, .heads = 1, .bias = false, .dropout = 0});
  parameters.initialise(12);
  AlignedFloats x(static_cast<std::size_t>(kN * kD));
  const Random draw(12, "x");
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(draw.normal(i));
  Tape tape(false);
  double flops = 0;
  const double seconds = time_calls(7, [&] {
    tape.reset();
    Pass pass(tape, parameters, {}, Mode::evaluate, Random(0, ""));
    const Tensor input = tape.constant({1, kN, kD}, x);
    layer(input, input, {}, pass);
    flops = tape.flops();
  });
  BenchResult result;
  result.unit = "call";
  result.milliseconds = 1e3 * seconds;
  result.tokens_per_second = kN / seconds;
  result.gflops = 1e-9 * flops / seconds;
  return result;
}

struct Workload {
  const char *name, *work;
  std::function<BenchResult(Registry&, int threads, const std::vector<std::filesystem::path>&)> run;
};

std::vector<Workload> workloads() {
  const auto training = [](const TrainingWork& work) {
    return [work](Registry& registry, int, const auto&) { return train_model(work, registry); };
  };
  return {
      {"gpt-char", "D=64 H=4 L=2 N=64 B=32, AdamW", training(kGptChar)},
      {"rnn-char", "Elman, 128 units, N=64 B=32, Adam, clip 1", training(kRnnChar)},
      {"reverse", "encoder-decoder D=32 H=2, ten digits, B=64, Adam", training(kReverse)},
      {"gpt-char-large", "D=384 H=6 L=6 N=256 B=64, AdamW", training(kGptCharLarge)},
      {"gpt2-small", "163M parameters, N=64 B=4, AdamW", training(kGpt2Small)},
      {"sample", "gpt-char, one sequence, 300 tokens",
       [](Registry& r, int, const auto&) { return sample(r); }},
      {"attention", "forward, N=4096 D=64 H=1",
       [](Registry&, int, const auto&) { return attention_forward(); }},
      {"start", "process start to the end of the first update of gpt-char",
       [](Registry&, int threads, const auto& folders) { return bench_start(threads, folders); }},
  };
}

}  // namespace

std::vector<BenchWorkload> bench_workloads() {
  std::vector<BenchWorkload> list;
  for (const Workload& w : workloads()) list.push_back({w.name, w.work});
  return list;
}

BenchResult run_bench(const std::string& workload, int threads,
                      const std::vector<std::filesystem::path>& folders) {
  const std::string_view first = kFirstUpdate;
  if (workload.rfind(first, 0) == 0)
    return first_update(workload.substr(first.size()), threads, folders);
  std::vector<std::string> names;
  for (const Workload& w : workloads()) {
    names.push_back(w.name);
    if (w.name != workload) continue;
    Registry registry(default_plugin_path(folders));
    BenchResult result;
    Pool(threads).run([&] {
      result = w.run(registry, threads, folders);
      result.peak_gflops = peak_gflops(threads);
    });
    result.workload = workload;
    result.threads = threads;
    result.per_second = 1e3 / result.milliseconds;
    return result;
  }
  throw Error(ExitCode::usage,
              fmt::format("no workload '{}'; there are {}", workload, join(names)));
}

}  // namespace assay
