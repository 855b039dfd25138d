// Time, work and memory of attention and of the MLP by sequence length N: O(N^2 D) and O(N D^2).
// Time is that of one core at work on it: waiting for a core that others use does not count. The
// lengths take turns, so that a slow moment of the machine falls on all of them.
#include <algorithm>
#include <cmath>
#include <ctime>
#include <limits>
#include <memory>

#include "assay.h"

namespace {

using namespace assay;

struct Cost {
  double milliseconds = std::numeric_limits<double>::infinity(), flops = 0, bytes = 0;
  double scratch = 0;  // bytes, part of the above: what kernels take and do not keep
};

double thread_milliseconds() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return 1e3 * static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_nsec);
}

// The exponent p of y = c N^p, by least squares of the logarithms.
double exponent(const std::vector<std::int64_t>& lengths, const std::vector<double>& y) {
  const double n = static_cast<double>(y.size());
  double sx = 0, sy = 0, sxx = 0, sxy = 0;
  for (std::size_t i = 0; i < y.size(); ++i) {
    const double lx = std::log(static_cast<double>(lengths[i])), ly = std::log(y[i]);
    sx += lx, sy += ly, sxx += lx * lx, sxy += lx * ly;
  }
  return (n * sxy - sx * sy) / (n * sxx - sx * sx);
}

class AttentionCost final : public Probe {
 public:
  struct Options {
    std::vector<std::int64_t> lengths = {256, 512, 1024, 2048, 4096};
    std::int64_t width = 64, heads = 1, repeats = 5;
    static void describe(OptionList<Options>& o) {
      o.add("lengths", &Options::lengths, "Sequence lengths N, rising.").at_least(1);
      o.add("width", &Options::width, "Width D.").at_least(1);
      o.add("heads", &Options::heads, "Attention heads.").at_least(1);
      o.add("repeats", &Options::repeats,
            "Rounds through the lengths; the fastest time of each counts.")
          .at_least(1);
      o.rule("width must be a multiple of heads",
             [](const Options& p) { return p.width % p.heads == 0; });
      o.rule(
          "lengths: wanted at least two", [](const Options& p) { return p.lengths.size() >= 2; },
          "{properties: {lengths: {minItems: 2}}}");
      o.rule("lengths: must rise", [](const Options& p) {
        return std::is_sorted(p.lengths.begin(), p.lengths.end(), std::less_equal<>());
      });
    }
  };
  AttentionCost(const Options& o, const ProbeBuild& b) : options_(o), seed_(b.seed) {
    AttentionOptions attention;
    attention.width = o.width, attention.heads = o.heads;
    attention_ = MultiHeadAttention(Scope(parameters_) / "attention", attention);
    expand_ = Linear(Scope(parameters_) / "expand", o.width, 4 * o.width);
    project_ = Linear(Scope(parameters_) / "project", 4 * o.width, o.width);
    parameters_.initialise(seed_);
  }

  bool measures_time() const override { return true; }

  void measure(Measurements& out) const override {
    MeasuredTable table("On one core, fastest of " + std::to_string(options_.repeats) +
                            ", D = " + std::to_string(options_.width),
                        {{"N", "d"},
                         {"attention ms", ".2f"},
                         {"growth", ".2f"},
                         {"MLP ms", ".2f"},
                         {"growth of MLP", ".2f"},
                         {"attention MB", ".2f"},
                         {"of it scratch MB", ".2f"},
                         {"all heads' N x N weights MB", ".2f"}});
    std::vector<double> times, mlp_times, bytes, scratch, mlp_flops;
    const auto attentions = costs([&](Tensor x, Pass& pass) { attention_(x, x, {}, pass); });
    const auto mlps = costs([&](Tensor x, Pass& pass) { project_(expand_.gelu(x, pass), pass); });
    for (std::size_t i = 0; i < attentions.size(); ++i) {
      const std::int64_t n = options_.lengths[i];
      const Cost &attention = attentions[i], &mlp = mlps[i];
      const auto growth = [](const std::vector<double>& before, double now) {
        return before.empty() ? std::nan("") : now / before.back();
      };
      const double square = 4e-6 * static_cast<double>(n * n * options_.heads);
      table.row({n, attention.milliseconds, growth(times, attention.milliseconds), mlp.milliseconds,
                 growth(mlp_times, mlp.milliseconds), attention.bytes / 1e6,
                 attention.scratch / 1e6, square});
      times.push_back(attention.milliseconds), mlp_times.push_back(mlp.milliseconds);
      bytes.push_back(attention.bytes), scratch.push_back(attention.scratch);
      mlp_flops.push_back(mlp.flops);
    }
    out.tables["cost"] = std::move(table);
    out.scalars["attention/time_exponent"] = exponent(options_.lengths, times);
    out.scalars["attention/memory_exponent"] = exponent(options_.lengths, bytes);
    out.scalars["attention/bytes_at_longest"] = bytes.back();
    out.scalars["attention/scratch_at_longest"] = scratch.back();
    out.scalars["mlp/time_exponent"] = exponent(options_.lengths, mlp_times);
    out.scalars["mlp/work_exponent"] = exponent(options_.lengths, mlp_flops);
  }

 private:
  // One length: its tokens, and the memory that its work takes.
  struct Trial {
    explicit Trial(std::int64_t tokens, std::int64_t width, const Random& random)
        : shape{1, tokens, width}, values(static_cast<std::size_t>(shape.elements())) {
      Initialiser::normal(1).fill(values, random);
    }
    Shape shape;
    std::vector<float> values;
    Tape tape{false};
    Cost cost;
  };

  template <class Work>
  std::vector<Cost> costs(const Work& work) const {
    const Random random(seed_, "tokens");
    std::vector<std::unique_ptr<Trial>> trials;
    for (const std::int64_t n : options_.lengths)
      trials.push_back(std::make_unique<Trial>(n, options_.width, random));
    Pool(1).run([&] {
      for (std::int64_t round = 0; round <= options_.repeats; ++round)
        for (const auto& trial : trials) {
          trial->tape.reset();
          Pass pass(trial->tape, parameters_, {}, Mode::evaluate, random);
          const Tensor x = trial->tape.constant(trial->shape, trial->values);
          const double start = thread_milliseconds();
          work(x, pass);
          const double taken = thread_milliseconds() - start;
          if (round > 0)  // the first one warms up
            trial->cost.milliseconds = std::min(trial->cost.milliseconds, taken);
        }
    });
    std::vector<Cost> costs;
    for (const auto& trial : trials) {
      Cost& cost = trial->cost;
      cost.flops = trial->tape.flops();
      cost.scratch = static_cast<double>(trial->tape.workspace().peak_bytes());
      cost.bytes = static_cast<double>(trial->tape.arena().peak_bytes()) + cost.scratch;
      costs.push_back(cost);
    }
    return costs;
  }

  Options options_;
  std::uint64_t seed_;
  Parameters parameters_;
  MultiHeadAttention attention_;
  Linear expand_, project_;
};

}  // namespace

ASSAY_PLUGIN(Probe, "attention_cost", AttentionCost,
             "Time and memory of attention and MLP by sequence length.")
