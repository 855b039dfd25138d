// Its static initialiser dies of SIGSEGV (raised, so that a sanitizer does not take it for its
// own).
#include <csignal>

#include "nothing.h"

namespace {
struct Crash {
  Crash() {
    std::signal(SIGSEGV, SIG_DFL);
    std::raise(SIGSEGV);
  }
} crash;
}  // namespace

ASSAY_PLUGIN(assay::Sampler, "crashes", Nothing, "Crashes when it is opened.")
