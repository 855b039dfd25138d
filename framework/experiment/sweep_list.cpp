#include "experiment/sweep_list.h"

#include <fmt/format.h>

#include <filesystem>
#include <set>

#include "base/error.h"
#include "config/yaml.h"
#include "io/csv.h"
#include "io/read_file.h"

namespace assay {
namespace {

Value table_of(const std::filesystem::path& file) {
  const std::string text = read_file(file);
  const std::string first = text.substr(0, text.find('\n'));
  const bool tabs = file.extension() == ".tsv";
  const char separator = tabs ? '\t' : first.find(';') != std::string::npos ? ';' : ',';
  const auto source = std::make_shared<const std::string>(file.string());
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
  std::vector<Value> items;
  for (std::size_t r = 1; r < records.size(); ++r) {
    const CsvRecord& record = records[r];
    const Location at{source, static_cast<int>(record.line), 1};
    if (record.fields.size() != keys.size())
      throw Error(ExitCode::usage,
                  fmt::format("{}:{}: wanted {} fields, one for each key, got {}", file.string(),
                              record.line, keys.size(), record.fields.size()));
    std::vector<Value::Entry> entries;
    for (std::size_t k = 0; k < keys.size(); ++k)
      if (!record.fields[k].empty())
        entries.emplace_back(keys[k], Value::scalar(record.fields[k], false, at));
    items.push_back(Value::map(std::move(entries), at));
  }
  return Value::list(std::move(items), {source, 1, 1});
}

}  // namespace

Value sweep_list(const std::string& path, const Value& written, Problems& problems) {
  if (!written.is_scalar()) return written;
  std::filesystem::path file = written.text();
  if (file.is_relative() && written.at().source && !written.at().is_argument())
    file = std::filesystem::path(*written.at().source).parent_path() / file;
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
