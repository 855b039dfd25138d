// Hidden Markov model: a chain of hidden states, each of which emits tokens with probabilities of
// its own. Formulas: Rabiner, 1989, "A tutorial on hidden Markov models and selected applications
// in speech recognition".
//
//   z_0 ~ pi,  z_t | z_(t-1) ~ A,  x_t | z_t ~ b
//   forward   alpha_t(j) = [sum over i of alpha_(t-1)(i) a_ij] b_j(x_t) / c_t   (20, scaled: 91)
//   backward  beta_(t-1)(i) = sum over j of a_ij b_j(x_t) beta_t(j) / c_t       (25, scaled: 94)
//   log P(x) = sum over t of log c_t                                            (103)
//   learning  pi, A and b from their expected counts (40a-c), over all sequences (109-111)
//
// A row of the training split is a sequence of its own: its first token, then its targets. An
// iteration is one reading of the split (expectation and maximisation, Baum and Petrie, 1966); the
// loss of training is that of whole sequences, first token counted, under the probabilities before
// it, and falls with each iteration if smoothing is 0. Predictions come from the forward algorithm
// over the history and the window, in float64. A token that no state can emit tells nothing.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "assay.h"

namespace {

using namespace assay;

using Numbers = std::vector<double>;

// Probabilities, or expected counts, of a model. Rows of emissions are tokens, so that what the
// states have for a token stands together.
struct Tables {
  Numbers initial;      // [S]
  Numbers transitions;  // [S, S], from row to column
  Numbers emissions;    // [K, S]

  Tables() = default;
  Tables(std::size_t states, std::size_t tokens)
      : initial(states), transitions(states * states), emissions(tokens * states) {}

  Tables& operator+=(const Tables& other) {
    add(initial, other.initial), add(transitions, other.transitions);
    add(emissions, other.emissions);
    return *this;
  }

 private:
  static void add(Numbers& to, const Numbers& from) {
    for (std::size_t i = 0; i < to.size(); ++i) to[i] += from[i];
  }
};

// What the rows of one block expect, and how likely they are.
struct Expected {
  Tables counts;
  double log_likelihood = 0, tokens = 0;
};

// Expects the hidden states of sequences, one after the other.
class ForwardBackward {
 public:
  ForwardBackward(const Tables& model, Expected& into)
      : model_(model), into_(into), states_(model.initial.size()), pairs_(states_ * states_) {}

  void operator()(std::span<const std::int32_t> ids) {
    const std::size_t length = ids.size();
    alpha_.assign(length * states_, 0), scales_.assign(length, 0);
    for (std::size_t t = 0; t < length; ++t) forward(t, ids[t]);
    beta_.assign(states_, 1);
    for (std::size_t t = length; t-- > 0;) backward(t, ids[t]);
    into_.tokens += static_cast<double>(length);
  }

  // The sums of alpha and beta become expected transitions only here: a_ij is common to all.
  void finish() {
    for (std::size_t i = 0; i < pairs_.size(); ++i)
      into_.counts.transitions[i] += pairs_[i] * model_.transitions[i];
  }

 private:
  void forward(std::size_t t, std::int32_t id) {
    double* now = alpha_.data() + t * states_;
    if (t == 0) {
      std::copy(model_.initial.begin(), model_.initial.end(), now);
    } else {
      const double* before = now - states_;
      for (std::size_t i = 0; i < states_; ++i)
        for (std::size_t j = 0; j < states_; ++j)
          now[j] += before[i] * model_.transitions[i * states_ + j];
    }
    const double* emitted = model_.emissions.data() + static_cast<std::size_t>(id) * states_;
    double scale = 0;
    for (std::size_t j = 0; j < states_; ++j) scale += now[j] *= emitted[j];
    if (!(scale > 0))
      throw Error(
          ExitCode::failed,
          "model 'hmm': a training sequence has become less likely than the smallest number "
          "there is; a smoothing above 0 prevents it");
    for (std::size_t j = 0; j < states_; ++j) now[j] /= scale;
    scales_[t] = scale;
    into_.log_likelihood += std::log(scale);
  }

  // beta_ is that of time t, and becomes that of t - 1.
  void backward(std::size_t t, std::int32_t id) {
    const double* alpha = alpha_.data() + t * states_;
    const auto row = static_cast<std::size_t>(id) * states_;
    double* emissions = into_.counts.emissions.data() + row;
    for (std::size_t j = 0; j < states_; ++j) emissions[j] += alpha[j] * beta_[j];
    if (t == 0) {
      for (std::size_t j = 0; j < states_; ++j) into_.counts.initial[j] += alpha[j] * beta_[j];
      return;
    }
    const double* emitted = model_.emissions.data() + row;
    ahead_.resize(states_);
    for (std::size_t j = 0; j < states_; ++j) ahead_[j] = emitted[j] * beta_[j] / scales_[t];
    const double* before = alpha - states_;
    for (std::size_t i = 0; i < states_; ++i) {
      double sum = 0;
      for (std::size_t j = 0; j < states_; ++j) {
        pairs_[i * states_ + j] += before[i] * ahead_[j];
        sum += model_.transitions[i * states_ + j] * ahead_[j];
      }
      beta_[i] = sum;
    }
  }

