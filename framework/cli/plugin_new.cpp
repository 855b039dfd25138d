// assay plugins new: a folder to start a plugin from.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <span>
#include <string>

#include "base/text.h"
#include "cli/plugin_verbs.h"
#include "cli/scaffold.h"
#include "cli/terminal.h"
#include "io/atomic_file.h"
#include "plugin/loader.h"

namespace assay {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLongestName = 63;  // what the note of a plugin has room for

bool is_letter(char c) {
  return c >= 'a' && c <= 'z';
}

std::string check_kind(const std::string& kind) {
  const std::vector<std::string> kinds = scaffold_kinds();
  if (std::find(kinds.begin(), kinds.end(), kind) != kinds.end()) return kind;
  const auto near = near_match(kind, kinds);
  throw Error(ExitCode::usage, fmt::format("plugins new: there is no kind {}; {}", quote(kind),
                                           near ? fmt::format("did you mean {}?", *near)
                                                : fmt::format("the kinds are {}", join(kinds))));
}

/// It becomes a file, a target and, with capitals, a class.
std::string check_name(const std::string& name) {
  std::string better;
  for (const char c : name) {
    if (is_letter(c) || (c >= '0' && c <= '9' && !better.empty()))
      better += c;
    else if (c >= 'A' && c <= 'Z')
      better += static_cast<char>(c - 'A' + 'a');
    else if (!better.empty() && better.back() != '_')
      better += '_';
  }
  while (better.ends_with('_')) better.pop_back();
  if (name == better && !name.empty() && name.size() <= kLongestName) return name;
  throw Error(ExitCode::usage,
              fmt::format("plugins new: wanted a name of at most {} lower-case letters, digits and "
                          "single underscores between them that starts with a letter, got {}{}",
                          kLongestName, quote(name),
                          better.empty() || better == name
                              ? ""
                              : fmt::format("; did you mean {}?", better.substr(0, kLongestName))));
}

void write_file(const fs::path& file, const std::string& text) {
  write_atomically(file, std::as_bytes(std::span(text)), IfExists::refuse);
}

}  // namespace

ExitCode new_plugin(const Arguments& arguments) {
  if (arguments.words.size() != 3)
    throw Error(ExitCode::usage,
                "usage: assay plugins new KIND NAME (assay plugins new model my_model)");
  const std::string kind = check_kind(arguments.words[1]), name = check_name(arguments.words[2]);
  if (fs::exists(fs::symlink_status(name)))
    throw Error(
        ExitCode::usage,
        fmt::format("plugins new: {} exists already; remove it, or choose another name", name));
  std::string said;
  for (const ScaffoldFile& file : scaffold_files()) {
    if (file.kind != kind && file.kind != "any") continue;
    std::string file_name(file.name);
    if (file_name.starts_with("NAME")) file_name.replace(0, 4, name);
    write_file(fs::path(name) / file_name, filled_in(file.text, kind, name));
    said += fmt::format("{}/{}\n", name, file_name);
  }
  const fs::path prefix = library_file().parent_path().parent_path();
  write_out(
      fmt::format("{}\n"
                  "Build it and test it, train with it, and let all your experiments find it:\n"
                  "  cmake -S {} -B {}/build -DCMAKE_PREFIX_PATH={}\n"
                  "  cmake --build {}/build && ctest --test-dir {}/build\n"
                  "  assay run {}/{}.yaml --plugins {}/build/plugins\n"
                  "  cmake --install {}/build --prefix ~/.local\n",
                  said, name, name, prefix.string(), name, name, name, name, name, name));
  return ExitCode::done;
}

}  // namespace assay
