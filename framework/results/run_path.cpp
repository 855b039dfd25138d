#include "results/run_path.h"

namespace assay {
namespace {

constexpr std::string_view kRunMark = "::";

}  // namespace

RunPath split_run_path(const std::filesystem::path& path) {
  const std::string& text = path.native();
  const std::size_t mark = text.rfind(kRunMark);
  std::error_code error;
  if (mark == std::string::npos || mark == 0 || std::filesystem::exists(path, error))
    return {path, ""};
  return {text.substr(0, mark), text.substr(mark + kRunMark.size())};
}

std::filesystem::path own_file(const std::filesystem::path& path, const std::string& run) {
  return split_run_path(path).file.parent_path() / (run + ".h5");
}

std::string run_path(const std::filesystem::path& file, const std::string& run) {
  return file.string() + std::string(kRunMark) + run;
}

}  // namespace assay