  const Tables& model_;
  Expected& into_;
  std::size_t states_;
  Numbers pairs_, alpha_, beta_, ahead_, scales_;
};

class Hmm final : public Model {
 public:
  struct Options {
    std::int64_t states = 16, iterations = 50, history = 64;
    double tolerance = 1e-4, smoothing = 0.01;
    static void describe(OptionList<Options>& o) {
      o.add("states", &Options::states, "Hidden states S.").at_least(1);
      o.add("iterations", &Options::iterations,
            "Readings of the training split at most, each an iteration of Baum-Welch.")
          .at_least(1);
      o.add(
           "tolerance", &Options::tolerance,
           "An iteration that lowers the loss by less, in nats per token, is the last; 0: none is.")
          .at_least(0);
      o.add("smoothing", &Options::smoothing,
            "Added to every expected count; 0: what was never expected becomes impossible.")
          .at_least(0);
      o.add("history", &Options::history,
            "Tokens before a window that are read before its first prediction is made.")
          .at_least(0);
    }
  };

  Hmm(const Options& options, const ModelBuild& build)
      : options_(options), states_(static_cast<std::size_t>(options.states)) {
    const FieldSpec &input = build.data.field("input"), &target = build.data.field("target");
    if (target.length == 0 || input.vocabulary != target.vocabulary)
      throw Error(ExitCode::usage,
                  "model 'hmm' predicts the next of the tokens that it reads: wanted data with "
                  "input and target of one vocabulary, and a target at every position");
    tokens_ = static_cast<std::size_t>(target.vocabulary);
    start(Random(build.seed, "hmm"));
  }

  bool learns_by_counting() const override { return true; }
  std::int64_t history() const override { return options_.history; }
  std::int64_t readings() const override { return options_.iterations; }

  Reading fit(BatchStream& train) override {
    Expected all = nothing();
    train.rewind();
    while (const std::optional<Batch> batch = train.next()) expect(*batch, all);
    if (all.tokens > 0) maximise(all.counts);
    const Reading reading = {-all.log_likelihood, all.tokens,
                             all.tokens == 0 || settled(-all.log_likelihood / all.tokens)};
    return reading;
  }

  Output forward(const Batch& batch, Pass& pass) const override {
    const Field<std::int32_t> input = batch.ids("input");
    const std::int64_t rows = input.shape[0], length = input.shape[1];
    const Field<std::int32_t> history =
        batch.has("history") ? batch.ids("history") : Field<std::int32_t>{};
    const std::int64_t before = history.values.empty() ? 0 : history.shape[1];
    const Tensor logits =
        pass.tape().result(input.shape.appended(static_cast<std::int64_t>(tokens_)), {});
    float* out = logits.slot().data;
    Numbers belief, next, probabilities(tokens_);
    for (std::int64_t row = 0; row < rows; ++row) {
      belief = model_.initial;
      for (std::int64_t i = row * before; i < (row + 1) * before; ++i)
        read(history.values[static_cast<std::size_t>(i)], belief, next);
      for (std::int64_t i = row * length; i < (row + 1) * length; ++i) {
        read(input.values[static_cast<std::size_t>(i)], belief, next);
        for (std::size_t x = 0; x < tokens_; ++x) {
          double sum = 0;
          for (std::size_t j = 0; j < states_; ++j)
            sum += belief[j] * model_.emissions[x * states_ + j];
          *out++ = static_cast<float>(std::log(sum));
        }
      }
    }
    return {logits, {}};
  }

  void state(StateIo& io) override {
    io.reals("initial", model_.initial);
    io.reals("transitions", model_.transitions);
    io.reals("emissions", model_.emissions);
    io.real("loss", loss_);
    if (!io.restores()) return;
    const bool sizes = model_.initial.size() == states_ &&
                       model_.transitions.size() == states_ * states_ &&
                       model_.emissions.size() == tokens_ * states_;
    if (!sizes || !are_distributions())
      throw Error(ExitCode::data, "model 'hmm': the saved probabilities are damaged");
  }

 private:
  static constexpr std::int64_t kRowsPerBlock = 8;  // that one thread expects

  Expected nothing() const { return {Tables(states_, tokens_), 0, 0}; }

  // Each distribution drawn evenly from all there are: equal ones would stay equal for ever.
  void start(const Random& random) {
    model_ = Tables(states_, tokens_);
    const auto draw = [&](Numbers& numbers, const char* purpose) {
      const Random own = random.with(purpose);
      for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = -std::log1p(-own.uniform(i));
    };
    draw(model_.initial, "initial");
    draw(model_.transitions, "transitions");
    draw(model_.emissions, "emissions");
    Tables drawn = std::move(model_);
    model_ = Tables(states_, tokens_);
    normalise(drawn, 0);
  }

