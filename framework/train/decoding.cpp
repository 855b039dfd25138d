#include "train/decoding.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

#include "base/error.h"
#include "base/parallel.h"
#include "base/utf8.h"
#include "data/windows.h"
#include "train/beam_search.h"

namespace assay {
namespace {

using Ids = std::vector<std::int32_t>;

// The same starts for every run, as those of evaluations.
constexpr std::uint32_t kWindowSeed = 123;

// A beginning, and what follows it in the text, if that is known.
struct Passage {
  Ids prompt, text;
};

struct Likelihood {
  double sum = 0, characters = 0;
  void add(const std::vector<double>& log_probabilities, double count) {
    for (const double one : log_probabilities) sum += one;
    characters += count;
  }
};

struct Measured {
  Likelihood greedy, beam, text;
  std::vector<double> entropies;  // by temperature
  double cover = 0;
};

std::vector<Passage> passages_of(const DecodingModel& asked, const DecodeOptions& o) {
  if (!o.prompt.empty()) return {{asked.tokenizer->encode(o.prompt, "decode.prompt"), {}}};
  const Request request = {o.context + o.length, 0};
  const auto windows = evaluation_windows(asked.dataset.examples(Split::validation, request),
                                          kWindowSeed, o.prompts);
  const Batch batch = asked.dataset.batch(Split::validation, windows, request);
  const auto [ids, shape] = batch.ids("input");
  if (shape[-1] != request.context)
    throw Error(
        ExitCode::usage,
        fmt::format("decode: wanted beginnings and their continuations, {} tokens together, "
                    "and the examples of the dataset have {}",
                    request.context, shape[-1]));
  std::vector<Passage> passages;
  for (auto at = ids.begin(); at != ids.end(); at += request.context)
    passages.push_back({{at, at + o.context}, {at + o.context, at + request.context}});
  return passages;
}

double characters_in(const DecodingModel& asked, const Ids& ids) {
  if (!asked.tokenizer) return static_cast<double>(ids.size());
  return static_cast<double>(utf8_count(utf8_repaired(asked.tokenizer->decode(ids))));
}

double entropy(const std::vector<double>& log_probabilities) {
  double sum = 0;
  for (const double l : log_probabilities)
    if (std::isfinite(l)) sum -= std::exp(l) * l;
  return sum;
}

double tokens_to_cover(std::vector<double> log_probabilities, double share) {
  std::sort(log_probabilities.begin(), log_probabilities.end(), std::greater<>());
  double covered = 0;
  std::size_t count = 0;
  while (covered < share && count < log_probabilities.size())
    covered += std::exp(log_probabilities[count++]);
  return static_cast<double>(count);
}

Measured measured(const DecodingModel& asked, const DecodeOptions& o, const Passage& passage) {
  const Prompt prompt = {passage.prompt};
  Measured found;
  const auto likelihood_by = [&](std::int64_t width) {
    Likelihood likelihood;
    const BeamResult best =
        beam_search(asked.model, asked.parameters, prompt, {width, o.length})[0];
    likelihood.add(best.log_probabilities, characters_in(asked, best.ids));
    return likelihood;
  };
  found.greedy = likelihood_by(1);
  found.beam = likelihood_by(o.beam);
  if (!passage.text.empty())
    found.text.add(log_probabilities(asked.model, asked.parameters, prompt, passage.text),
                   characters_in(asked, passage.text));
  NextLogits next(asked.model, asked.parameters, static_cast<std::int64_t>(passage.prompt.size()));
  const auto logits = next(passage.prompt);
  for (const double temperature : o.temperatures) {
    std::vector<float> shaped(logits.begin(), logits.end());
    for (float& logit : shaped) logit /= static_cast<float>(temperature);
    found.entropies.push_back(entropy(log_softmax(shaped)));
  }
  found.cover = tokens_to_cover(log_softmax(logits), o.cover);
  return found;
}

}  // namespace

std::map<std::string, double> decode(const DecodingModel& asked, const DecodeOptions& o) {
  const std::vector<Passage> passages = passages_of(asked, o);
  std::vector<Measured> all(passages.size());
  parallel_for(static_cast<std::int64_t>(all.size()), [&](std::int64_t i) {
    const auto at = static_cast<std::size_t>(i);
    all[at] = measured(asked, o, passages[at]);
  });
  std::map<std::string, double> figures;
  const auto log_probability = [&](const char* name, Likelihood Measured::*of) {
    Likelihood total;
    for (const Measured& one : all) total.add({(one.*of).sum}, (one.*of).characters);
    if (total.characters > 0) figures[name] = total.sum / total.characters;
  };
  log_probability("greedy_log_probability", &Measured::greedy);
  log_probability("beam_log_probability", &Measured::beam);
  log_probability("text_log_probability", &Measured::text);
  const double count = static_cast<double>(all.size());
  for (std::size_t t = 0; t < o.temperatures.size(); ++t)
    for (const Measured& one : all)
      figures[fmt::format("entropy_at_{}", o.temperatures[t])] += one.entropies[t] / count;
  for (const Measured& one : all)
    figures[fmt::format("tokens_to_cover_{}", o.cover)] += one.cover / count;
  return figures;
}

}  // namespace assay
