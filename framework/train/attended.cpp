#include "train/attended.h"

#include <fmt/format.h>

#include <algorithm>

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

}  // namespace

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
    const bool encodes = path.starts_with("encoder/"), crosses = path.ends_with("/cross");
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
