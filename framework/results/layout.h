// Where each part of a run stands in its file: one description that both saves and loads, so that
// the two cannot drift. results/README.md says the same for readers with other tools.
//
// An Io has, for a path and a member: text, integer, unsigned_integer, real, integers, rows (of
// integers, as many as said), reals, array, table (rows of texts), column (one number of each row),
// each (an entry for every name of a map), with_checkpoints, with_trajectories, and layout (the
// version read or written).
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <vector>

#include "results/record.h"

namespace assay {

/// Of a file of one run; raised when an older reader would misread it.
inline constexpr std::int64_t kLayout = 3;
/// Of a file of several runs (pack.h), each laid out as in a file of its own; the newest there is.
inline constexpr std::int64_t kPackLayout = 4;
/// Table of (group, name): every name that users chose. Links carry the encoded name.
inline constexpr const char* kIndex = "index";

/// The name as a link: letters, digits and "-_.~ ()+,:=@" as they are, other bytes as %XX ("." as
/// "%2E"), so that "val" and "val/loss" are two links. The empty name is "%".
std::string encode_name(std::string_view name);

template <class Io, class StateOf>
void state_layout(Io& io, const std::string& group, StateOf& state) {
  io.each(group, state, [&](const std::string& path, auto& array) { io.array(path, array); });
}

template <class Io, class CheckpointOf>
void checkpoint_layout(Io& io, const std::string& group, CheckpointOf& checkpoint) {
  io.integer(group + "/step", checkpoint.step);
  state_layout(io, group + "/weights", checkpoint.weights);
  state_layout(io, group + "/model", checkpoint.model);
  state_layout(io, group + "/optimizer", checkpoint.optimizer);
  state_layout(io, group + "/counters", checkpoint.counters);
}

template <class Io, class Table>
void table_layout(Io& io, const std::string& group, Table& table) {
  io.text(group + "/title", table.title);
  io.table(group + "/columns", table.columns,
           [](auto& column) { return std::tie(column.name, column.format); });
  io.each(group + "/numbers", table.numbers,
          [&](const std::string& path, auto& numbers) { io.reals(path, numbers); });
  io.each(group + "/texts", table.texts, [&](const std::string& path, auto& texts) {
    io.table(path, texts, [](auto& text) { return std::tie(text); });
  });
}

template <class Io, class Maps>
void attention_layout(Io& io, const std::string& group, Maps& maps) {
  const auto text = [](auto& token) { return std::tie(token); };
  io.integer(group + "/step", maps.step);
  io.text(group + "/text", maps.text);
  io.table(group + "/queries", maps.queries, text);
  io.table(group + "/keys", maps.keys, text);
  io.array(group + "/weights", maps.weights);
}

/// What files may lack of the rows of a table: columns of their own, by name.
template <class Io, class Samples>
void sample_columns_layout(Io& io, Samples& samples) {
  if (samples.empty()) return;
  constexpr const char* kAnswers = "answers";
  std::map<std::string, std::vector<std::string>> columns;
  const auto answers = [](const auto& sample) { return sample.answers; };
  const bool some = std::any_of(samples.begin(), samples.end(), answers);
  for (const auto& sample : samples) {
    columns["sampler"].push_back(sample.sampler);
    if (some) columns["relation"].push_back(answers(sample) ? kAnswers : "continues");
  }
  io.each("samples/columns", columns, [&](const std::string& path, auto& column) {
    io.table(path, column, [](auto& text) { return std::tie(text); });
  });
  if constexpr (!std::is_const_v<Samples>)
    for (std::size_t i = 0; i < samples.size(); ++i) {
      const auto cell = [&](const char* name) {
        const std::vector<std::string>& column = columns[name];
        return i < column.size() ? column[i] : std::string();
      };
      samples[i].sampler = cell("sampler");
      samples[i].answers = cell("relation") == kAnswers;
    }
}

template <class Io, class Record>
void run_layout(Io& io, Record& run) {
  const auto fact = [](auto& row) { return std::tie(row.first, row.second); };
  io.text("name", run.name);
  io.text("run", run.run);
  io.status("status", run.status);
  io.text("message", run.message);
  io.unsigned_integer("seed", run.seed);
  io.integer("parameters", run.parameters);
  io.integer("steps", run.steps);
  io.text("digest", run.digest);
  io.text("started", run.started);
  io.real("seconds", run.seconds);
  io.text("config", run.config);
  io.text("config_hash", run.config_hash);
  io.table("origins", run.origins, fact);
  io.table("plugins", run.plugins, [](auto& row) {
    return std::tie(row.kind, row.name, row.version, row.file, row.sha256);
  });
  io.table("environment", run.environment, fact);
  io.table("data", run.data, fact);
  io.table("samples", run.samples, [](auto& row) { return std::tie(row.prompt, row.text); });
  io.column(
      "samples/step", run.samples, [](auto& row) -> auto& { return row.step; });
  sample_columns_layout(io, run.samples);
  io.each("attention", run.attention,
          [&](const std::string& path, auto& maps) { attention_layout(io, path, maps); });
  io.each("metrics", run.metrics, [&](const std::string& path, auto& series) {
    io.integers(path + "/step", series.steps);
    io.reals(path + "/value", series.values);
  });
  state_layout(io, "tokenizer", run.tokenizer);
  io.each("tables", run.tables,
          [&](const std::string& path, auto& table) { table_layout(io, path, table); });
  state_layout(io, "arrays", run.arrays);
  io.each("expectations", run.expectations, [&](const std::string& path, auto& expectation) {
    io.text(path + "/metric", expectation.metric);
    io.text(path + "/wanted", expectation.wanted);
    io.text(path + "/over", expectation.over);
    io.text(path + "/verdict", expectation.verdict);
    io.real(path + "/got", expectation.got);
  });
  if (io.layout() >= 3) {
    io.text("id", run.id);
    io.text("experiment", run.experiment);
    io.table("history", run.history, fact);
  }
  if (io.with_trajectories())
    io.each("trajectories", run.trajectories, [&](const std::string& path, auto& trajectory) {
      io.table(path + "/parameters", trajectory.parameters,
               [](auto& parameter) { return std::tie(parameter); });
      io.integers(path + "/step", trajectory.steps);
      io.rows(path + "/hash", trajectory.hashes, trajectory.steps.size(),
              trajectory.parameters.size());
    });
  if (io.with_checkpoints())
    io.each("checkpoints", run.checkpoints, [&](const std::string& path, auto& checkpoint) {
      checkpoint_layout(io, path, checkpoint);
    });
}

}  // namespace assay
