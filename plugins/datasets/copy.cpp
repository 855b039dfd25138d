// Random symbols and the same again: what goes through the memory of a model unchanged.
#include <vector>

#include "assay.h"

namespace {

using namespace assay;

struct Copy {
  using Options = SymbolTask;
  static GeneratedPairs pairs(const Options& o) {
    return o.pairs("copy", [](std::vector<std::int32_t>&) {});
  }
};

}  // namespace

ASSAY_PLUGIN(Dataset, "copy", GeneratedDataset<Copy>, "Random symbols, to be written again.")
