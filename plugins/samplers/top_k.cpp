// The k most likely tokens, of equals the lower ids (Fan, Lewis and Dauphin, 2018, section 5.4).
#include <algorithm>
#include <limits>
#include <numeric>
#include <vector>

#include "assay.h"

namespace {

using namespace assay;

class TopK final : public Sampler {
 public:
  struct Options {
    std::int64_t k = 40;
    static void describe(OptionList<Options>& o) {
      o.add("k", &Options::k, "Tokens that are kept.").at_least(1);
    }
  };
  TopK(const Options& options, const SamplerBuild&) : k_(static_cast<std::size_t>(options.k)) {}

  void apply(std::span<float> logits) const override {
    if (k_ >= logits.size()) return;
    std::vector<std::size_t> ids(logits.size());
    std::iota(ids.begin(), ids.end(), std::size_t{0});
    const auto end = ids.begin() + static_cast<std::ptrdiff_t>(k_);
    std::nth_element(ids.begin(), end, ids.end(), [&](std::size_t a, std::size_t b) {
      return logits[a] != logits[b] ? logits[a] > logits[b] : a < b;
    });
    for (auto id = end; id != ids.end(); ++id)
      logits[*id] = -std::numeric_limits<float>::infinity();
  }

 private:
  std::size_t k_;
};

}  // namespace

ASSAY_PLUGIN(Sampler, "top_k", TopK, "Keeps the k most likely tokens.")
