// Random symbols and the same in order, smallest first.
#include <algorithm>
#include <vector>

#include "assay.h"

namespace {

using namespace assay;

struct Sort {
  using Options = SymbolTask;
  static GeneratedPairs pairs(const Options& o) {
    return o.pairs("sort",
                   [](std::vector<std::int32_t>& ids) { std::sort(ids.begin(), ids.end()); });
  }
};

}  // namespace

ASSAY_PLUGIN(Dataset, "sort", GeneratedDataset<Sort>, "Random symbols, to be written in order.")
