#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "autograd/tape.h"
#include "base/parallel.h"
#include "contract/support.h"
#include "nn/pass.h"

namespace assay {
namespace {

constexpr std::int64_t kRows = 6, kLength = 5, kClasses = 7;

DataSpec spec() {
  return {{{"input", kClasses, kLength, 0},
           {"target", kClasses, kLength, 0},
           {"source", kClasses, kLength, 0}}};
}

/// Every third target is ignored, or all are.
Batch sample(bool all_ignored) {
  Batch batch(kRows);
  const Random draw(1, "contract");
  const auto input = batch.add_ids("input", {kRows, kLength});
  const auto target = batch.add_ids("target", {kRows, kLength});
  for (std::size_t i = 0; i < input.size(); ++i) {
    input[i] = static_cast<std::int32_t>(draw.below(2 * i, kClasses));
    target[i] =
        all_ignored || i % 3 == 0 ? -1 : static_cast<std::int32_t>(draw.below(2 * i + 1, kClasses));
  }
  return batch;
}

/// Of the logits of a batch: a score for every class, or for the candidates that it names.
Shape logits_of(const Batch& batch) {
  if (batch.has("candidates")) return batch.ids("candidates").shape;
  return {batch.size(), kLength, kClasses};
}

struct Result {
  double loss = 0, weight = 0;
  std::vector<float> gradient;
};

/// logits: those of the batch's rows.
Result evaluate(const Objective& objective, const Batch& batch, std::span<float> logits) {
  Tape tape;
  const Parameters none;
  Pass pass(tape, none, {}, Mode::train, Random(1, "contract"));
  pass.set_first_row(batch.first_row());
  Result result;
  result.gradient.assign(logits.size(), 0);
  const Tensor leaf = tape.variable(logits_of(batch), logits.data(), result.gradient.data());
  const SummedLoss loss = objective.loss({leaf, {}}, batch, pass);
  result.loss = static_cast<double>(loss.sum.values()[0]);
  result.weight = loss.weight;
  if (loss.sum.needs_gradient()) tape.backward(loss.sum);
  return result;
}

void check_sum(const Objective& objective, const Batch& batch, std::vector<float>& logits,
               const Result& whole, Failures& failures) {
  Result parts;
  for (const auto& [first, last] : {std::pair<std::int64_t, std::int64_t>{0, 2}, {2, kRows}}) {
    const std::size_t row = logits.size() / static_cast<std::size_t>(kRows);
    const auto some = std::span(logits).subspan(static_cast<std::size_t>(first) * row,
                                                static_cast<std::size_t>(last - first) * row);
    const Result part = evaluate(objective, batch.rows(first, last), some);
    parts.loss += part.loss;
    parts.weight += part.weight;
  }
  // float32 sums of some tens of numbers.
  if (std::abs(parts.loss - whole.loss) > 1e-5 * (std::abs(whole.loss) + 1))
    failures.push_back(
        fmt::format("the loss of a batch is {}, but of its two parts {}: it must be "
                    "a sum over rows",
                    whole.loss, parts.loss));
  if (parts.weight != whole.weight)
    failures.push_back(fmt::format("the weight of a batch is {}, but of its two parts {}",
                                   whole.weight, parts.weight));
}

void check_at_once(const Objective& objective, const Batch& batch, std::vector<float>& logits,
                   const Result& whole, Failures& failures) {
  std::array<bool, 12> equal{};
  Pool(3).run([&] {
    parallel_for(static_cast<std::int64_t>(equal.size()), [&](std::int64_t i) {
      const Batch again = objective.prepare(sample(false), Random(1, "prepare"));
      const Result result = evaluate(objective, i % 2 == 0 ? batch : again, logits);
      equal[static_cast<std::size_t>(i)] = result.loss == whole.loss &&
                                           result.weight == whole.weight &&
                                           same_bits(result.gradient, whole.gradient);
    });
  });
  if (!std::all_of(equal.begin(), equal.end(), [](bool e) { return e; }))
    failures.push_back(
        "the same batch, again and on several threads at once, has another loss or gradient");
}

void check_gradient(const Objective& objective, const Batch& batch, std::vector<float>& logits,
                    const Result& whole, Failures& failures) {
  const std::vector<float> start = logits,
                           direction = normal_numbers(logits.size(), Random(3, "move"));
  double derivative = 0, norm = 0;
  for (std::size_t i = 0; i < start.size(); ++i) {
    derivative += static_cast<double>(whole.gradient[i]) * direction[i];
    norm += static_cast<double>(whole.gradient[i]) * whole.gradient[i];
  }
  double difference = 0;
  const bool agrees = agrees_with_differences(
      derivative, std::sqrt(norm), 1e-6 * std::abs(whole.loss), difference, [&](double step) {
        for (std::size_t i = 0; i < start.size(); ++i)
          logits[i] = static_cast<float>(start[i] + step * direction[i]);
        return evaluate(objective, batch, logits).loss;
      });
  logits = start;
  if (!agrees)
    failures.push_back(
        fmt::format("the gradient with respect to the logits is {}, by differences {}", derivative,
                    difference));
}

}  // namespace

Failures check_objective(const Make<Objective>& make, Failures failures) {
  attempt(failures, "loss of ordinary logits", [&] {
    const DataSpec data = spec();
    const auto objective = make({data});
    const Batch batch = objective->prepare(sample(false), Random(1, "prepare"));
    const auto count = static_cast<std::size_t>(logits_of(batch).elements());
    std::vector<float> logits = normal_numbers(count, Random(2, "logits"));
    const Result whole = evaluate(*objective, batch, logits);
    if (!std::isfinite(whole.loss) || whole.weight <= 0)
      failures.push_back(fmt::format("the loss of ordinary logits is {} with weight {}", whole.loss,
                                     whole.weight));
    attempt(failures, "loss is a sum over rows",
            [&] { check_sum(*objective, batch, logits, whole, failures); });
    attempt(failures, "gradient against differences",
            [&] { check_gradient(*objective, batch, logits, whole, failures); });
    attempt(failures, "same bits from several threads",
            [&] { check_at_once(*objective, batch, logits, whole, failures); });
    attempt(failures, "ignored targets weigh nothing", [&] {
      const Batch nothing = objective->prepare(sample(true), Random(1, "prepare"));
      logits.resize(static_cast<std::size_t>(logits_of(nothing).elements()));
      const Result ignored = evaluate(*objective, nothing, logits);
      const bool still = std::all_of(ignored.gradient.begin(), ignored.gradient.end(),
                                     [](float g) { return g == 0; });
      if (ignored.loss != 0 || ignored.weight != 0 || !still)
        failures.push_back(fmt::format("with every target ignored the loss is {}, its weight {}{}",
                                       ignored.loss, ignored.weight,
                                       still ? "" : ", and its gradient is not 0"));
    });
  });
  return failures;
}

}  // namespace assay
