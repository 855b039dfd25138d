#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>

#include "base/parallel.h"
#include "base/text.h"
#include "cli/heat_map.h"
#include "cli/json.h"
#include "cli/request.h"
#include "cli/terminal.h"
#include "cli/verb.h"
#include "experiment/trained_model.h"
#include "train/generate.h"

namespace assay {
namespace {

constexpr const char* kUsage = "usage: assay attention FILE --text TEXT [options]";

[[noreturn]] void refuse(const std::string& what) {
  throw Error(ExitCode::usage, fmt::format("attention: {}; {}", what, kUsage));
}

struct Weights {
  Shape shape;                // [1, H, N, M]
  std::vector<float> values;  // of all heads
};

/// What a model attends to on one text.
struct Attended {
  std::map<std::string, Weights> layers;    // by path
  std::vector<std::string> source, tokens;  // labels; source: of models that read one
};

std::vector<std::string> labels(const TrainedModel& trained, const std::vector<std::int32_t>& ids) {
  std::vector<std::string> texts;
  for (const std::int32_t& id : ids) texts.push_back(label(trained.decode({&id, 1})));
  return texts;
}

// What greedy decoding writes for a source, the id that starts it first.
std::vector<std::int32_t> greedy_target(const TrainedModel& trained,
                                        const std::vector<std::int32_t>& source) {
  const FieldSpec &input = trained.spec().field("input"), &target = trained.spec().field("target");
  const auto boundary = static_cast<std::int32_t>(input.vocabulary - 1);
  const bool ends = target.vocabulary == input.vocabulary;
  std::vector<std::int32_t> ids = {boundary};
  NextLogits next(trained.model(), trained.parameters(), input.length + 1, source);
  while (static_cast<std::int64_t>(ids.size()) < input.length) {
    const auto logits = next(ids);
    const auto best = std::max_element(logits.begin(), logits.end()) - logits.begin();
    if (ends && best == boundary) break;
    ids.push_back(static_cast<std::int32_t>(best));
  }
  return ids;
}

Attended attend(const TrainedModel& trained, const std::string& text) {
  std::vector<std::int32_t> ids = trained.encode(text, "the text");
  if (ids.empty()) refuse("the text has no token");
  Attended found;
  Batch batch(1);
  const auto add = [&](const char* field, const std::vector<std::int32_t>& from) {
    const auto into = batch.add_ids(field, {1, static_cast<std::int64_t>(from.size())});
    std::copy(from.begin(), from.end(), into.begin());
  };
  if (trained.reads_source()) {
    add("source", ids);
    found.source = labels(trained, ids);
    ids = greedy_target(trained, ids);
    found.tokens = labels(trained, ids);
    found.tokens[0] = "start";
  } else {
    found.tokens = labels(trained, ids);
  }
  add("input", ids);
  const std::int64_t longest = trained.model().longest_input();
  if (longest > 0 && static_cast<std::int64_t>(ids.size()) > longest)
    refuse(fmt::format("the text has {} tokens, and the model sees {}", ids.size(), longest));
  const Tap tap = [&](std::string_view path, const Shape& shape, std::span<const float> values) {
    found.layers[std::string(path)] = {shape, {values.begin(), values.end()}};
  };
  Tape tape(false);
  Pass pass(tape, trained.parameters(), {}, Mode::evaluate, Random(0, "attention"));
  pass.tap = &tap;
  trained.model().forward(batch, pass);
  if (found.layers.empty())
    throw Error(ExitCode::usage,
                fmt::format("model '{}' has no attention to be shown", trained.name()));
  return found;
}

// The layer asked for: a number counts those of self-attention (of a decoder, if there is one).
std::string layer_of(const Arguments& arguments, const Attended& found) {
  std::vector<std::string> paths;
  for (const auto& [path, weights] : found.layers) paths.push_back(path);
  const auto asked = arguments.value("layer");
  const bool crosses = !found.source.empty();
  if (!asked) {
    // The last layer; of an encoder-decoder that which looks at the source.
    for (auto path = paths.rbegin(); path != paths.rend(); ++path)
      if (!crosses || path->ends_with("/cross")) return *path;
    return paths.back();
  }
  if (found.layers.count(*asked)) return *asked;
  for (const std::string& path : paths)
    if (path == fmt::format("{}layer{}/attention", crosses ? "decoder/" : "", *asked)) return path;
  refuse(fmt::format("--layer: no layer {}; wanted a number from 0, or one of {}", quote(*asked),
                     join(paths)));
}

float weight(const Weights& w, std::int64_t head, std::int64_t query, std::int64_t key) {
  return w.values[static_cast<std::size_t>((head * w.shape[2] + query) * w.shape[3] + key)];
}

// How far back a head looks, on average over the tokens.
double look_back(const Weights& w, std::int64_t head) {
  double sum = 0;
  for (std::int64_t i = 0; i < w.shape[2]; ++i)
    for (std::int64_t j = 0; j < w.shape[3]; ++j)
      sum += static_cast<double>(weight(w, head, i, j)) *
             static_cast<double>(i + w.shape[3] - w.shape[2] - j);
  return sum / static_cast<double>(w.shape[2]);
}

std::vector<std::int64_t> heads_of(const Arguments& arguments, const Weights& w) {
  const std::int64_t count = w.shape[1];
  std::vector<std::int64_t> heads;
  for (const std::string& text : arguments.values("head")) {
    std::int64_t head = -1;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), head);
    if (read.ec != std::errc() || read.ptr != text.data() + text.size() || head < 0 ||
        head >= count)
      refuse(fmt::format("--head: no head {}; there are {}, counted from 0", quote(text), count));
    heads.push_back(head);
  }
  if (!heads.empty() && arguments.has("pick")) refuse("wanted one of --head and --pick");
  if (!heads.empty()) return heads;
  for (std::int64_t head = 0; head < count; ++head) heads.push_back(head);
  if (!arguments.has("pick") || count <= 2) return heads;
  const auto nearer = [&](std::int64_t a, std::int64_t b) {
    return look_back(w, a) < look_back(w, b);
  };
  const auto [shortest, longest] = std::minmax_element(heads.begin(), heads.end(), nearer);
  return {*shortest, *longest};
}

