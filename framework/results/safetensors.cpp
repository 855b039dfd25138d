#include "results/safetensors.h"

#include <fmt/format.h>

#include <bit>
#include <charconv>
#include <cstring>
#include <string_view>

#include "base/error.h"
#include "config/json.h"
#include "io/read_file.h"
#include "results/export.h"

namespace assay {
namespace {

/// Type as safetensors names it, and the bytes.
std::pair<const char*, std::string_view> numbers_of(const StateArray& array) {
  const auto bytes = [](const auto& values) {
    return std::string_view(reinterpret_cast<const char*>(values.data()),
                            values.size() * sizeof(values[0]));
  };
  if (const auto* values = std::get_if<std::vector<float>>(&array.data))
    return {"F32", bytes(*values)};
  if (const auto* values = std::get_if<std::vector<double>>(&array.data))
    return {"F64", bytes(*values)};
  if (const auto* values = std::get_if<std::vector<std::int64_t>>(&array.data))
    return {"I64", bytes(*values)};
  return {"U8", std::get<std::string>(array.data)};
}

[[noreturn]] void fail(const std::filesystem::path& file, const std::string& what) {
  throw Error(ExitCode::data, fmt::format("{}: no safetensors file: {}", file.string(), what));
}

std::uint64_t whole(const std::filesystem::path& file, const Value& value) {
  std::uint64_t number = 0;
  const std::string& text = value.text();
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
  if (read.ec != std::errc() || read.ptr != text.data() + text.size())
    fail(file, fmt::format("wanted a whole number in its header, got {}", describe(value)));
  return number;
}

float of_half(std::uint16_t bits) {
  const std::uint32_t sign = (bits & 0x8000U) << 16, exponent = bits >> 10 & 31U;
  const std::uint32_t fraction = bits & 0x3FFU;
  if (exponent == 31) return std::bit_cast<float>(sign | 0x7F800000U | fraction << 13);
  if (exponent != 0) return std::bit_cast<float>(sign | (exponent + 112) << 23 | fraction << 13);
  const float small = static_cast<float>(fraction) * 0x1p-24F;
  return sign ? -small : small;
}

std::vector<float> as_floats(const std::string& type, std::string_view bytes) {
  const std::size_t size = type == "F32" ? 4 : 2;
  std::vector<float> values(bytes.size() / size);
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (size == 4) {
      std::memcpy(&values[i], bytes.data() + 4 * i, 4);
      continue;
    }
    std::uint16_t bits = 0;
    std::memcpy(&bits, bytes.data() + 2 * i, 2);
    values[i] = type == "F16" ? of_half(bits) : std::bit_cast<float>(std::uint32_t{bits} << 16);
  }
  return values;
}

// One array of the header: its place within the numbers is checked.
void read_array(const std::filesystem::path& file, const std::string& name, const Value& about,
                std::string_view numbers, State& into) {
  const Value *type = about.find("dtype"), *shape = about.find("shape"),
              *offsets = about.find("data_offsets");
  if (!type || !shape || !offsets || offsets->items().size() != 2)
    fail(file, fmt::format("{} has no dtype, shape or data_offsets", name));
  if (type->text() != "F32" && type->text() != "F16" && type->text() != "BF16") return;
  StateArray array;
  std::uint64_t count = type->text() == "F32" ? 4 : 2;
  for (const Value& extent : shape->items()) {
    const std::uint64_t one = whole(file, extent);
    if (one != 0 && count > numbers.size() / one) fail(file, fmt::format("{} is too large", name));
    count *= one;
    array.shape.push_back(static_cast<std::int64_t>(one));
  }
  const std::uint64_t begin = whole(file, offsets->items()[0]);
  const std::uint64_t end = whole(file, offsets->items()[1]);
  if (begin > end || end > numbers.size() || end - begin != count)
    fail(file,
         fmt::format("{} is to stand at {} to {}, of {} bytes", name, begin, end, numbers.size()));
  array.data = as_floats(type->text(), numbers.substr(begin, count));
  into.emplace(name, std::move(array));
}

}  // namespace

std::string safetensors(const State& arrays) {
  std::string header = "{", numbers;
  for (const auto& [name, array] : arrays) {
    const auto [type, bytes] = numbers_of(array);
    const std::size_t start = numbers.size();
    numbers += bytes;
    header += fmt::format("{}{}:{{\"dtype\":\"{}\",\"shape\":[{}],\"data_offsets\":[{},{}]}}",
                          header.size() > 1 ? "," : "", json_string(name), type,
                          fmt::join(array.shape, ","), start, numbers.size());
  }
  header += "}";
  header.append((8 - header.size() % 8) % 8, ' ');  // the numbers start on a multiple of 8
  const std::uint64_t size = header.size();
  std::string out(reinterpret_cast<const char*>(&size), sizeof size);
  return out + header + numbers;
}

State read_safetensors(const std::filesystem::path& file) {
  const std::string bytes = read_file(file);
  std::uint64_t size = 0;
  if (bytes.size() < sizeof size) fail(file, "it is too short");
  std::memcpy(&size, bytes.data(), sizeof size);
  if (size > bytes.size() - sizeof size) fail(file, "its header is longer than the file");
  const std::string_view header = std::string_view(bytes).substr(sizeof size, size);
  Problems problems;
  const auto parsed = parse_json(header.substr(0, header.find_last_not_of(' ') + 1),
                                 Location::of(file.string()), problems);
  if (!parsed || !parsed->is_map()) fail(file, "its header is no JSON object");
  State arrays;
  for (const auto& [name, about] : parsed->entries())
    if (name != "__metadata__")
      read_array(file, name, about, std::string_view(bytes).substr(sizeof size + size), arrays);
  return arrays;
}

}  // namespace assay
