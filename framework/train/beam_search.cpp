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

struct Candidate {
  BeamResult beam;
  std::int64_t origin = 0;  // the beam that it extends
};

// The best `width` of all continuations of the beams by one token.
std::vector<Candidate> extended(const std::vector<BeamResult>& beams,
                                const std::vector<std::vector<double>>& next, std::size_t width) {
  std::vector<Candidate> candidates;
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
      candidates.push_back({std::move(candidate), static_cast<std::int64_t>(row)});
    }
  }
  std::sort(candidates.begin(), candidates.end(),
            [](const Candidate& a, const Candidate& b) { return better(a.beam, b.beam); });
  if (candidates.size() > width) candidates.resize(width);
  return candidates;
}

}  // namespace

std::optional<BeamSettings> beam_of(std::span<const std::unique_ptr<Sampler>> samplers) {
  std::optional<BeamSettings> found;
  for (const auto& sampler : samplers)
    if (const auto beam = sampler->beam()) found = beam;
  if (found && samplers.size() > 1)
    throw Error(ExitCode::usage,
                "a beam looks for the likeliest text, and draws nothing: no other sampler goes "
                "with it");
  return found;
}

std::vector<BeamResult> beam_search(const Model& model, const Parameters& parameters,
                                    const Prompt& prompt, const BeamOptions& o) {
  NextLogits next(model, parameters, static_cast<std::int64_t>(prompt.ids.size()) + o.length,
                  prompt.source);
  std::vector<BeamResult> beams(1), ended;
  std::vector<NextLogits::Ids> sequences = {{prompt.ids.begin(), prompt.ids.end()}};
  for (std::int64_t n = 0; n < o.length && !beams.empty(); ++n) {
    std::vector<std::vector<double>> found;
    for (const auto logits : next(sequences)) found.push_back(log_softmax(logits));
    std::vector<BeamResult> going;
    std::vector<NextLogits::Ids> longer;
    std::vector<std::int64_t> origins;
    for (auto& [beam, origin] : extended(beams, found, static_cast<std::size_t>(o.width))) {
      if (o.end >= 0 && beam.ids.back() == o.end) {
        rate(beam, o.length_penalty);
        ended.push_back(std::move(beam));
        continue;
      }
      longer.push_back(sequences[static_cast<std::size_t>(origin)]);
      longer.back().push_back(beam.ids.back());
      origins.push_back(origin);
      going.push_back(std::move(beam));
    }
    beams = std::move(going);
    sequences = std::move(longer);
    if (static_cast<std::int64_t>(ended.size()) >= o.width) beams.clear();
    next.select(origins);
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
