// A record as a finished run leaves it, small and made up.
#pragma once

#include "cli/terminal.h"
#include "results/record.h"

namespace assay {

inline RunRecord made_record() {
  RunRecord record;
  record.name = "gpt";
  record.run = "gpt_seed=1_1f3a9c04";
  record.seed = 1;
  record.parameters = 112065;
  record.steps = 900;
  record.digest = "5ac9";
  record.started = "2026-11-30T01:54:07Z";
  record.seconds = 12.3;
  record.config = "name: gpt\nseed: 1\nmodel:\n  type: gpt\n  width: 64\n";
  record.config_hash = "c0ffee";
  record.plugins = {{"model", "gpt", "0.1.0", "models/gpt.so", "0123456789abcdef0123"}};
  record.environment = {{"threads", "2"}};
  record.data = {{"limit nats/token", "1.5"}, {"limit meaning", "entropy of the source"}};
  record.metrics["train/loss"] = {{0, 1, 2, 3}, {4.0, 3.0, 2.0, 2.5}};
  record.metrics["val/loss"] = {{0, 450, 900}, {4.25, 1.875, 2.0}};
  record.samples = {{900, "\n", "First Citizen:\nSpeak", "temperature 0.8"}};
  return record;
}

/// What a plain stream of 80 columns can show.
inline Terminal plain_terminal() {
  return {};
}

}  // namespace assay
