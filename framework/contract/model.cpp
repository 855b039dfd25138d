#include <fmt/format.h>

#include <algorithm>

#include "base/parallel.h"
#include "contract/model_subject.h"
#include "nn/key_value_cache.h"

namespace assay {
namespace {

// float32 through some layers, in another order of additions.
constexpr float kClose = 1e-4F;

bool close(const std::vector<float>& a, const std::vector<float>& b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i)
    if (a[i] != b[i] && !(std::abs(a[i] - b[i]) <= kClose * (1 + std::abs(a[i])))) return false;
  return true;
}

/// The logits [K] of one position, where there is an answer per position; else those of the row.
std::vector<float> part(const std::vector<float>& logits, std::int64_t first, std::int64_t last,
                        std::int64_t parts) {
  const std::int64_t size = static_cast<std::int64_t>(logits.size()) / parts;
  return {logits.begin() + first * size, logits.begin() + last * size};
}

void check_shape(const ModelSubject& subject, Failures& failures) {
  const ModelSample sample = subject.sample(2);
  Tape tape(false);
  Pass pass(tape, subject.parameters, {}, Mode::evaluate, Random(1, "contract"));
  const Shape shape = subject.model->forward(sample.batch(), pass).logits.shape();
  const bool per_position = shape == Shape{kModelRows, kModelContext, kModelVocabulary};
  if (!per_position && !(shape == Shape{kModelRows, kModelVocabulary}))
    failures.push_back(fmt::format("its logits have shape {}; wanted ({}, {}, {}) or ({}, {})",
                                   shape.text(), kModelRows, kModelContext, kModelVocabulary,
                                   kModelRows, kModelVocabulary));
}

void check_causality(const ModelSubject& subject, Failures& failures) {
  ModelSample sample = subject.sample(2);
  const std::vector<float> before = subject.logits(sample.batch());
  if (before.size() == kModelRows * kModelVocabulary) return;  // one answer per row: no before
  for (std::int64_t changed = kModelContext - 1; changed > 0; --changed) {
    for (std::int64_t row = 0; row < kModelRows; ++row) {
      std::int32_t& id = sample.input[static_cast<std::size_t>(row * kModelContext + changed)];
      id = (id + 1) % kModelVocabulary;
    }
    const std::vector<float> after = subject.logits(sample.batch());
    for (std::int64_t row = 0; row < kModelRows; ++row) {
      const std::int64_t first = row * kModelContext, positions = kModelRows * kModelContext;
      if (!same_bits(part(before, first, first + changed, positions),
                     part(after, first, first + changed, positions)))
        return failures.push_back(fmt::format(
            "it looks ahead: other ids from position {} on change the logits before; a model that "
            "looks both ways says so in causal()",
            changed));
    }
  }
}

void check_targets(const ModelSubject& subject, Failures& failures) {
  ModelSample sample = subject.sample(2);
  const std::vector<float> before = subject.logits(sample.batch());
  for (std::int32_t& target : sample.target) target = (target + 1) % kModelVocabulary;
  if (!same_bits(before, subject.logits(sample.batch())))
    failures.push_back("it looks at the targets: other targets change the logits");
}

void check_rows(const ModelSubject& subject, Failures& failures) {
  const ModelSample sample = subject.sample(2), other = subject.sample(3);
  const std::vector<float> whole = subject.logits(sample.batch());
  ModelSample mixed = other;  // with the first row of sample
  std::copy_n(sample.input.begin(), kModelContext, mixed.input.begin());
  std::copy_n(sample.target.begin(), kModelContext, mixed.target.begin());
  std::copy_n(sample.source.begin(), kModelContext, mixed.source.begin());
  std::copy_n(sample.history.begin(), subject.model->history(), mixed.history.begin());
  if (!same_bits(part(whole, 0, 1, kModelRows),
                 part(subject.logits(mixed.batch()), 0, 1, kModelRows)))
    failures.push_back("rows see each other: other rows change the logits of the first");
  const std::vector<float> some = subject.logits(sample.batch().rows(1, 3));
  if (!close(part(whole, 1, 3, kModelRows), some))
    failures.push_back("rows 1 and 2 of a batch, alone, have other logits than within it");
}

void check_at_once(const ModelSubject& subject, Failures& failures) {
  const Batch batch = subject.sample(2).batch();
  const std::vector<float> alone = subject.logits(batch);
  std::vector<std::vector<float>> results(12);
  Pool(3).run([&] {
    parallel_for(static_cast<std::int64_t>(results.size()), [&](std::int64_t i) {
      results[static_cast<std::size_t>(i)] = subject.logits(batch);
    });
  });
  for (const auto& result : results)
    if (!same_bits(alone, result))
      return failures.push_back("called by several threads at once, forward gives other logits");
}

void check_cache(const ModelSubject& subject, Failures& failures) {
  const ModelSample sample = subject.sample(2);
  const std::vector<float> whole = subject.logits(sample.batch());
  KeyValueCache cache(kModelRows, kModelContext);
  for (std::int64_t position = 0; position < kModelContext; ++position) {
    Batch one(kModelRows);
    const auto input = one.add_ids("input", {kModelRows, 1});
    for (std::int64_t row = 0; row < kModelRows; ++row)
      input[static_cast<std::size_t>(row)] =
          sample.input[static_cast<std::size_t>(row * kModelContext + position)];
    const auto source = one.add_ids("source", {kModelRows, kModelContext});
    std::copy(sample.source.begin(), sample.source.end(), source.begin());
    const std::vector<float> logits = subject.logits(one, &cache);
    cache.advance(1);
    for (std::int64_t row = 0; row < kModelRows; ++row) {
      const std::int64_t at = row * kModelContext + position;
      if (!close(part(logits, row, row + 1, kModelRows),
                 part(whole, at, at + 1, kModelRows * kModelContext)))
        return failures.push_back(fmt::format(
            "with the cache the logits of position {} differ from those without", position));
    }
  }
}

}  // namespace

Failures check_model(const Make<Model>& make, Failures failures) {
  attempt(failures, "making it", [&] {
    const ModelSubject subject(make);
    const std::size_t before = failures.size();
    attempt(failures, "shape of the logits", [&] { check_shape(subject, failures); });
    if (failures.size() > before) return;
    const auto check = [&](const char* what, void (*run)(const ModelSubject&, Failures&)) {
      attempt(failures, what, [&] { run(subject, failures); });
    };
    if (subject.model->causal())
      check("causality", check_causality);
    else
      failures.skip("causality", "causal() is false");
    check("blind to the targets", check_targets);
    check("rows are independent", check_rows);
    check("same bits from several threads", check_at_once);
    if (subject.model->caches())
      check("key-value cache changes nothing", check_cache);
    else
      failures.skip("key-value cache changes nothing", "caches() is false");
    if (subject.model->learns_by_counting())
      attempt(failures, "counts are distributions, and survive saving",
              [&] { check_counting(make, failures); });
    if (subject.parameters.size() > 0) {
      attempt(failures, "gradients against differences", [&] { check_gradients(make, failures); });
      attempt(failures, "same gradients at any thread count",
              [&] { check_gradient_threads(make, failures); });
    }
  });
  return failures;
}

}  // namespace assay
