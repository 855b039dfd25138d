// JSON text of what `--json` prints, built as a Value.
//
//   Value::map({{"name", json_text("gpt")}, {"loss", json_number(1.89)}}, {})   ->   {"name":
//   "gpt", "loss": 1.89}
//
// JSON has no NaN and no infinity: they are written as the texts "nan", "inf" and "-inf", which
// Python's float() and C's strtod read back.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "config/value.h"

namespace assay {

Value json_text(std::string_view text);
Value json_number(double number);
Value json_integer(std::int64_t number);
Value json_truth(bool truth);

/// Two-space indented; maps and lists of scalars on one line where they are short. Bytes that are
/// not UTF-8 become U+FFFD.
std::string write_json(const Value& value);
/// All of it on one line.
std::string write_json_line(const Value& value);

}  // namespace assay
