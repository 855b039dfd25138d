// Work with a plugin in a child of this process, so that a plugin that crashes or calls exit ends
// the child only.
//
//   const Ending ending = run_contained([&](const Said& said) { said("forward"); ...; return
//   ExitCode::done; }); if (!ending.finished) throw Error(ExitCode::plugin, ending.how + " in " +
//   ending.during);
//
// REQUIRES that this process has one thread. What the work writes with write(2) goes where it would
// have gone.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "base/api.h"
#include "base/error.h"

namespace assay {

struct Ending {
  bool finished = false;           // the work returned or threw
  ExitCode code = ExitCode::done;  // what it returned, or that of the Error it threw
  std::string thrown;              // the message of that error
  std::string during;              // what it said last
  std::string how;  // if it did not finish: "crashes with signal 11 (Segmentation fault)"
};

using Said = std::function<void(std::string_view)>;

ASSAY_API Ending run_contained(const std::function<ExitCode(const Said&)>& work);

/// How a process ended that should not have: status as waitpid gives it.
ASSAY_API std::string how_it_ended(int status);

}  // namespace assay
