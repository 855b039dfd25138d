// Any bytes as the files of one experiment, parted by lines "===": the experiment, base.yaml,
// model/small.yaml, and arguments. Composed and interpolated they are problems or a configuration
// without references, never a crash.
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "config/composition.h"
#include "config/interpolation.h"
#include "config/overrides.h"
#include "config/yaml.h"

namespace {

using namespace assay;
namespace fs = std::filesystem;

void expect(bool holds) {
  if (!holds) std::abort();
}

// Where the files of this process stand; removed at its end.
struct Folder {
  fs::path path;
  Folder() {
    std::string name = (fs::temp_directory_path() / "assay-fuzz-XXXXXX").string();
    expect(::mkdtemp(name.data()) != nullptr);
    path = name;
    fs::create_directory(path / "model");
  }
  ~Folder() {
    std::error_code ignored;
    fs::remove_all(path, ignored);
  }
};

std::vector<std::string> parts_of(std::string_view text) {
  constexpr std::string_view kParting = "\n===\n";
  std::vector<std::string> parts;
  while (true) {
    const std::size_t end = text.find(kParting);
    parts.emplace_back(text.substr(0, end));
    if (end == std::string_view::npos) break;
    text.remove_prefix(end + kParting.size());
  }
  parts.resize(4);
  return parts;
}

Value with_arguments(Value root, std::string_view lines, Composer& composer, Problems& problems) {
  while (!lines.empty()) {
    const std::size_t end = std::min(lines.find('\n'), lines.size());
    const Override change =
        composer.with_groups(read_override(lines.substr(0, end), problems), problems);
    for (const Value& choice : change.choices)
      root = apply_override(root, change, choice, problems);
    lines.remove_prefix(std::min(end + 1, lines.size()));
  }
  return root;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const Folder folder;
  const auto parts = parts_of({reinterpret_cast<const char*>(data), size});
  const char* names[] = {"e.yaml", "base.yaml", "model/small.yaml"};
  for (std::size_t i = 0; i < 3; ++i)
    std::ofstream(folder.path / names[i], std::ios::binary | std::ios::trunc) << parts[i];
  Problems problems;
  try {
    Composer composer({{{folder.path, "fuzz"}}}, {"model", "train"});
    Value root = merged(composer.read(folder.path / "e.yaml", {}, problems));
    root = with_arguments(std::move(root), parts[3], composer, problems);
    std::vector<Location> left;
    const Value config = interpolate(root, problems, left);
    if (!problems.empty()) problems.raise();
    const std::string text = write_yaml(without_references(config));
    const Value again = read_yaml(text, "again");
    Problems none;
    expect(write_yaml(without_references(interpolate(again, none, left))) == text && none.empty());
  } catch (const Error& error) {
    expect(!std::string_view(error.what()).empty());
  }
  return 0;
}
