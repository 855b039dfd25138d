// Any line as an argument KEY=VALUE: problems or values, never a crash; what is set can be written
// and read back, and stands where the path says. A second line is the configuration it changes.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "base/error.h"
#include "config/overrides.h"
#include "config/yaml.h"

namespace {

using namespace assay;

void expect(bool holds) {
  if (!holds) std::abort();
}

Value configuration(std::string_view text) {
  try {
    return read_yaml(text, "fuzz.yaml");
  } catch (const Error&) {
    return read_yaml("{model: {type: gpt, width: 64}, tags: [a, b], seed: 1}", "known.yaml");
  }
}

void check_round_trip(const Value& value) {
  const std::string block = write_yaml(value);
  expect(write_yaml(read_yaml(block, "block")) == block);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::size_t end = text.find('\n');
  Problems problems;
  const Override change = read_override(text.substr(0, end), problems);
  expect(problems.empty() == !change.choices.empty());
  expect(problems.text().size() < 20'000'000);
  const Value root = configuration(end == std::string_view::npos ? "" : text.substr(end + 1));
  for (const Value& choice : change.choices) {
    check_round_trip(choice);
    Problems refused;
    const Value changed = apply_override(root, change, choice, refused);
    if (!refused.empty()) continue;
    check_round_trip(changed);
    const bool sets = change.kind != Override::Kind::remove && !choice.is_null();
    expect(!sets || changed.at_path(change.path) != nullptr);
  }
  return 0;
}
