// The bundled plugins by name, as an experiment file names them.
//
//   auto adam = make<Optimizer>("{type: adam, learning_rate: 0.1}", OptimizerBuild{parameters});
#pragma once

#include <memory>
#include <string>

#include "config/yaml.h"
#include "plugin/registry.h"
#include "support/trees.h"

namespace assay {

/// Throws what a run would: problems of the options as Error(usage) without excerpts, and what the
/// constructor throws.
template <class Interface>
std::unique_ptr<Interface> make(const std::string& yaml, const typename Interface::Build& build) {
  Registry registry({ASSAY_BUNDLED_PLUGINS});
  Problems problems;
  const auto prepared =
      registry.prepare<Interface>(read_yaml(yaml, "test.yaml"), Interface::kKind, problems);
  if (!problems.empty()) throw Error(ExitCode::usage, messages(problems.text()));
  return prepared.create(build);
}

}  // namespace assay
