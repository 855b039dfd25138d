#include "cli/chosen_samplers.h"

#include <fmt/format.h>

#include <string>
#include <string_view>

#include "base/error.h"
#include "base/text.h"
#include "cli/request.h"
#include "train/beam_search.h"

namespace assay {
namespace {

[[noreturn]] void refuse_samplers(const std::string& what) {
  throw Error(ExitCode::usage, fmt::format("sample: {}; {}", what, kSampleUsage));
}

}  // namespace

Samplers chosen_samplers(const Arguments& arguments, Registry& registry) {
  const std::string asked = arguments.value("sampler").value_or("");
  std::vector<std::string> settings = read_settings("sample", arguments, 1, kSampleUsage);
  if (!settings.empty() && asked.empty())
    refuse_samplers(quote(settings[0]) + " is an option of a sampler, and --sampler names none");
  Problems problems;
  const Location at = Location::of("sample");
  Samplers samplers;
  const auto add = [&](const std::string& type, std::vector<std::string> own) {
    if (type == asked) own.insert(own.end(), settings.begin(), settings.end());
    const auto prepared =
        registry.prepare<Sampler>(plugin_section(type, own, at, problems), "sampler", problems);
    problems.raise();
    samplers.push_back(prepared.create({}));
  };
  struct Standard {
    const char *option, *type, *key;
  };
  bool found = asked.empty();
  for (const auto& [option, type, key] :
       {Standard{"temperature", "temperature", "temperature"}, Standard{"k", "top_k", "k"},
        Standard{"p", "top_p", "p"}, Standard{"min-p", "min_p", "p"},
        Standard{"beam", "beam", "width"}}) {
    std::vector<std::string> own;
    const auto take = [&](const char* name, const char* as) {
      if (const auto value = arguments.value(name)) own.push_back(fmt::format("{}={}", as, *value));
    };
    take(option, key);
    found = found || asked == type;
    if (own.empty() && asked != type) continue;
    if (type == std::string_view("beam")) {
      take("width", "width");
      take("length-penalty", "length_penalty");
    }
    add(type, own);
  }
  if (!found) add(asked, {});
  const auto beam = beam_of(samplers);
  for (const char* own : {"width", "length-penalty"})
    if (!beam && arguments.has(own))
      refuse_samplers(fmt::format("--{} is for --sampler beam", own));
  if (arguments.has("beam") && arguments.has("width"))
    refuse_samplers("--beam says the width of the beam already: remove --width");
  if (!samplers.empty() && arguments.has("score"))
    refuse_samplers("--score is of the model's own distribution: no sampler goes with it");
  return samplers;
}

}  // namespace assay
