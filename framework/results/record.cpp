#include "results/record.h"

namespace assay {

std::string_view name(RunStatus status) {
  switch (status) {
    case RunStatus::done:
      return "done";
    case RunStatus::stopped:
      return "stopped";
    case RunStatus::running:
      return "running";
    case RunStatus::pruned:
      return "pruned";
    case RunStatus::failed:
      break;
  }
  return "failed";
}

}  // namespace assay
