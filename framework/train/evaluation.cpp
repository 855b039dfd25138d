#include "train/evaluation.h"

#include <algorithm>
#include <span>

#include "data/windows.h"

namespace assay {
namespace {

// Windows assembled at once: a multiple of Shards::kEvaluationRows, so that its parts are those of
// one long batch.
constexpr std::size_t kChunk = 16 * Shards::kEvaluationRows;

}  // namespace

Evaluation::Evaluation(const Dataset& dataset, const Objective& objective,
                       const EvaluateOptions& options, const Request& request)
    : dataset_(dataset), objective_(objective), request_(request) {
  const EvaluateOptions o = options.resolved();
  seed_ = static_cast<std::uint64_t>(o.seed.value_or(0));
  const std::int64_t available = dataset.examples(Split::validation, request);
  examples_ = o.windows == "all"
                  ? dataset.cover(Split::validation, request)
                  : evaluation_windows(available, static_cast<std::uint32_t>(*o.seed),
                                       *o.batches * *o.batch);
}

BatchSum Evaluation::run(Shards& shards) const {
  const std::span<const Example> all = examples_;
  BatchSum total;
  for (std::size_t first = 0; first < all.size(); first += kChunk) {
    const auto chunk = all.subspan(first, std::min(kChunk, all.size() - first));
    const Random random(seed_, "evaluate", first);
    const Batch batch =
        objective_.prepare(dataset_.batch(Split::validation, chunk, request_), random);
    total += shards.evaluate(batch, random);
  }
  return total;
}

}  // namespace assay
