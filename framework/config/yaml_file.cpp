#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <memory>
#include <system_error>

#include "base/error.h"
#include "base/text.h"
#include "config/yaml.h"
#include "config/yaml_parser.h"
#include "config/yaml_text.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void refuse(const fs::path& file, std::string_view why) {
  throw Error(ExitCode::usage, fmt::format("{}: {}", file.string(), why));
}

std::string near_file(const fs::path& file) {
  std::vector<std::string> names;
  std::error_code error;
  const fs::path folder = file.has_parent_path() ? file.parent_path() : fs::path(".");
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error))
    if (it->path().extension() == ".yaml") names.push_back(it->path().filename().string());
  std::sort(names.begin(), names.end());
  const auto near = near_match(file.filename().string(), names);
  return near ? fmt::format("; did you mean {}?", quote(*near)) : std::string();
}

std::string bytes_of(const fs::path& file) {
  std::error_code error;
  const fs::file_status status = fs::status(file, error);
  if (status.type() == fs::file_type::not_found) refuse(file, "no such file" + near_file(file));
  if (fs::is_directory(status)) refuse(file, "is a folder; name a YAML file in it");
  errno = 0;
  std::ifstream in(file, std::ios::binary);
  // Piece by piece: a buffer of the whole limit would cost 60 ms of page faults for any small file.
  // What is above the limit is refused by the reader, so no more is read, of endless devices
  // either.
  std::string text;
  char piece[16384];
  while (in && text.size() <= kYamlBytes) {
    in.read(piece, sizeof piece);
    text.append(piece, static_cast<std::size_t>(in.gcount()));
  }
  if (!in && !in.eof()) refuse(file, fmt::format("cannot be read ({})", std::strerror(errno)));
  return text;
}

}  // namespace

Value read_yaml(std::string_view text, std::string source, Problems& problems) {
  const Location start{std::make_shared<const Source>(Source{
                           std::move(source), std::string(text.size() <= kYamlBytes ? text : "")}),
                       1, 1};
  auto value = parse_yaml(text, start, problems);
  if (!value) problems.raise();
  return *std::move(value);
}

Value read_yaml(std::string_view text, std::string source) {
  Problems problems;
  Value value = read_yaml(text, std::move(source), problems);
  problems.raise();
  return value;
}

Value read_yaml_file(const fs::path& file, Problems& problems) {
  return read_yaml(bytes_of(file), file.string(), problems);
}

Value read_yaml_file(const fs::path& file) {
  return read_yaml(bytes_of(file), file.string());
}

}  // namespace assay
