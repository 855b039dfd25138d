// Its static initialiser ends the program as if all were well.
#include <cstdlib>

#include "nothing.h"

namespace {
struct Exit {
  Exit() { std::exit(0); }
} leave;
}  // namespace

ASSAY_PLUGIN(assay::Sampler, "exits", Nothing, "Ends the program when it is opened.")