// The labels of so many queries or keys: a class token may stand before those of the text.
std::vector<std::string> fitted(std::vector<std::string> labels, std::int64_t count) {
  if (static_cast<std::int64_t>(labels.size()) + 1 == count) labels.insert(labels.begin(), "[CLS]");
  return labels;
}

HeatMap map_of(const Attended& found, const std::string& path, std::int64_t head) {
  const Weights& w = found.layers.at(path);
  const bool encodes = path.starts_with("encoder/"), crosses = path.ends_with("/cross");
  HeatMap map;
  map.title = fmt::format("{} head {}", path, head);
  if (!crosses) map.title += fmt::format(", looks back {:.2f}", look_back(w, head));
  map.rows = fitted(encodes ? found.source : found.tokens, w.shape[2]);
  map.columns = fitted(encodes || crosses ? found.source : found.tokens, w.shape[3]);
  for (std::int64_t i = 0; i < w.shape[2]; ++i)
    for (std::int64_t j = 0; j < w.shape[3]; ++j) map.weights.push_back(weight(w, head, i, j));
  return map;
}

std::string json_of(const Attended& found, const std::string& path,
                    const std::vector<std::int64_t>& heads) {
  const auto texts = [](const std::vector<std::string>& labels) {
    std::vector<Value> list;
    for (const std::string& one : labels) list.push_back(json_text(one));
    return Value::list(std::move(list), {});
  };
  std::vector<Value> list;
  for (const std::int64_t head : heads) {
    const HeatMap map = map_of(found, path, head);
    std::vector<Value> rows;
    for (std::size_t row = 0; row < map.rows.size(); ++row) {
      std::vector<Value> numbers;
      for (std::size_t column = 0; column < map.columns.size(); ++column)
        numbers.push_back(json_number(static_cast<double>(map.at(row, column))));
      rows.push_back(Value::list(std::move(numbers), {}));
    }
    list.push_back(Value::map({{"head", json_integer(head)},
                               {"look_back", json_number(look_back(found.layers.at(path), head))},
                               {"weights", Value::list(std::move(rows), {})}},
                              {}));
  }
  const HeatMap any = map_of(found, path, heads[0]);
  return write_json(Value::map({{"layer", json_text(path)},
                                {"rows", texts(any.rows)},
                                {"columns", texts(any.columns)},
                                {"heads", Value::list(std::move(list), {})}},
                               {}));
}

ExitCode execute(const Arguments& arguments) {
  if (arguments.words.empty()) refuse("no result file given");
  if (arguments.words.size() > 1) refuse("one result file is wanted");
  const auto text = arguments.value("text");
  if (!text) refuse("no text given");
  Attended found;
  Pool(arguments.count("threads", available_cores())).run([&] {
    const TrainedModel trained({arguments.words[0], plugin_folders(arguments),
                                arguments.value("checkpoint").value_or("final")});
    found = attend(trained, *text);
  });
  const std::string path = layer_of(arguments, found);
  const std::vector<std::int64_t> heads = heads_of(arguments, found.layers.at(path));
  if (arguments.has("json")) {
    write_out(json_of(found, path, heads));
    return ExitCode::done;
  }
  std::vector<HeatMap> maps;
  for (const std::int64_t head : heads) maps.push_back(map_of(found, path, head));
  if (const auto file = arguments.value("output")) {
    write_png(*file, heat_map_picture(maps));
    write_out(fmt::format("{}: {} of {}\n", *file,
                          maps.size() == 1 ? "1 head" : fmt::format("{} heads", maps.size()),
                          path));
    return ExitCode::done;
  }
  const Terminal terminal = Terminal::of(stdout);
  for (std::size_t i = 0; i < maps.size(); ++i)
    write_out((i ? "\n" : "") + heat_map_text(maps[i], terminal));
  return ExitCode::done;
}

}  // namespace

Verb attention_verb() {
  Verb verb;
  verb.name = "attention";
  verb.synopsis = "FILE --text TEXT [--layer L] [--head H | --pick] [-o PNG]";
  verb.summary = "Show what the attention heads of a model look at.";
  verb.details =
      "FILE is a result file. Each row is a token that looks, each column one that is looked at; "
      "darker is more. Layers and heads count from 0; a layer may also be a path, such as "
      "decoder/layer0/cross. A model that reads a source takes TEXT as that, and what it writes "
      "for it as the target.";
  verb.options = {
      {"text", 0, "TEXT", "What the model reads."},
      {"layer", 0, "L", "Default: the last one; of an encoder-decoder its cross-attention."},
      {"head", 0, "H", "Default: all. May be given several times.", true},
      {"pick", 0, "", "The heads that look back least and most far, on average."},
      {"output", 'o', "FILE", "Write a PNG picture instead."},
      {"checkpoint", 0, "NAME", "final (the default) or best.", false, {"final", "best"}},
      {"json", 0, "", "Print one JSON object, with all weights."},
      {"threads", 0, "N", "Size of the thread pool; default: the cores this process may use."},
      plugins_option()};
  verb.examples = {"assay attention FILE --text 'KING RICHARD III:' --layer 1 --pick",
                   "assay attention FILE --text 'To be' --layer 1 --head 2 -o heads.png"};
  verb.complete = complete_results;
  verb.execute = execute;
  return verb;
}

}  // namespace assay
