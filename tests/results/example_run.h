// A run with something in every field: awkward names, NaN, empty arrays, bytes that are no text.
#pragma once

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "results/record.h"

namespace assay {

inline RunRecord example_run() {
  using Floats = std::vector<float>;
  using Doubles = std::vector<double>;
  using Integers = std::vector<std::int64_t>;
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double inf = std::numeric_limits<double>::infinity();
  RunRecord run;
  run.name = "gpt";
  run.run = "seed=1-0f3a";
  run.status = RunStatus::stopped;
  run.message = "stopped by signal 15 after step 3 — continue with `assay run`";
  run.seed = 18446744073709551615U;
  run.parameters = 112065;
  run.steps = 4;
  run.digest = std::string(64, 'a');
  run.started = "2024-05-01T12:00:00Z";
  run.seconds = 1.25;
  run.config = "name: gpt  # grüße\nseed: 1\n";
  run.config_hash = std::string(64, 'b');
  run.id = std::string(32, 'e');
  run.experiment = "/home/me/gpt.yaml";
  run.history = {{"2", "continued with 2 threads"}};
  run.origins = {{"name", "gpt.yaml:1:7"}, {"seed", "command line"}, {"empty", ""}};
  run.plugins = {{"model", "gpt", "1.0", "plugins/models/gpt.so", std::string(64, 'c')},
                 {"optimizer", "adamw", "1.0", "plugins/optimizers/adamw.so", ""}};
  run.environment = {{"compiler", "g++ 12"}, {"threads", "2"}};
  run.data = {{"digest", "d"}};
  run.metrics["val"] = {{0, 4}, {4.25, 3.5}};
  run.metrics["val/loss"] = {{0, 2, 4}, {nan, inf, -0.0}};
  run.metrics["train/loss"] = {{0, 1, 2, 3}, {4.2, 4.1, 4.0, 1.0 / 3}};
  run.metrics["never"] = {};
  run.metrics[""] = {{-1}, {-inf}};
  run.metrics["."] = {{1}, {1}};
  run.metrics[".."] = {{2}, {2}};
  run.metrics["100%2F grün\n"] = {{3}, {3}};
  Checkpoint& last = run.checkpoints["final"];
  last.step = 4;
  last.weights["layer0/attention/q"] = {{2, 3}, Floats{1, 2, 3, 4, 5, std::nanf("")}};
  last.weights["layer0"] = {{1}, Floats{-0.0F}};
  last.weights["empty"] = {{0, 3}, Floats{}};
  last.model["counts"] = {{2}, Integers{7, -7}};
  last.optimizer["layer0/first_moment"] = {{2}, Doubles{0.1, nan}};
  last.optimizer["updates"] = {{}, Integers{4}};
  last.counters["scale"] = {{}, Doubles{0.5}};
  run.checkpoints["best"] = last;
  run.checkpoints["best"].step = 2;
  run.tokenizer["tokens"] = {{4}, std::string("a\0\xff\n", 4)};
  run.tokenizer["nothing"] = {{0}, std::string()};
  run.trajectories[kWeightTrajectory] = {{"layer0", "layer0/attention/q"}, {0, 4}, {1, -2, 3, -4}};
  run.samples = {{0, "ROMEO:", std::string("\xff\0zz", 4), "greedy"}, {4, "", "O Romeo", ""}};
  return run;
}

}  // namespace assay
