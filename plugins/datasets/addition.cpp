// Sums of two random numbers, digit by digit: "123+456" to "0579". Ids 0 to 9 are the digits, 10 is
// the plus sign.
#include <algorithm>

#include "assay.h"

namespace {

using namespace assay;

constexpr std::int32_t kPlus = 10, kBoundary = 11;

class Addition {
 public:
  struct Options {
    std::int64_t seed = 1, digits = 3, validation = 1000;
    bool last_digit_first = false;
    static void describe(OptionList<Options>& o) {
      o.add("seed", &Options::seed, "Which sums; not the seed of the run.").at_least(0);
      o.add("digits", &Options::digits,
            "Digits of each number, leading zeros written; the sum has one more.")
          .at_least(2)
          .at_most(1000);
      o.add("last_digit_first", &Options::last_digit_first,
            "The sum is written from its last digit, in the order of carrying.");
      o.add("validation", &Options::validation, "Sums that are kept for validation.").at_least(1);
    }
  };

  static GeneratedPairs pairs(const Options& o) {
    return GeneratedPairs("addition", o.seed, o.validation, layout(o), [o](const Random& draw) {
      return sum(draw, static_cast<std::size_t>(o.digits), o.last_digit_first);
    });
  }

 private:
  static PairLayout layout(const Options& o) {
    return {kBoundary, kPlus, 2 * o.digits + 1, o.digits + 1, false};
  }

  static SequencePair sum(const Random& draw, std::size_t digits, bool last_digit_first) {
    SequencePair pair;
    for (std::size_t i = 0; i < 2 * digits + 1; ++i)
      pair.source.push_back(i == digits ? kPlus : static_cast<std::int32_t>(draw.below(i, 10)));
    std::int32_t carry = 0;
    for (std::size_t i = digits; i-- > 0;) {
      carry += pair.source[i] + pair.source[digits + 1 + i];
      pair.target.push_back(carry % 10);
      carry /= 10;
    }
    pair.target.push_back(carry);
    if (!last_digit_first) std::reverse(pair.target.begin(), pair.target.end());
    return pair;
  }
};

}  // namespace

ASSAY_PLUGIN(Dataset, "addition", GeneratedDataset<Addition>,
             "Sums of two numbers, digit by digit.")
