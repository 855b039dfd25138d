#include "results/export.h"

#include <fmt/format.h>

#include <cmath>
#include <cstring>

#include "base/utf8.h"
#include "io/crc32c.h"
#include "results/comparison.h"
#include "results/raw_number.h"

namespace assay {
namespace {

struct Columns {
  std::vector<std::string> names;
  JoinedSteps joined;
};

Columns columns_of(const RunRecord& record) {
  Columns columns;
  std::vector<const Series*> series;
  for (const auto& [name, one] : record.metrics) {
    columns.names.push_back(name);
    series.push_back(&one);
  }
  columns.joined = join_by_step(series);
  return columns;
}

std::string json_number(double value) {
  if (std::isnan(value)) return "\"nan\"";
  if (std::isinf(value)) return value > 0 ? "\"inf\"" : "\"-inf\"";
  return fmt::format("{}", value);
}

/// Protocol buffers: what the few fields of an Event need.
void append_varint(std::string& to, std::uint64_t number) {
  for (; number >= 0x80; number >>= 7) to += static_cast<char>(number | 0x80);
  to += static_cast<char>(number);
}
enum class Wire { varint = 0, fixed64 = 1, bytes = 2, fixed32 = 5 };
void append_tag(std::string& to, unsigned field, Wire wire) {
  append_varint(to, field << 3 | static_cast<unsigned>(wire));
}
void append_bytes(std::string& to, unsigned field, const std::string& bytes) {
  append_tag(to, field, Wire::bytes);
  append_varint(to, bytes.size());
  to += bytes;
}

/// TensorFlow stores rotated sums, since a sum over data that holds its own sum says little.
std::uint32_t masked(std::uint32_t crc) {
  return ((crc >> 15) | (crc << 17)) + 0xA282EAD8u;
}

void append_event(std::string& to, const std::string& event) {
  std::string length;
  append_raw(length, static_cast<std::uint64_t>(event.size()));
  to += length;
  append_raw(to, masked(crc32c(length)));
  to += event;
  append_raw(to, masked(crc32c(event)));
}

std::string start_of_event(double wall_time) {
  std::string event;
  append_tag(event, 1, Wire::fixed64);
  append_raw(event, wall_time);
  return event;
}

}  // namespace

std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\n\r") == std::string::npos) return text;
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"') out += '"';
    out += c;
  }
  return out + '"';
}

std::string json_string(std::string_view text) {
  std::string out = "\"";
  for (const char c : utf8_repaired(text)) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (c == '\n') {
      out += "\\n";
    } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) {
      out += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    } else {
      out += c;
    }
  }
  return out + '"';
}

std::string export_csv(const RunRecord& record) {
  const Columns columns = columns_of(record);
  std::string out = "step";
  for (const std::string& name : columns.names) out += "," + csv_field(name);
  out += "\n";
  for (std::size_t row = 0; row < columns.joined.steps.size(); ++row) {
    out += fmt::format("{}", columns.joined.steps[row]);
    for (const auto& values : columns.joined.values)
      out += values[row] ? fmt::format(",{}", *values[row]) : ",";
    out += "\n";
  }
  return out;
}

std::string export_json_lines(const RunRecord& record) {
  const Columns columns = columns_of(record);
  std::string out;
  for (std::size_t row = 0; row < columns.joined.steps.size(); ++row) {
    out += fmt::format("{{\"step\": {}", columns.joined.steps[row]);
    for (std::size_t c = 0; c < columns.names.size(); ++c)
      if (const auto& value = columns.joined.values[c][row])
        out += ", " + json_string(columns.names[c]) + ": " + json_number(*value);
    out += "}\n";
  }
  return out;
}

std::string export_tensorboard(const RunRecord& record, double wall_time) {
  std::string out, first = start_of_event(wall_time);
  append_bytes(first, 3, "brain.Event:2");
  append_event(out, first);
  const Columns columns = columns_of(record);
  for (std::size_t row = 0; row < columns.joined.steps.size(); ++row) {
    std::string summary;
    for (std::size_t c = 0; c < columns.names.size(); ++c) {
      const auto& number = columns.joined.values[c][row];
      if (!number) continue;
      std::string value;
      append_bytes(value, 1, columns.names[c]);
      append_tag(value, 2, Wire::fixed32);
      append_raw(value, static_cast<float>(*number));
      append_bytes(summary, 1, value);
    }
    std::string event = start_of_event(wall_time);
    append_tag(event, 2, Wire::varint);
    append_varint(event, static_cast<std::uint64_t>(columns.joined.steps[row]));
    append_bytes(event, 5, summary);
    append_event(out, event);
  }
  return out;
}

}  // namespace assay
