#include <fmt/format.h>

#include <iterator>

#include "contract/support.h"

namespace assay {
namespace {

/// Prepares the plugin, and hands its maker to the suite.
template <class Interface, class Suite>
Failures check_as(Registry& registry, const Value& section, const Suite& suite) {
  Problems problems;
  const Prepared<Interface> prepared =
      registry.prepare<Interface>(section, Interface::kKind, problems);
  if (!prepared) return {problems.text()};
  Failures failures = check_options(prepared.entry());
  const Make<Interface> make = [&](const typename Interface::Build& build) {
    return prepared.create(build);
  };
  Failures more = suite(make);
  failures.insert(failures.end(), std::make_move_iterator(more.begin()),
                  std::make_move_iterator(more.end()));
  return failures;
}

}  // namespace

Failures check_plugin(Registry& registry, const std::string& kind, const Value& section,
                      const std::filesystem::path& folder) {
  if (kind == Tokenizer::kKind) return check_as<Tokenizer>(registry, section, check_tokenizer);
  if (kind == Dataset::kKind)
    return check_as<Dataset>(
        registry, section, [&](const Make<Dataset>& make) { return check_dataset(make, folder); });
  if (kind == Model::kKind) return check_as<Model>(registry, section, check_model);
  if (kind == Objective::kKind) return check_as<Objective>(registry, section, check_objective);
  if (kind == Optimizer::kKind) return check_as<Optimizer>(registry, section, check_optimizer);
  if (kind == Scheduler::kKind) return check_as<Scheduler>(registry, section, check_scheduler);
  if (kind == Sampler::kKind) return check_as<Sampler>(registry, section, check_sampler);
  return {fmt::format("there is no kind '{}'", kind)};
}

}  // namespace assay
