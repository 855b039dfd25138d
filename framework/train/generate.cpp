#include "train/generate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "base/parallel.h"

namespace assay {

std::vector<double> log_softmax(std::span<const float> logits) {
  const double largest = *std::max_element(logits.begin(), logits.end());
  double total = 0;
  for (const float logit : logits) total += std::exp(logit - largest);
  std::vector<double> log_probabilities;
  for (const float logit : logits) log_probabilities.push_back(logit - largest - std::log(total));
  return log_probabilities;
}

namespace {

// Sequences that share the passes over the weights.
constexpr std::size_t kTogether = 8;

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

// use(which, id, logits before any sampler) for each token that is drawn for number `which`, until
// it says false.
template <class Use>
void draw_tokens(const Model& model, const Parameters& parameters,
                 std::span<const std::unique_ptr<Sampler>> samplers, const Prompt& prompt,
                 std::int64_t length, std::span<const Random> draws, const Use& use) {
  for (const auto& sampler : samplers)
    if (sampler->beam())
      throw Error(ExitCode::usage, "a sampler asks for a beam search, where tokens are drawn");
  NextLogits next(model, parameters, static_cast<std::int64_t>(prompt.ids.size()) + length,
                  prompt.source);
  struct Row {
    std::size_t which;
    std::int64_t origin;  // where it was in the step before
  };
  std::vector<Row> rows;
  for (std::size_t i = 0; i < draws.size(); ++i) rows.push_back({i, 0});
  std::vector<NextLogits::Ids> sequences = {{prompt.ids.begin(), prompt.ids.end()}};
  std::vector<float> logits;
  for (std::int64_t i = 0; i < length && !rows.empty(); ++i) {
    const auto found = next(sequences);
    std::vector<NextLogits::Ids> longer;
    std::vector<std::int64_t> origins;
    std::vector<Row> going;
    for (const Row& row : rows) {
      const auto origin = static_cast<std::size_t>(row.origin);
      const std::span<const float> raw = found[origin];
      logits.assign(raw.begin(), raw.end());
      for (const auto& sampler : samplers) sampler->apply(logits);
      const std::int32_t id = draw_token(logits, draws[row.which], static_cast<std::uint64_t>(i));
      if (!use(row.which, id, raw)) continue;
      going.push_back({row.which, static_cast<std::int64_t>(going.size())});
      origins.push_back(row.origin);
      longer.push_back(sequences[origin]);
      longer.back().push_back(id);
    }
    rows = std::move(going);
    sequences = std::move(longer);
    next.select(origins);
  }
}

}  // namespace

void generate(const Model& model, const Parameters& parameters,
              std::span<const std::unique_ptr<Sampler>> samplers, const Prompt& prompt,
              std::int64_t length, std::span<const Random> draws,
              const std::function<bool(std::size_t, const DrawnToken&)>& each) {
  const auto groups = (draws.size() + kTogether - 1) / kTogether;
  parallel_for(static_cast<std::int64_t>(groups), [&](std::int64_t group) {
    const std::size_t first = static_cast<std::size_t>(group) * kTogether;
    draw_tokens(
        model, parameters, samplers, prompt, length,
        draws.subspan(first, std::min(kTogether, draws.size() - first)),
        [&](std::size_t which, std::int32_t id, std::span<const float> logits) {
          return each(first + which, {id, log_softmax(logits)[static_cast<std::size_t>(id)]});
        });
  });
}

void generate(const Model& model, const Parameters& parameters,
              std::span<const std::unique_ptr<Sampler>> samplers, const Prompt& prompt,
              std::int64_t length, const Random& draw,
              const std::function<bool(const DrawnToken&)>& each) {
  generate(model, parameters, samplers, prompt, length, std::span(&draw, 1),
           [&](std::size_t, const DrawnToken& token) { return each(token); });
}

std::vector<std::int32_t> generate(const Model& model, const Parameters& parameters,
                                   std::span<const std::unique_ptr<Sampler>> samplers,
                                   std::span<const std::int32_t> prompt, std::int64_t length,
                                   const Random& draw, std::int32_t stop) {
  std::vector<std::int32_t> ids;
  draw_tokens(model, parameters, samplers, Prompt{prompt}, length, std::span(&draw, 1),
              [&](std::size_t, std::int32_t id, std::span<const float>) {
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
