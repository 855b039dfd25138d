// Opens and registers; its static destructor crashes.
#include <csignal>

#include "nothing.h"

namespace {
struct Crash {
  ~Crash() {
    std::signal(SIGSEGV, SIG_DFL);
    std::raise(SIGSEGV);
  }
} crash;
}  // namespace

ASSAY_PLUGIN(assay::Sampler, "crashes_at_exit", Nothing, "Crashes when the program ends.")
