#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "base/parallel.h"
#include "base/text.h"
#include "cli/heat_map.h"
#include "cli/json.h"
#include "cli/request.h"
#include "cli/terminal.h"
#include "cli/verb.h"
#include "experiment/trained_model.h"
#include "results/run_file.h"
#include "train/attended.h"

namespace assay {
namespace {

constexpr const char* kAttentionUsage = "usage: assay attention FILE [--text TEXT] [options]";

[[noreturn]] void refuse_attention(const std::string& what) {
  throw Error(ExitCode::usage, fmt::format("attention: {}; {}", what, kAttentionUsage));
}

// The layer asked for: a number counts those of self-attention (of a decoder, if there is one).
std::string layer_of(const Arguments& arguments, const Attended& found) {
  std::vector<std::string> paths;
  for (const auto& [path, maps] : found) paths.push_back(path);
  const auto asked = arguments.value("layer");
  const bool crosses = std::any_of(paths.begin(), paths.end(), is_cross);
  if (!asked) {
    // The last layer; of an encoder-decoder that which looks at the source.
    for (auto path = paths.rbegin(); path != paths.rend(); ++path)
      if (!crosses || is_cross(*path)) return *path;
    return paths.back();
  }
  if (found.count(*asked)) return *asked;
  for (const std::string& path : paths)
    if (path == fmt::format("{}layer{}/attention", crosses ? "decoder/" : "", *asked)) return path;
  refuse_attention(fmt::format("--layer: no layer {}; wanted a number from 0, or one of {}",
                               quote(*asked), join(paths)));
}

std::vector<std::int64_t> heads_of(const Arguments& arguments, const AttentionMaps& maps) {
  const std::int64_t count = maps.weights.shape[0];
  std::vector<std::int64_t> heads;
  for (const std::string& text : arguments.values("head")) {
    std::int64_t head = -1;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), head);
    if (read.ec != std::errc() || read.ptr != text.data() + text.size() || head < 0 ||
        head >= count)
      refuse_attention(
          fmt::format("--head: no head {}; there are {}, counted from 0", quote(text), count));
    heads.push_back(head);
  }
  if (!heads.empty() && arguments.has("pick")) refuse_attention("wanted one of --head and --pick");
  if (!heads.empty()) return heads;
  for (std::int64_t head = 0; head < count; ++head) heads.push_back(head);
  if (!arguments.has("pick") || count <= 2) return heads;
  const auto nearer = [&](std::int64_t a, std::int64_t b) {
    return look_back(maps, a) < look_back(maps, b);
  };
  const auto [shortest, longest] = std::minmax_element(heads.begin(), heads.end(), nearer);
  return {*shortest, *longest};
}

HeatMap titled(const Attended& found, const std::string& path, std::int64_t head) {
  HeatMap map = attention_map(found.at(path), head);
  map.title = fmt::format("{} head {}", path, head);
  if (!is_cross(path))
    map.title += fmt::format(", looks back {:.2f}", look_back(found.at(path), head));
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
    const HeatMap map = titled(found, path, head);
    std::vector<Value> rows;
    for (std::size_t row = 0; row < map.rows.size(); ++row) {
      std::vector<Value> numbers;
      for (std::size_t column = 0; column < map.columns.size(); ++column)
        numbers.push_back(json_number(static_cast<double>(map.at(row, column))));
      rows.push_back(Value::list(std::move(numbers), {}));
    }
    list.push_back(Value::map({{"head", json_integer(head)},
                               {"look_back", json_number(look_back(found.at(path), head))},
                               {"weights", Value::list(std::move(rows), {})}},
                              {}));
  }
  const HeatMap any = titled(found, path, heads[0]);
  return write_json(Value::map({{"layer", json_text(path)},
                                {"rows", texts(any.rows)},
                                {"columns", texts(any.columns)},
                                {"heads", Value::list(std::move(list), {})}},
                               {}));
}

// Of a text that is given, or what the run stored.
Attended attended(const Arguments& arguments) {
  const auto text = arguments.value("text");
  if (!text) {
    Attended stored = read_run(arguments.words[0], false).attention;
    if (stored.empty()) refuse_attention("no text given, and the run stored no attention");
    return stored;
  }
  Attended found;
  Pool(arguments.count("threads", available_cores())).run([&] {
    const TrainedModel trained({arguments.words[0], plugin_folders(arguments),
                                arguments.value("checkpoint").value_or("final")});
    const TextCodec codec = trained.codec();
    found = attend({trained.model(), trained.parameters(), trained.spec(), codec}, *text, "--text");
  });
  return found;
}

ExitCode execute_attention(const Arguments& arguments) {
  if (arguments.words.empty()) refuse_attention("no result file given");
  if (arguments.words.size() > 1) refuse_attention("one result file is wanted");
  const Attended found = attended(arguments);
  const std::string path = layer_of(arguments, found);
  const std::vector<std::int64_t> heads = heads_of(arguments, found.at(path));
  if (arguments.has("json")) {
    write_out(json_of(found, path, heads));
    return ExitCode::done;
  }
  std::vector<HeatMap> maps;
  for (const std::int64_t head : heads) maps.push_back(titled(found, path, head));
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
  verb.synopsis = "FILE [--text TEXT] [--layer L] [--head H|--pick] [-o PNG]";
  verb.summary = "Show what the attention heads of a model look at.";
  verb.details =
      "FILE is a result file. Each row is a token that looks, each column one that is looked at; "
      "darker is more. Layers and heads count from 0; a layer may also be a path, such as "
      "decoder/layer0/cross. A model that reads a source takes TEXT as that, and what it writes "
      "for it as the target.";
  verb.options = {
      {"text", 0, "TEXT",
       "What the model reads. Default: what the run stored (section attention)."},
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
  verb.execute = execute_attention;
  return verb;
}

}  // namespace assay
