// Random symbols and the same from the last to the first: to be read to the end before the first
// one can be written.
#include <algorithm>
#include <string>
#include <vector>

#include "assay.h"

namespace {

using namespace assay;

class Reverse final : public Dataset {
 public:
  struct Options {
    std::int64_t seed = 1, symbols = 10, length = 10, validation = 1000;
    std::optional<std::int64_t> shortest;
    static void describe(OptionList<Options>& o) {
      o.add("seed", &Options::seed, "Which sequences; not the seed of the run.").at_least(0);
      o.add("symbols", &Options::symbols, "Different symbols.").at_least(2).at_most(1e6);
      o.add("length", &Options::length, "Symbols of a sequence, or of the longest.").at_least(1);
      o.add("shortest", &Options::shortest,
            "Symbols of the shortest; not set: all have the same length.")
          .at_least(1);
      o.add("validation", &Options::validation, "Sequences that are kept for validation.")
          .at_least(1);
      o.rule([](const Options& r) {
        return r.shortest && *r.shortest > r.length ? "shortest must not be more than length" : "";
      });
    }
  };

  Reverse(const Options& o, const DatasetBuild&)
      : pairs_(SymbolTask{o.seed, o.symbols, o.length, o.validation, o.shortest.value_or(0)}.pairs(
            "reverse",
            [](std::vector<std::int32_t>& ids) { std::reverse(ids.begin(), ids.end()); })) {}

  void load() override {}
  void tokenize(const Tokenizer* tokenizer) override { pairs_.tokenize(tokenizer); }
  DataSpec spec(const Request&) const override { return pairs_.spec(); }
  std::int64_t examples(Split split, const Request&) const override {
    return pairs_.examples(split);
  }
  Batch batch(Split split, std::span<const Example> examples, const Request&) const override {
    return pairs_.batch(split, examples);
  }
  std::string digest() const override { return pairs_.digest(); }

 private:
  GeneratedPairs pairs_;
};

}  // namespace

ASSAY_PLUGIN(Dataset, "reverse", Reverse, "Random symbols, to be written backwards.")