  void expect(const Batch& batch, Expected& all) const {
    const std::int64_t blocks = (batch.size() + kRowsPerBlock - 1) / kRowsPerBlock;
    std::vector<Expected> parts(static_cast<std::size_t>(blocks));
    parallel_for(blocks, [&](std::int64_t block) {
      Expected part = nothing();
      ForwardBackward expects(model_, part);
      const std::int64_t first = block * kRowsPerBlock;
      for_each_sequence(batch.rows(first, std::min(batch.size(), first + kRowsPerBlock)),
                        [&](std::span<const std::int32_t> ids) { expects(ids); });
      expects.finish();
      parts[static_cast<std::size_t>(block)] = std::move(part);
    });
    for (const Expected& part : parts) {
      all.counts += part.counts;
      all.log_likelihood += part.log_likelihood;
      all.tokens += part.tokens;
    }
  }

  // Targets that are ignored end a sequence, or stand before it: each target is expected once.
  template <class Use>
  void for_each_sequence(const Batch& batch, const Use& use) const {
    const Field<std::int32_t> input = batch.ids("input"), target = batch.ids("target");
    const auto length = static_cast<std::size_t>(input.shape[1]);
    std::vector<std::int32_t> ids;
    for (std::size_t at = 0; at < input.values.size(); ++at) {
      if (at % length == 0) ids.clear();
      const std::int32_t next = target.values[at];
      if (next >= 0) {
        if (ids.empty()) ids.push_back(checked(input.values[at]));
        if (ids.back() != input.values[at])
          throw Error(ExitCode::usage,
                      "model 'hmm' predicts the next of the tokens that it reads, and the targets "
                      "of this dataset are others");
        ids.push_back(checked(next));
      }
      const bool ends = next < 0 || at % length + 1 == length;
      if (!ends || ids.empty()) continue;
      use(std::span<const std::int32_t>(ids));
      ids.clear();
    }
  }

  void maximise(const Tables& counts) { normalise(counts, options_.smoothing); }

  // A distribution of nothing at all stays what it was.
  void normalise(const Tables& counts, double smoothing) {
    const auto fill = [&](const Numbers& from, Numbers& to, std::size_t first, std::size_t count,
                          std::size_t stride) {
      double total = 0;
      for (std::size_t i = 0; i < count; ++i) total += from[first + i * stride] + smoothing;
      if (!(total > 0)) return;
      for (std::size_t i = 0; i < count; ++i)
        to[first + i * stride] = (from[first + i * stride] + smoothing) / total;
    };
    fill(counts.initial, model_.initial, 0, states_, 1);
    for (std::size_t i = 0; i < states_; ++i) {
      fill(counts.transitions, model_.transitions, i * states_, states_, 1);
      fill(counts.emissions, model_.emissions, i, tokens_, states_);
    }
  }

  bool settled(double loss) {
    const bool last = loss_ - loss < options_.tolerance;
    loss_ = loss;
    return options_.tolerance > 0 && last;
  }

  // belief: how likely each state is for the next token, before and after this one was read; next
  // is working space. A negative id: nothing stands there, so the next token is a first one.
  void read(std::int32_t id, Numbers& belief, Numbers& next) const {
    if (id < 0) {
      belief = model_.initial;
      return;
    }
    const auto row = static_cast<std::size_t>(checked(id)) * states_;
    double total = 0;
    for (std::size_t i = 0; i < states_; ++i) total += belief[i] * model_.emissions[row + i];
    next.assign(states_, 0);
    for (std::size_t i = 0; i < states_; ++i) {
      const double weight = total > 0 ? belief[i] * model_.emissions[row + i] / total : belief[i];
      for (std::size_t j = 0; j < states_; ++j)
        next[j] += weight * model_.transitions[i * states_ + j];
    }
    belief.swap(next);
  }

  std::int32_t checked(std::int32_t id) const {
    if (id >= 0 && static_cast<std::size_t>(id) < tokens_) return id;
    throw Error(ExitCode::data, "model 'hmm': token " + std::to_string(id) +
                                    " is outside the vocabulary of " + std::to_string(tokens_));
  }

  bool are_distributions() const {
    constexpr double kTolerance = 1e-9;
    const auto adds_up = [&](const Numbers& of, std::size_t first, std::size_t count,
                             std::size_t stride) {
      double total = 0;
      for (std::size_t i = 0; i < count; ++i) {
        const double p = of[first + i * stride];
        if (!(p >= 0)) return false;
        total += p;
      }
      return std::abs(total - 1) < kTolerance;
    };
    for (std::size_t i = 0; i < states_; ++i)
      if (!adds_up(model_.transitions, i * states_, states_, 1) ||
          !adds_up(model_.emissions, i, tokens_, states_))
        return false;
    return adds_up(model_.initial, 0, states_, 1);
  }

  Options options_;
  std::size_t states_ = 0, tokens_ = 0;
  Tables model_;
  double loss_ = std::numeric_limits<double>::infinity();  // of the reading before
};

}  // namespace

ASSAY_PLUGIN(Model, "hmm", Hmm, "Hidden Markov model, learned by Baum-Welch.")
