#include "train/generate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/error.h"

namespace assay {

std::int64_t longest_window(const Model& model) {
  return model.longest_input() > 0 ? model.longest_input() : model.reach();
}

NextLogits::NextLogits(const Model& model, const Parameters& parameters, std::int64_t most,
                       std::span<const std::int32_t> source)
    : model_(model),
      parameters_(parameters),
      source_(source),
      tape_(false),
      window_(longest_window(model)) {
  const std::int64_t longest = model.longest_input();
  if (model.caches()) cache_.emplace(1, longest > 0 ? longest : most);
}

std::span<const float> NextLogits::operator()(std::span<const std::int32_t> ids) {
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

std::span<const float> NextLogits::forward(std::span<const std::int32_t> ids,
                                           KeyValueCache* cache) {
  if (ids.empty())
    throw Error(ExitCode::usage,
                "the prompt is empty: a model needs at least one token to continue");
  Batch batch(1);
  const auto input = batch.add_ids("input", {1, static_cast<std::int64_t>(ids.size())});
  std::copy(ids.begin(), ids.end(), input.begin());
  if (!source_.empty()) {
    const auto source = batch.add_ids("source", {1, static_cast<std::int64_t>(source_.size())});
    std::copy(source_.begin(), source_.end(), source.begin());
  }
  tape_.reset();
  Pass pass(tape_, parameters_, {}, Mode::evaluate, Random(0, "generate"));
  pass.cache = cache;
  const Tensor logits = model_.forward(batch, pass).logits;
  return logits.values().last(static_cast<std::size_t>(logits.shape()[-1]));
}

std::vector<double> log_softmax(std::span<const float> logits) {
  const double largest = *std::max_element(logits.begin(), logits.end());
  double total = 0;
  for (const float logit : logits) total += std::exp(logit - largest);
  std::vector<double> log_probabilities;
  for (const float logit : logits) log_probabilities.push_back(logit - largest - std::log(total));
  return log_probabilities;
}

namespace {

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

namespace {

// use(id, logits before any sampler) for each token that is drawn, until it says false.
template <class Use>
void draw_tokens(const Model& model, const Parameters& parameters,
                 std::span<const std::unique_ptr<Sampler>> samplers, const Prompt& prompt,
                 std::int64_t length, const Random& draw, const Use& use) {
  std::vector<std::int32_t> ids(prompt.ids.begin(), prompt.ids.end());
  NextLogits next(model, parameters, static_cast<std::int64_t>(ids.size()) + length, prompt.source);
  std::vector<float> logits;
  for (std::int64_t i = 0; i < length; ++i) {
    const auto raw = next(ids);
    logits.assign(raw.begin(), raw.end());
    for (const auto& sampler : samplers) sampler->apply(logits);
    ids.push_back(draw_token(logits, draw, static_cast<std::uint64_t>(i)));
    if (!use(ids.back(), raw)) return;
  }
}

}  // namespace

void generate(const Model& model, const Parameters& parameters,
              std::span<const std::unique_ptr<Sampler>> samplers, const Prompt& prompt,
              std::int64_t length, const Random& draw,
              const std::function<bool(const DrawnToken&)>& each) {
  draw_tokens(model, parameters, samplers, prompt, length, draw,
              [&](std::int32_t id, std::span<const float> logits) {
                return each({id, log_softmax(logits)[static_cast<std::size_t>(id)]});
              });
}

std::vector<std::int32_t> generate(const Model& model, const Parameters& parameters,
                                   std::span<const std::unique_ptr<Sampler>> samplers,
                                   std::span<const std::int32_t> prompt, std::int64_t length,
                                   const Random& draw, std::int32_t stop) {
  std::vector<std::int32_t> ids;
  draw_tokens(model, parameters, samplers, Prompt{prompt}, length, draw,
              [&](std::int32_t id, std::span<const float>) {
                if (id == stop) return false;
                ids.push_back(id);
                return true;
              });
  return ids;
}

std::vector<double> log_probabilities(const Model& model, const Parameters& parameters,
                                      const Prompt& prompt,
                                      std::span<const std::int32_t> continuation) {
  std::vector<std::int32_t> ids(prompt.ids.begin(), prompt.ids.end());
  NextLogits next(model, parameters, static_cast<std::int64_t>(ids.size() + continuation.size()),
                  prompt.source);
  std::vector<double> found;
  for (const std::int32_t id : continuation) {
    const std::vector<double> all = log_softmax(next(ids));
    if (id < 0 || static_cast<std::size_t>(id) >= all.size())
      throw Error(ExitCode::data,
                  fmt::format("id {} is not in the vocabulary of {}", id, all.size()));
    found.push_back(all[static_cast<std::size_t>(id)]);
    ids.push_back(id);
  }
  return found;
}

}  // namespace assay
