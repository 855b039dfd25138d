// How far a run is, for whoever watches.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

namespace assay {

struct Progress {
  std::int64_t step = 0, steps = 0;  // completed updates, and all
  double loss = 0;                   // of the last update, mean nats per target
  std::optional<double> validation;  // the last evaluation's
  double tokens_per_second = 0;      // targets trained on, evaluations not counted
  double seconds_left = 0;
};

/// Both may be empty. Called between steps by the thread that runs the trainer.
struct Watch {
  std::function<void(const Progress&)> progress;
  std::function<bool()> stop;
};

}  // namespace assay
