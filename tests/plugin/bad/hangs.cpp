// Its static initialiser never returns.
#include <unistd.h>

#include "nothing.h"

namespace {
struct Hang {
  Hang() {
    while (true) ::pause();
  }
} hang;
}  // namespace

ASSAY_PLUGIN(assay::Sampler, "hangs", Nothing, "Never returns from being opened.")
