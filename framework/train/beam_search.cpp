#include "train/beam_search.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/error.h"

namespace assay {
namespace {

double total(const BeamResult& beam) {
  double sum = 0;
  for (const double one : beam.log_probabilities) sum += one;
  return sum;
}

void rate(BeamResult& beam, double penalty) {
  beam.score = total(beam) / std::pow(static_cast<double>(beam.ids.size()), penalty);
}

bool better(const BeamResult& a, const BeamResult& b) {
  return a.score != b.score ? a.score > b.score : a.ids < b.ids;
}

// [rows][K]: the log-probabilities after the prompt and each beginning.
std::vector<std::vector<double>> next_of(const Model& model, const Parameters& parameters,
                                         const Prompt& prompt, const std::vector<BeamResult>& beams,
                                         Tape& tape) {
  const auto rows = static_cast<std::int64_t>(beams.size());
  const std::size_t all = prompt.ids.size() + beams[0].ids.size();
  const std::int64_t window = longest_window(model);
  const std::size_t seen = window > 0 ? std::min(all, static_cast<std::size_t>(window)) : all;
  Batch batch(rows);
  const auto input = batch.add_ids("input", {rows, static_cast<std::int64_t>(seen)});
  std::span<std::int32_t> source;
  if (!prompt.source.empty())
    source = batch.add_ids("source", {rows, static_cast<std::int64_t>(prompt.source.size())});
  for (std::size_t row = 0; row < beams.size(); ++row) {
    std::vector<std::int32_t> ids(prompt.ids.begin(), prompt.ids.end());
    ids.insert(ids.end(), beams[row].ids.begin(), beams[row].ids.end());
    std::copy(ids.end() - static_cast<std::ptrdiff_t>(seen), ids.end(),
              input.subspan(row * seen).begin());
    std::copy(prompt.source.begin(), prompt.source.end(),
              source.subspan(row * prompt.source.size()).begin());
  }
  tape.reset();
  Pass pass(tape, parameters, {}, Mode::evaluate, Random(0, "generate"));
  const Tensor logits = model.forward(batch, pass).logits;  // [rows, seen, K]
  const auto classes = static_cast<std::size_t>(logits.shape()[-1]);
  std::vector<std::vector<double>> found;
  for (std::size_t row = 0; row < beams.size(); ++row)
    found.push_back(
        log_softmax(logits.values().subspan(((row + 1) * seen - 1) * classes, classes)));
  return found;
}

// The best `width` of all continuations of the beams by one token.
std::vector<BeamResult> extended(const std::vector<BeamResult>& beams,
                                 const std::vector<std::vector<double>>& next, std::size_t width) {
  std::vector<BeamResult> candidates;
  for (std::size_t row = 0; row < beams.size(); ++row) {
    const double before = total(beams[row]);
    std::vector<std::size_t> ids(next[row].size());
    for (std::size_t i = 0; i < ids.size(); ++i) ids[i] = i;
    const auto end = ids.begin() + static_cast<std::ptrdiff_t>(std::min(width, ids.size()));
    std::partial_sort(ids.begin(), end, ids.end(), [&](std::size_t a, std::size_t b) {
      return next[row][a] != next[row][b] ? next[row][a] > next[row][b] : a < b;
    });
    for (auto id = ids.begin(); id != end; ++id) {
      BeamResult candidate = beams[row];
      candidate.ids.push_back(static_cast<std::int32_t>(*id));
      candidate.log_probabilities.push_back(next[row][*id]);
      candidate.score = before + next[row][*id];  // of equal lengths: the sum will do
      candidates.push_back(std::move(candidate));
    }
  }
  std::sort(candidates.begin(), candidates.end(), better);
  if (candidates.size() > width) candidates.resize(width);
  return candidates;
}

}  // namespace

std::vector<BeamResult> beam_search(const Model& model, const Parameters& parameters,
                                    const Prompt& prompt, const BeamOptions& o) {
  if (prompt.ids.empty())
    throw Error(ExitCode::usage,
                "the prompt is empty: a model needs at least one token to continue");
  Tape tape(false);
  std::vector<BeamResult> beams(1), ended;
  for (std::int64_t n = 0; n < o.length && !beams.empty(); ++n) {
    const auto next = next_of(model, parameters, prompt, beams, tape);
    std::vector<BeamResult> going;
    for (BeamResult& beam : extended(beams, next, static_cast<std::size_t>(o.width))) {
      const bool ends = o.end >= 0 && beam.ids.back() == o.end;
      if (ends) rate(beam, o.length_penalty);
      (ends ? ended : going).push_back(std::move(beam));
    }
    beams = std::move(going);
    if (static_cast<std::int64_t>(ended.size()) >= o.width) beams.clear();
  }
  for (BeamResult& beam : beams) {
    if (beam.ids.empty()) continue;
    rate(beam, o.length_penalty);
    ended.push_back(std::move(beam));
  }
  std::sort(ended.begin(), ended.end(), better);
  return ended;
}

}  // namespace assay
