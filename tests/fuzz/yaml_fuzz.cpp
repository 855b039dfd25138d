// Any bytes as an experiment file: an Error or a value, never a crash, and a value that is written
// as YAML is read back as the same.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "base/error.h"
#include "config/options.h"
#include "config/yaml.h"

namespace {

using namespace assay;

void expect(bool holds) {
  if (!holds) std::abort();
}

struct Options {
  std::int64_t width = 64;
  double rate = 0.5;
  bool tied = false;
  std::string norm = "pre";
  std::vector<double> betas;
  std::optional<std::string> note;
  static void describe(OptionList<Options>& o) {
    o.add("width", &Options::width, "Width.").at_least(1);
    o.add("rate", &Options::rate, "Rate.").at_least(0).below(1);
    o.add("tied", &Options::tied, "Tied.");
    o.add("norm", &Options::norm, "Norm.").one_of({"pre", "post"});
    o.add("betas", &Options::betas, "Betas.");
    o.add("note", &Options::note, "Note.");
  }
};

void check_round_trip(const Value& value) {
  const std::string block = write_yaml(value);
  const Value again = read_yaml(block, "block");
  expect(write_yaml(again) == block);
  expect(write_yaml(read_yaml(write_yaml_flow(value), "flow")) == block);
}

// Options that were accepted hold their bounds, and are read back from what was written.
void check_options(const Value& value) {
  const OptionTable table = describe_options<Options>();
  Options options;
  Problems problems;
  table.read(&options, value, "model", "model 'gpt'", problems);
  if (!problems.empty()) return;
  expect(options.width >= 1 && options.rate >= 0 && options.rate < 1);
  expect(options.norm == "pre" || options.norm == "post");
  const Value written = table.write(&options);
  Options again;
  table.read(&again, read_yaml(write_yaml(written), "written"), "model", "model 'gpt'", problems);
  expect(problems.empty() && write_yaml(table.write(&again)) == write_yaml(written));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  Value root;
  try {
    root = read_yaml(text, "fuzz.yaml");
  } catch (const Error&) {
  }
  check_round_trip(root);
  check_options(root);

  return 0;
}
