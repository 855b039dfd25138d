#include <fmt/format.h>

#include <array>

#include "contract/support.h"

namespace assay {
namespace {

/// What a suite works on.
struct PluginSubject {
  Registry& registry;
  const Value& section;
  const std::filesystem::path& folder;
};

/// Prepares the plugin, and hands its maker to the suite.
template <class Interface, class Suite>
Failures check_as(const PluginSubject& subject, Failures found, const Suite& suite) {
  Problems problems;
  const Prepared<Interface> prepared =
      subject.registry.prepare<Interface>(subject.section, Interface::kKind, problems);
  problems.raise();
  const Make<Interface> make = [&](const typename Interface::Build& build) {
    return prepared.create(build);
  };
  return suite(make, check_options(prepared.entry(), std::move(found)));
}

template <class Interface, Failures (*suite)(const Make<Interface>&, Failures)>
Failures check_alone(const PluginSubject& subject, Failures found) {
  return check_as<Interface>(subject, std::move(found), suite);
}

Failures check_dataset_in(const PluginSubject& subject, Failures found) {
  return check_as<Dataset>(subject, std::move(found),
                           [&](const Make<Dataset>& make, Failures so_far) {
                             return check_dataset(make, subject.folder, std::move(so_far));
                           });
}

struct Suite {
  const char* kind;
  Failures (*check)(const PluginSubject&, Failures);
};
constexpr std::array kSuites = {
    Suite{Tokenizer::kKind, check_alone<Tokenizer, check_tokenizer>},
    Suite{Dataset::kKind, check_dataset_in},
    Suite{Model::kKind, check_alone<Model, check_model>},
    Suite{Objective::kKind, check_alone<Objective, check_objective>},
    Suite{Optimizer::kKind, check_alone<Optimizer, check_optimizer>},
    Suite{Scheduler::kKind, check_alone<Scheduler, check_scheduler>},
    Suite{Probe::kKind, check_alone<Probe, check_probe>},
    Suite{Search::kKind, check_alone<Search, check_search>},
    Suite{Pruner::kKind, check_alone<Pruner, check_pruner>},
    Suite{Sampler::kKind, check_alone<Sampler, check_sampler>},
};

}  // namespace

Failures check_plugin(Registry& registry, const std::string& kind, const Value& section,
                      const std::filesystem::path& folder, Failures found) {
  for (const Suite& suite : kSuites)
    if (kind == suite.kind) return suite.check({registry, section, folder}, std::move(found));
  found.push_back(fmt::format("there is no kind '{}'", kind));
  return found;
}

std::vector<std::string> contract_kinds() {
  std::vector<std::string> kinds;
  for (const Suite& suite : kSuites) kinds.emplace_back(suite.kind);
  return kinds;
}

}  // namespace assay
