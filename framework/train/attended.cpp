#include "train/attended.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "base/error.h"
#include "train/generate.h"

namespace assay {
namespace {

using Ids = std::vector<std::int32_t>;

std::vector<std::string> texts_of(const TextCodec& codec, const Ids& ids) {
  std::vector<std::string> texts;
  for (const std::int32_t& id : ids) texts.push_back(codec.decode({&id, 1}));
  return texts;
}

// What greedy decoding writes for a source, the id that starts it first.
Ids greedy_target(const AttendingModel& asked, const Ids& source) {
  const FieldSpec &input = asked.spec.field("input"), &target = asked.spec.field("target");
  const auto boundary = static_cast<std::int32_t>(input.vocabulary - 1);
  const bool ends = target.vocabulary == input.vocabulary;
  Ids ids = {boundary};
  NextLogits next(asked.model, asked.parameters, input.length + 1, source);
  while (static_cast<std::int64_t>(ids.size()) < input.length) {
    const auto logits = next(ids);
    const auto best = std::max_element(logits.begin(), logits.end()) - logits.begin();
    if (ends && best == boundary) break;
    ids.push_back(static_cast<std::int32_t>(best));
  }
  return ids;
}

// The labels of so many queries or keys: a class token may stand before those of the text.
std::vector<std::string> fitted(std::vector<std::string> labels, std::int64_t count) {
  if (static_cast<std::int64_t>(labels.size()) + 1 == count) labels.insert(labels.begin(), "[CLS]");
  return labels;
}

// Calls use(weight, query, key) for each weight of a head.
template <class Use>
void for_each_weight(const AttentionMaps& maps, std::int64_t head, Use use) {
  const auto& weights = std::get<std::vector<float>>(maps.weights.data);
  const auto queries = static_cast<std::int64_t>(maps.queries.size());
  const auto keys = static_cast<std::int64_t>(maps.keys.size());
  auto weight = weights.begin() + static_cast<std::ptrdiff_t>(head * queries * keys);
  for (std::int64_t i = 0; i < queries; ++i)
    for (std::int64_t j = 0; j < keys; ++j) use(static_cast<double>(*weight++), i, j);
}

// Shares of the weight of all heads near the diagonals.
std::pair<double, double> near_diagonals(const AttentionMaps& maps) {
  const auto last = static_cast<std::int64_t>(maps.keys.size()) - 1;
  double diagonal = 0, anti = 0, all = 0;
  for (std::int64_t head = 0; head < maps.weights.shape[0]; ++head)
    for_each_weight(maps, head, [&](double weight, std::int64_t i, std::int64_t j) {
      all += weight;
      if (std::abs(i - j) <= 1) diagonal += weight;
      if (std::abs(last - i - j) <= 1) anti += weight;
    });
  return {diagonal / all, anti / all};
}

}  // namespace

bool is_cross(std::string_view layer) {
  return layer.ends_with("/cross");
}

double look_back(const AttentionMaps& maps, std::int64_t head) {
  const auto queries = static_cast<std::int64_t>(maps.queries.size());
  const std::int64_t ahead = static_cast<std::int64_t>(maps.keys.size()) - queries;
  double sum = 0;
  for_each_weight(maps, head, [&](double weight, std::int64_t i, std::int64_t j) {
    sum += weight * static_cast<double>(i + ahead - j);
  });
  return sum / static_cast<double>(queries);
}

std::map<std::string, double> attention_figures(const Attended& attended) {
  std::map<std::string, double> figures;
  for (const auto& [layer, maps] : attended) {
    if (is_cross(layer)) {
      if (maps.queries.size() != maps.keys.size()) continue;
      const auto [diagonal, anti] = near_diagonals(maps);
      figures[layer + "/diagonal"] = diagonal, figures[layer + "/anti_diagonal"] = anti;
      continue;
    }
    std::vector<double> distances;
    for (std::int64_t head = 0; head < maps.weights.shape[0]; ++head)
      distances.push_back(look_back(maps, head));
    const auto [shortest, longest] = std::minmax_element(distances.begin(), distances.end());
    figures[layer + "/shortest_look_back"] = *shortest;
    figures[layer + "/longest_look_back"] = *longest;
  }
  return figures;
}

Ids attended_ids(const AttendingModel& asked, const std::string& text, const std::string& what) {
  Ids ids = asked.codec.encode(text, what);
  if (ids.empty())
    throw Error(ExitCode::usage, fmt::format("{}: the text has no token; write some", what));
  const std::int64_t longest =
      asked.spec.find("source") ? asked.spec.field("source").length : asked.model.longest_input();
  if (longest > 0 && static_cast<std::int64_t>(ids.size()) > longest)
    throw Error(ExitCode::usage,
                fmt::format("{}: the text has {} tokens, and the model sees {}; shorten it", what,
                            ids.size(), longest));
  return ids;
}

Attended attend(const AttendingModel& asked, const std::string& text, const std::string& what) {
  Ids ids = attended_ids(asked, text, what);
  Batch batch(1);
  const auto add = [&](const char* field, const Ids& from) {
    const auto into = batch.add_ids(field, {1, static_cast<std::int64_t>(from.size())});
    std::copy(from.begin(), from.end(), into.begin());
  };
  std::vector<std::string> source, tokens;
  if (asked.spec.find("source")) {
    add("source", ids);
    source = texts_of(asked.codec, ids);
    ids = greedy_target(asked, ids);
    tokens = texts_of(asked.codec, ids);
    tokens[0] = "start";
  } else {
    tokens = texts_of(asked.codec, ids);
  }
  add("input", ids);
  Attended found;
  const Tap tap = [&](std::string_view path, const Shape& shape, std::span<const float> values) {
    const bool encodes = path.starts_with("encoder/"), crosses = is_cross(path);
    AttentionMaps& maps = found[std::string(path)];
    maps.text = text;
    maps.queries = fitted(encodes ? source : tokens, shape[2]);
    maps.keys = fitted(encodes || crosses ? source : tokens, shape[3]);
    maps.weights = {{shape[1], shape[2], shape[3]},
                    std::vector<float>(values.begin(), values.end())};
  };
  Tape tape(false);
  Pass pass(tape, asked.parameters, {}, Mode::evaluate, Random(0, "attention"));
  pass.tap = &tap;
  asked.model.forward(batch, pass);
  if (found.empty())
    throw Error(ExitCode::usage, fmt::format("{}: the model has no attention to be shown", what));
  return found;
}

}  // namespace assay
