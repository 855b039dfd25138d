#include "cli/summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "cli/comparison.h"
#include "cli/json.h"
#include "cli/measured.h"
#include "cli/numbers.h"
#include "cli/plot.h"
#include "cli/table.h"
#include "config/yaml.h"
#include "results/difference.h"
#include "results/summary.h"

namespace assay {
namespace {

constexpr int kWidest = 100;
constexpr int kTermWidth = 12;

/// "  term         text", the text wrapped below itself.
std::string fact(std::string_view term, std::string_view text, const Terminal& terminal) {
  const int indent = kTermWidth + 3;
  const int room = std::max(20, std::min(terminal.width, kWidest) - indent);
  return fmt::format("  {:<{}} {}\n", term, kTermWidth, wrapped(printable(text), room, indent));
}

std::string heading(std::string_view text, const Terminal& terminal) {
  return "\n" + styled(terminal, Style::bold, text) + "\n";
}

std::string short_value(const Value& value) {
  if (!value.is_map()) return value.is_null() ? "null" : write_yaml_flow(value);
  std::string text;
  for (const auto& [key, item] : value.entries()) {
    if (key == "type" && item.is_scalar()) {
      text = text.empty() ? item.text() : item.text() + ", " + text;
    } else {
      text += (text.empty() ? "" : ", ") + key + " " + short_value(item);
    }
  }
  return text;
}

std::string what_it_was(const RunRecord& record, const std::string& file,
                        const Terminal& terminal) {
  std::string text = styled(terminal, Style::bold, record.name + " / " + record.run) + "  " +
                     styled(terminal, status_style(record.status), name(record.status)) + "\n";
  if (!record.message.empty()) text += fact("message", record.message, terminal);
  text += fact("file", file, terminal);
  text +=
      fact("started", fmt::format("{}, took {}", record.started, human_duration(record.seconds)),
           terminal);
  text += fact("parameters", human_count(record.parameters), terminal);
  text += fact("steps", fmt::format("{}", record.steps), terminal);
  text += fact("seed", fmt::format("{}", record.seed), terminal);
  text += fact("digest", record.digest, terminal);

  text += heading("Configuration", terminal);
  const Value config = read_yaml(record.config, file);
  for (const auto& [key, value] : config.entries()) {
    if (key != "name" && key != "seed") text += fact(key, short_value(value), terminal);
  }
  return text;
}

std::string metrics_table(const RunRecord& record, const Terminal& terminal) {
  Table table({{"metric", Align::left, Cut::back},
               {"last", Align::right},
               {"lowest", Align::right},
               {"at step", Align::right},
               {"values", Align::right}});
  for (const auto& [metric, series] : record.metrics) {
    if (series.values.empty()) continue;
    const std::optional<Extreme> least = minimum(series);
    table.row({metric, metric_text(series.values.back()), least ? metric_text(least->value) : "-",
               least ? fmt::format("{}", least->step) : "-",
               human_count(static_cast<std::int64_t>(series.values.size()))});
  }
  return table.empty() ? "" : heading("Metrics", terminal) + table.text(terminal);
}

std::string limit_text(const RunRecord& record, const Terminal& terminal) {
  const std::optional<double> limit = known_limit(record);
  const Series* losses = find_metric(record, kValidationLoss);
  if (!limit || !losses) return "";
  std::string meaning;
  for (const auto& [key, text] : record.data) {
    if (key == "limit meaning") meaning = ": " + text;
  }
  return "\n" +
         wrapped(
             fmt::format("{} is {} nats above the limit of {}{}", kValidationLoss,
                         metric_text(losses->values.back() - *limit), metric_text(*limit), meaning),
             std::min(terminal.width, kWidest), 0) +
         "\n";
}

std::string loss_curve(const RunRecord& record, const Terminal& terminal) {
  Plot plot;
  if (const Series* losses = find_metric(record, kTrainingLoss)) {
    plot.lines.push_back({fmt::format("{} (smoothed)", kTrainingLoss), smoothed(*losses)});
  }
  const Series* losses = find_metric(record, kValidationLoss);
  if (losses) plot.points.push_back({kValidationLoss, *losses});
  const bool drawn = !plot.lines.empty() || (losses && losses->values.size() > 1);
  if (!drawn) return "";
  if (const auto limit = known_limit(record)) plot.level = Curve{"limit", {{0}, {*limit}}};
  const std::string text = plot.text(terminal);
  return text.empty() ? "" : heading("Loss, in nats per token, by step", terminal) + text;
}

std::string samples_text(const RunRecord& record, Samples shown, const Terminal& terminal) {
  if (record.samples.empty()) return "";
  const std::vector<TextSample>& all = record.samples;
  const bool by_several = std::any_of(all.begin(), all.end(), [&](const TextSample& sample) {
    return sample.sampler != all.front().sampler;
  });
  std::string text;
  for (const TextSample& sample : all) {
    if (shown == Samples::latest && sample.step != all.back().step) continue;
    const std::string by = by_several ? ", " + sample.sampler : "";
    text += heading(fmt::format("Sample after {} steps{}", sample.step, by), terminal);
    std::string lines =
        styled(terminal, Style::dim, printable(sample.prompt) + (sample.answers ? "\n" : "")) +
        printable(sample.text);
    while (!lines.empty() && lines.back() == '\n') lines.pop_back();
    text += lines + "\n";
  }
  return text;
}

std::string expectations_text(const RunRecord& record, const Terminal& terminal) {
  Table table({{"expected", Align::left, Cut::back},
               {"wanted", Align::right},
               {"got", Align::right},
               {"verdict"}});
  for (const auto& [sentence, expectation] : record.expectations)
    table.row(
        {expectation.metric, expectation.wanted, metric_text(expectation.got),
         expectation.verdict + (expectation.over == "seeds" ? ", of the mean over seeds" : "")});
  return table.empty() ? "" : heading("Expectations", terminal) + table.text(terminal);
}

std::string facts_text(const char* title, const Facts& facts, const Terminal& terminal) {
  if (facts.empty()) return "";
  std::string text = heading(title, terminal);
  std::size_t widest = 0;
  for (const auto& [key, value] : facts) widest = std::max(widest, key.size());
  const int indent = static_cast<int>(widest) + 4;
  for (const auto& [key, value] : facts) {
    const int room = std::max(20, std::min(terminal.width, kWidest) - indent);
    text += fmt::format("  {:<{}}  {}\n", key, widest, wrapped(printable(value), room, indent));
  }
  return text;
}

Value facts_json(const Facts& facts) {
  std::vector<Value::Entry> entries;
  for (const auto& [key, text] : facts) entries.emplace_back(key, json_text(text));
  return Value::map(std::move(entries), {});
}

Value metrics_json(const RunRecord& record) {
  std::vector<Value::Entry> entries;
  for (const auto& [metric, series] : record.metrics) {
    if (series.values.empty()) continue;
    const std::optional<Extreme> least = minimum(series);
    entries.emplace_back(metric,
                         Value::map({{"last", json_number(series.values.back())},
                                     {"min", least ? json_number(least->value) : Value()},
                                     {"step_of_min", least ? json_integer(least->step) : Value()}},
                                    {}));
  }
  return Value::map(std::move(entries), {});
}

Value expectations_json(const RunRecord& record) {
  std::vector<Value> expectations;
  for (const auto& [sentence, expectation] : record.expectations)
    expectations.push_back(Value::map({{"metric", json_text(expectation.metric)},
                                       {"wanted", json_text(expectation.wanted)},
                                       {"over", json_text(expectation.over)},
                                       {"got", json_number(expectation.got)},
                                       {"verdict", json_text(expectation.verdict)}},
                                      {}));
  return Value::list(std::move(expectations), {});
}

Value plugins_json(const RunRecord& record) {
  std::vector<Value> plugins;
  for (const PluginIdentity& plugin : record.plugins) {
    plugins.push_back(Value::map({{"kind", json_text(plugin.kind)},
                                  {"name", json_text(plugin.name)},
                                  {"version", json_text(plugin.version)},
                                  {"file", json_text(plugin.file)},
                                  {"sha256", json_text(plugin.sha256)}},
                                 {}));
  }
  return Value::list(std::move(plugins), {});
}

Value history_json(const RunRecord& record) {
  std::vector<Value> history;
  for (const auto& [step, what] : record.history)
    history.push_back(
        Value::map({{"step", Value::scalar(step, false, {})}, {"what", json_text(what)}}, {}));
  return Value::list(std::move(history), {});
}

Value samples_json(const RunRecord& record) {
  std::vector<Value> samples;
  for (const TextSample& sample : record.samples) {
    samples.push_back(Value::map({{"step", json_integer(sample.step)},
                                  {"sampler", json_text(sample.sampler)},
                                  {"prompt", json_text(sample.prompt)},
                                  {"text", json_text(sample.text)}},
                                 {}));
  }
  return Value::list(std::move(samples), {});
}

}  // namespace

std::string summary_text(const RunRecord& record, const std::string& file, const Terminal& terminal,
                         Samples samples) {
  return what_it_was(record, file, terminal) + metrics_table(record, terminal) +
         measured_text(record, terminal) + expectations_text(record, terminal) +
         loss_curve(record, terminal) + limit_text(record, terminal) +
         samples_text(record, samples, terminal) +
         facts_text("History, by completed updates", record.history, terminal) +
         facts_text("Data", record.data, terminal) +
         facts_text("Plugins", plugin_facts(record), terminal) +
         facts_text("Environment", record.environment, terminal);
}

Value summary_json(const RunRecord& record) {
  const std::optional<double> limit = known_limit(record);
  return Value::map({{"name", json_text(record.name)},
                     {"run", json_text(record.run)},
                     {"status", json_text(name(record.status))},
                     {"message", json_text(record.message)},
                     {"seed", Value::scalar(fmt::format("{}", record.seed), false, {})},
                     {"parameters", json_integer(record.parameters)},
                     {"steps", json_integer(record.steps)},
                     {"digest", json_text(record.digest)},
                     {"started", json_text(record.started)},
                     {"seconds", json_number(record.seconds)},
                     {"metrics", metrics_json(record)},
                     {"tables", measured_json(record)},
                     {"expectations", expectations_json(record)},
                     {"limit", limit ? json_number(*limit) : Value()},
                     {"config", json_text(record.config)},
                     {"config_hash", json_text(record.config_hash)},
                     {"plugins", plugins_json(record)},
                     {"environment", facts_json(record.environment)},
                     {"data", facts_json(record.data)},
                     {"history", history_json(record)},
                     {"samples", samples_json(record)}},
                    {});
}

}  // namespace assay
