// A bundled model on parameters of its own, and the batches it is asked about.
//
//   const ModelUnderTest gpt("{type: gpt}", token_spec(11, 6), 6);
//   const auto logits = gpt.logits(ids_batch({{1, 2, 3}}));
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "interfaces/model.h"
#include "nn/key_value_cache.h"
#include "plugins/bundled.h"

namespace assay {

using IdRows = std::vector<std::vector<std::int32_t>>;

/// A token to be predicted at every position.
inline DataSpec token_spec(std::int64_t vocabulary, std::int64_t length) {
  return {{{"input", vocabulary, length, 0}, {"target", vocabulary, length, 0}}};
}

inline void add_ids(Batch& batch, const char* field, const IdRows& rows) {
  auto at = batch
                .add_ids(field, {static_cast<std::int64_t>(rows.size()),
                                 static_cast<std::int64_t>(rows[0].size())})
                .begin();
  for (const auto& row : rows) at = std::copy(row.begin(), row.end(), at);
}

inline Batch ids_batch(const IdRows& rows, const char* field = "input") {
  Batch batch(static_cast<std::int64_t>(rows.size()));
  add_ids(batch, field, rows);
  return batch;
}

inline void add_marks(Batch& batch, const char* field, const Shape& shape,
                      const std::vector<std::uint8_t>& marks) {
  std::copy(marks.begin(), marks.end(), batch.add_marks(field, shape).begin());
}

struct ModelUnderTest {
  ModelUnderTest(const std::string& yaml, DataSpec data, std::int64_t context,
                 std::uint64_t seed = 1)
      : spec(std::move(data)), model(make<Model>(yaml, {spec, context, Scope(parameters)})) {
    parameters.initialise(seed);
  }
  /// Of a batch, in evaluation.
  std::vector<float> logits(const Batch& batch, KeyValueCache* cache = nullptr) const {
    Tape tape(false);
    Pass pass(tape, parameters, {}, Mode::evaluate, Random(1, "step"));
    pass.cache = cache;
    const auto values = model->forward(batch, pass).logits.values();
    return {values.begin(), values.end()};
  }
  DataSpec spec;
  Parameters parameters;
  std::unique_ptr<Model> model;
};

}  // namespace assay
