// Random symbols and the same from the last to the first: to be read to the end before the first
// one can be written.
#include <algorithm>
#include <vector>

#include "assay.h"

namespace {

using namespace assay;

struct Reverse {
  using Options = SymbolTask;
  static GeneratedPairs pairs(const Options& o) {
    return o.pairs("reverse",
                   [](std::vector<std::int32_t>& ids) { std::reverse(ids.begin(), ids.end()); });
  }
};

}  // namespace

ASSAY_PLUGIN(Dataset, "reverse", GeneratedDataset<Reverse>,
             "Random symbols, to be written backwards.")
