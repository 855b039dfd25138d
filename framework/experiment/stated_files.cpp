#include "experiment/stated_files.h"

#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

namespace assay {
namespace {

namespace fs = std::filesystem;

// Of the file or argument that says the value; nothing if it is neither.
std::optional<fs::path> folder_of(const Location& at) {
  if (!at.source) return std::nullopt;
  if (at.is_argument()) return fs::current_path();
  // The configuration that a result file holds is no file: its names are the experiment's already.
  std::error_code ignored;
  if (!fs::exists(at.source->name, ignored)) return std::nullopt;
  return fs::absolute(at.source->name).parent_path();
}

Value with_file(const Value& value, const fs::path& folder) {
  if (value.is_list()) {
    std::vector<Value> items;
    for (const Value& item : value.items()) items.push_back(with_file(item, folder));
    return Value::list(std::move(items), value.at());
  }
  const fs::path written = value.text();
  const auto stated = folder_of(value.at());
  if (written.empty() || written.is_absolute() || !stated || *stated == folder) return value;
  std::error_code ignored;
  const bool looks_like_path = value.text().find_first_of("/.") != std::string::npos;
  if (!looks_like_path && !fs::exists(*stated / written, ignored)) return value;
  const fs::path relative = (*stated / written).lexically_normal().lexically_proximate(folder);
  return Value::scalar(relative.string(), true, value.at());
}

}  // namespace

Value with_stated_files(const Value& section, const OptionTable& options, const fs::path& folder) {
  Value result = section;
  for (const OptionTable::Entry& entry : options.entries) {
    if (!entry.info.names_file) continue;
    if (const auto index = section.index_of(entry.info.name))
      result = result.with(entry.info.name, with_file(section.entries()[*index].second, folder),
                           section.key_location(*index));
  }
  return result;
}

}  // namespace assay
