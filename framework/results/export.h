// A run in the forms of other programs.
#pragma once

#include <string>
#include <string_view>

#include "base/api.h"
#include "results/record.h"

namespace assay {

/// In quotes where it must be (RFC 4180).
ASSAY_API std::string csv_field(const std::string& text);
/// In quotes, with escapes; bytes that are not UTF-8 become U+FFFD.
ASSAY_API std::string json_string(std::string_view text);

/// "step,<metric>,...": a line for each step, in order; empty where a metric has no value there.
ASSAY_API std::string export_csv(const RunRecord& record);
/// A line for each step: {"step": 0, "train/loss": 4.1}; NaN and infinity as the texts "nan", "inf"
/// and "-inf".
ASSAY_API std::string export_json_lines(const RunRecord& record);
/// A TensorBoard event file: records [length, CRC, data, CRC] of serialised Event messages
/// (tensorflow/core/util/event.proto), scalars by step. wall_time: seconds since 1970 of all.
ASSAY_API std::string export_tensorboard(const RunRecord& record, double wall_time);

}  // namespace assay
