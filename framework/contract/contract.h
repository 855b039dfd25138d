// What any plugin of a kind must do, whoever wrote it. The suites know no plugin: they make
// objects, use them as the framework would, and say what does not hold, one sentence each.
//
//   for (const std::string& failure : check_plugin(registry, "optimizer", section, folder)) ...
//
// Threads: one calls; the suites start pools of their own. What an object throws becomes a failure.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/api.h"
#include "contract/failures.h"
#include "interfaces/dataset.h"
#include "interfaces/model.h"
#include "interfaces/objective.h"
#include "interfaces/optimizer.h"
#include "interfaces/probe.h"
#include "interfaces/pruner.h"
#include "interfaces/sampler.h"
#include "interfaces/scheduler.h"
#include "interfaces/search.h"
#include "interfaces/tokenizer.h"
#include "plugin/registry.h"

namespace assay {

// Each suite adds to what was found before, and returns all of it.

/// Makes an object with the options under test; called several times.
template <class Interface>
using Make = std::function<std::unique_ptr<Interface>(const typename Interface::Build&)>;

/// Decoding gives the text back, and any bytes where it says so (takes_any_bytes); saved and restored, it gives equal ids; two that saw the same text
/// are equal.
ASSAY_API Failures check_tokenizer(const Make<Tokenizer>& make, Failures found = {});

/// Batches and digest are functions of the options; ids are within the vocabulary; every example
/// exists. folder: where relative paths of its options start.
ASSAY_API Failures check_dataset(const Make<Dataset>& make, const std::filesystem::path& folder,
                                 Failures found = {});

/// On rows of 6 ids out of 11: gradients agree with differences; a causal model does not
/// look ahead; no model looks at the targets; rows do not see each other; any number of threads gives the same bits; the cache changes nothing; what
/// counting learnt is a distribution, and survives saving.
ASSAY_API Failures check_model(const Make<Model>& make, Failures found = {});

/// The loss of a batch is the sum over its rows; ignored targets weigh nothing; gradients agree
/// with differences.
ASSAY_API Failures check_objective(const Make<Objective>& make, Failures found = {});

/// Saved and restored midway equals uninterrupted, bit for bit; a learning rate of 0 leaves all as
/// it is, any other moves what is trainable, and only that; the same bits from 1 and 3 threads.
ASSAY_API Failures check_optimizer(const Make<Optimizer>& make, Failures found = {});

/// A pure function of the step: finite, not negative, above 0 at update 0, constant after the end.
ASSAY_API Failures check_scheduler(const Make<Scheduler>& make, Failures found = {});

/// What is forbidden stays forbidden, and something always stays allowed.
ASSAY_API Failures check_sampler(const Make<Sampler>& make, Failures found = {});

/// It measures something, in whole tables; the same bits from 1 and 3 threads, unless it measures
/// time.
ASSAY_API Failures check_probe(const Make<Probe>& make, Failures found = {});

/// As many points as asked for, in the unit cube, the same for the same trials; failed trials and
/// values that are all equal are no obstacle.
ASSAY_API Failures check_search(const Make<Search>& make, Failures found = {});

/// Rungs increase and lie within the run; decisions are the same for the same rung, and of equal
/// runs not all are stopped.
ASSAY_API Failures check_pruner(const Make<Pruner>& make, Failures found = {});

/// Every option has a help text; the defaults satisfy bounds and rules, and are read back as they
/// are written.
ASSAY_API Failures check_options(const PluginEntry& plugin, Failures found = {});

/// The options and the suite of the kind, for the plugin and the options that a section names.
ASSAY_API Failures check_plugin(Registry& registry, const std::string& kind, const Value& section,
                                const std::filesystem::path& folder, Failures found = {});

/// The kinds that have a suite.
ASSAY_API std::vector<std::string> contract_kinds();

}  // namespace assay
