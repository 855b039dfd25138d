#include "train/generate.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "autograd/tape.h"
#include "base/error.h"
#include "nn/key_value_cache.h"

namespace assay {
namespace {

// The logits after the last of ids.
class NextLogits {
 public:
  /// most: the longest sequence that will be asked for.
  NextLogits(const Model& model, const Parameters& parameters, std::int64_t most)
      : model_(model), parameters_(parameters), tape_(false) {
    const std::int64_t longest = model.longest_input();
    if (model.caches()) cache_.emplace(1, longest > 0 ? longest : most);
    window_ = longest > 0 ? longest : model.reach();
  }

  std::span<const float> operator()(std::span<const std::int32_t> ids) {
    const auto count = static_cast<std::int64_t>(ids.size());
    const bool fits = window_ < 0 || count <= window_;
    if (cache_ && fits) {
      const std::int64_t fresh = count - cache_->length();
      const auto logits = forward(ids.last(static_cast<std::size_t>(fresh)), &*cache_);
      cache_->advance(fresh);
      return logits;
    }
    return forward(fits ? ids : ids.last(static_cast<std::size_t>(window_)), nullptr);
  }

 private:
  std::span<const float> forward(std::span<const std::int32_t> ids, KeyValueCache* cache) {
    Batch batch(1);
    const auto input = batch.add_ids("input", {1, static_cast<std::int64_t>(ids.size())});
    std::copy(ids.begin(), ids.end(), input.begin());
    tape_.reset();
    Pass pass(tape_, parameters_, {}, Mode::evaluate, Random(0, "generate"));
    pass.cache = cache;
    const Tensor logits = model_.forward(batch, pass).logits;
    return logits.values().last(static_cast<std::size_t>(logits.shape()[-1]));
  }

  const Model& model_;
  const Parameters& parameters_;
  Tape tape_;
  std::optional<KeyValueCache> cache_;
  std::int64_t window_ = -1;
};

std::int32_t draw_token(std::span<const float> logits, const Random& draw, std::uint64_t index) {
  const float largest = *std::max_element(logits.begin(), logits.end());
  const auto weight = [&](float logit) { return std::exp(static_cast<double>(logit) - largest); };
  double total = 0;
  std::size_t possible = 0, last = 0;
  for (std::size_t k = 0; k < logits.size(); ++k)
    if (const double w = weight(logits[k]); w > 0) {
      total += w;
      last = k;
      ++possible;
    }
  if (possible > 1) {
    double left = draw.uniform(index) * total;
    for (std::size_t k = 0; k < last; ++k) {
      const double w = weight(logits[k]);
      if (w > 0 && left < w) return static_cast<std::int32_t>(k);
      left -= w;
    }
  }
  return static_cast<std::int32_t>(last);
}

}  // namespace

std::vector<std::int32_t> generate(const Model& model, const Parameters& parameters,
                                   std::span<const std::unique_ptr<Sampler>> samplers,
                                   std::span<const std::int32_t> prompt, std::int64_t length,
                                   const Random& draw, std::int32_t stop) {
  if (prompt.empty())
    throw Error(ExitCode::usage,
                "the prompt is empty: a model needs at least one token to continue");
  std::vector<std::int32_t> ids(prompt.begin(), prompt.end());
  NextLogits next(model, parameters, static_cast<std::int64_t>(prompt.size()) + length);
  std::vector<float> logits;
  for (std::int64_t i = 0; i < length; ++i) {
    const auto raw = next(ids);
    logits.assign(raw.begin(), raw.end());
    for (const auto& sampler : samplers) sampler->apply(logits);
    const std::int32_t id = draw_token(logits, draw, static_cast<std::uint64_t>(i));
    if (id == stop) break;
    ids.push_back(id);
  }
  ids.erase(ids.begin(), ids.begin() + static_cast<std::ptrdiff_t>(prompt.size()));
  return ids;
}

}  // namespace assay
