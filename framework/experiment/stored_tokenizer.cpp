#include "experiment/stored_tokenizer.h"

#include <fmt/format.h>

#include <array>

#include "base/error.h"
#include "config/yaml.h"
#include "io/sha256.h"
#include "results/digest.h"
#include "results/run_file.h"

namespace assay {

StoredTokenizer read_stored_tokenizer(const std::filesystem::path& file) {
  RunRecord record = read_run(file, false);
  const Value config = read_yaml(record.config, file.string() + " (configuration)");
  const Value* section = config.find("tokenizer");
  if (!section || !section->is_map())
    throw Error(ExitCode::data,
                fmt::format("{}: run {} of {} had no tokenizer; name the result file of a run with "
                            "a section tokenizer",
                            file.string(), record.run, record.name));
  StoredTokenizer stored;
  stored.section = section->without("from").without("digest");
  stored.state = std::move(record.tokenizer);
  stored.digest = sha256_hex(write_yaml(stored.section) + digest(stored.state));
  return stored;
}

std::filesystem::path find_stored_tokenizer(const std::string& from,
                                            const std::filesystem::path& folder) {
  const std::array<std::filesystem::path, 3> places = {folder / from, from,
                                                       std::filesystem::path("results") / from};
  for (const auto& place : places)
    if (result_exists(place)) return place;
  return places[0];
}

void check_stored_tokenizer(const StoredTokenizer& stored, const Value& section,
                            const std::string& from, Problems& problems) {
  for (const auto& [key, value] : section.entries()) {
    if (key == "from") continue;
    if (key == "digest") {
      if (value.text() != stored.digest)
        problems.add(value.at(),
                     fmt::format("tokenizer.digest: {} holds another tokenizer, {}, than the one "
                                 "that was wanted, {}; name the file of that one, or remove digest",
                                 from, stored.digest, value.text()));
      continue;
    }
    const Value* held = stored.section.find(key);
    if (held && write_yaml_flow(*held) == write_yaml_flow(value)) continue;
    problems.add(value.at(),
                 fmt::format("tokenizer.{}: {}, but the tokenizer in {} has {}; remove it, or "
                             "remove from to train a new one",
                             key, write_yaml_flow(value), from,
                             held ? write_yaml_flow(*held) : "no such option"));
  }
}

void restore(Tokenizer& tokenizer, const State& state) {
  StateIo io = StateIo::restoring(state);
  tokenizer.state(io);
}

}  // namespace assay
