// Its static initialiser throws: std::terminate says what, and aborts.
#include <stdexcept>

#include "nothing.h"

namespace {
struct Throw {
  Throw() { throw std::runtime_error("no licence for this table"); }
} thrower;
}  // namespace

ASSAY_PLUGIN(assay::Sampler, "aborts", Nothing, "Aborts when it is opened.")
