#include "contract/model_subject.h"

#include <algorithm>

#include "base/error.h"

namespace assay {

ModelSample::ModelSample(std::int64_t history_length, std::uint64_t seed) {
  const Random draw(seed, "contract");
  std::uint64_t next = 0;
  const auto id = [&] { return static_cast<std::int32_t>(draw.below(next++, kModelVocabulary)); };
  for (std::int64_t row = 0; row < kModelRows; ++row) {
    for (std::int64_t i = 0; i < history_length; ++i) history.push_back(id());
    for (std::int64_t i = 0; i <= kModelContext; ++i) {
      const std::int32_t token = id();
      if (i < kModelContext) input.push_back(token);
      if (i > 0) target.push_back(token);
    }
  }
  while (source.size() < input.size()) source.push_back(id());
}

Batch ModelSample::batch(std::int64_t rows, std::int64_t length) const {
  Batch batch(rows);
  const auto fill = [&](const char* name, const std::vector<std::int32_t>& from, std::int64_t width,
                        std::int64_t count) {
    const auto into = batch.add_ids(name, {rows, count});
    for (std::int64_t row = 0; row < rows; ++row)
      std::copy_n(from.begin() + row * width, count, into.begin() + row * count);
  };
  fill("input", input, kModelContext, length);
  if (per_row) {
    const auto into = batch.add_ids("target", {rows});
    for (std::int64_t row = 0; row < rows; ++row)
      into[static_cast<std::size_t>(row)] = target[static_cast<std::size_t>(row * kModelContext)];
  } else {
    fill("target", target, kModelContext, length);
  }
  fill("source", source, kModelContext, kModelContext);
  const std::int64_t past = static_cast<std::int64_t>(history.size()) / kModelRows;
  if (past > 0) fill("history", history, past, past);
  return batch;
}

namespace {

DataSpec data_with_targets(std::int64_t length) {
  return {{{"input", kModelVocabulary, kModelContext, 0},
           {"target", kModelVocabulary, length, 0},
           {"source", kModelVocabulary, kModelContext, 0}}};
}

bool takes(const Make<Model>& make, const DataSpec& data) {
  Parameters unused;
  try {
    make({data, kModelContext, Scope(unused)});
  } catch (const Error& error) {
    if (error.code() == ExitCode::usage) return false;
    throw;
  }
  return true;
}

}  // namespace

ModelSubject::ModelSubject(const Make<Model>& make) : data(data_with_targets(kModelContext)) {
  if (!takes(make, data))
    if (const DataSpec per_row = data_with_targets(0); takes(make, per_row)) data = per_row;
  model = make({data, kModelContext, Scope(parameters)});
  parameters.initialise(1);
  if (model->learns_by_counting()) {
    OneBatch train(sample(1).batch());
    for (std::int64_t n = 0; n < model->readings(); ++n)
      if (model->fit(train).last) break;
  }
}

ModelSample ModelSubject::sample(std::uint64_t seed) const {
  ModelSample sample(model->history(), seed);
  sample.per_row = data.field("target").length == 0;
  return sample;
}

std::vector<float> ModelSubject::logits(const Batch& batch, KeyValueCache* cache) const {
  Tape tape(false);
  Pass pass(tape, parameters, {}, Mode::evaluate, Random(1, "contract"));
  pass.set_first_row(batch.first_row());
  pass.cache = cache;
  const auto values = model->forward(batch, pass).logits.values();
  return {values.begin(), values.end()};
}

}  // namespace assay
