#include "experiment/sweep_list.h"

#include <fmt/format.h>

#include <filesystem>
#include <set>
#include <system_error>

#include "base/error.h"
#include "base/text.h"
#include "base/utf8.h"
#include "config/yaml.h"
#include "config/yaml_text.h"
#include "io/csv.h"
#include "io/read_file.h"

namespace assay {
namespace {

// Where the fields of a record stand that begins with rest; where quotes make it hard to tell, the
// start of its line.
std::vector<Location> field_places(const std::shared_ptr<const Source>& source, int line,
                                   std::string_view rest, const std::vector<std::string>& fields) {
  const bool quoted = rest.substr(0, rest.find('\n')).find('"') != std::string_view::npos;
  std::vector<Location> places;
  int column = 1;
  for (const std::string& field : fields) {
    places.push_back({source, line, column});
    if (!quoted) column += static_cast<int>(utf8_count(field)) + 1;
  }
  return places;
}

Value table_of(const std::filesystem::path& file) {
  std::error_code ignored;
  if (std::filesystem::file_size(file, ignored) > kYamlBytes && !ignored)
    throw Error(ExitCode::usage, fmt::format("{}: more than {}; runs are listed in less",
                                             file.string(), human_bytes(kYamlBytes)));
  const std::string text = read_file(file);
  const std::string first = text.substr(0, text.find('\n'));
  const bool tabs = file.extension() == ".tsv";
  const char separator = tabs ? '\t' : first.find(';') != std::string::npos ? ';' : ',';
  const auto source = std::make_shared<const Source>(Source{file.string(), text});
  const auto records =
      parse_csv(text, separator, tabs ? Quotes::none : Quotes::fields, file.string());
  if (records.size() < 2)
    throw Error(ExitCode::usage, fmt::format("{}: wanted a line of keys and a line for each run, "
                                             "got {} lines",
                                             file.string(), records.size()));
  const std::vector<std::string>& keys = records.front().fields;
  std::set<std::string> seen;
  for (const std::string& key : keys)
    if (key.empty() || !seen.insert(key).second)
      throw Error(ExitCode::usage,
                  fmt::format("{}:1: {}", file.string(),
                              key.empty() ? "a key is empty" : key + ": is there twice"));
  const std::vector<Location> key_places = field_places(source, 1, text, keys);
  std::vector<Value> items;
  std::size_t line = 1, start = 0;  // of the text
  for (std::size_t r = 1; r < records.size(); ++r) {
    const CsvRecord& record = records[r];
    for (; line < record.line; ++line) start = text.find('\n', start) + 1;
    const auto places = field_places(source, static_cast<int>(line),
                                     std::string_view(text).substr(start), record.fields);
    if (record.fields.size() != keys.size())
      throw Error(ExitCode::usage,
                  fmt::format("{}:{}: wanted {} fields, one for each key, got {}", file.string(),
                              record.line, keys.size(), record.fields.size()));
    std::vector<Value::Entry> entries;
    std::vector<Location> keys_at;
    for (std::size_t k = 0; k < keys.size(); ++k) {
      if (record.fields[k].empty()) continue;
      entries.emplace_back(keys[k], Value::scalar(record.fields[k], false, places[k]));
      keys_at.push_back(key_places[k]);
    }
    items.push_back(Value::map(std::move(entries), places[0], std::move(keys_at)));
  }
  return Value::list(std::move(items), {source, 1, 1});
}

}  // namespace

Value sweep_list(const std::string& path, const Value& written, Problems& problems) {
  if (!written.is_scalar()) return written;
  std::filesystem::path file = written.text();
  if (file.is_relative() && written.at().source && !written.at().is_argument())
    file = std::filesystem::path(written.at().source->name).parent_path() / file;
  const Value nothing = Value::list({Value::map({}, written.at())}, written.at());
  try {
    if (file.extension() == ".csv" || file.extension() == ".tsv") return table_of(file);
    if (file.extension() == ".json" || file.extension() == ".yaml") return read_yaml_file(file);
    problems.add(written.at(), fmt::format("{}: wanted a list of settings or a file .csv, .tsv, "
                                           ".json or .yaml that has them, got {}",
                                           path, describe(written)));
  } catch (const Error& error) {
    problems.add(written.at(), fmt::format("{}: {}", path, error.what()));
  }
  return nothing;
}

}  // namespace assay
