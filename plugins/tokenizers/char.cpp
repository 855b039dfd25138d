// One token per character (Unicode code point); ids are ranks in the sorted order of the characters
// that training showed. With `unknown: true` one more id, the last, stands for all others.
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "assay.h"

namespace {

using namespace assay;

class Char final : public Tokenizer {
 public:
  struct Options {
    bool unknown = false;
    static void describe(OptionList<Options>& o) {
      o.add("unknown", &Options::unknown,
            "Gives characters that training did not show one id of their own, decoded as U+FFFD; "
            "otherwise such text is refused.");
    }
  };

  Char(const Options& options, const TokenizerBuild&) : options_(options) {}

  void train(std::string_view text) override { alphabet_.learn(text); }

  std::int64_t vocabulary() const override { return alphabet_.size() + (options_.unknown ? 1 : 0); }

  std::int32_t unknown() const override { return options_.unknown ? alphabet_.size() : -1; }

  std::vector<std::int32_t> encode(std::string_view text, const TextSource& source) const override {
    alphabet_.check(text, source);
    std::vector<std::int32_t> ids;
    ids.reserve(text.size());
    prefault(ids.data(), text.size() * sizeof ids[0]);
    alphabet_.each(text, unknown(), text, source, [&](std::int32_t id) { ids.push_back(id); });
    return ids;
  }

  std::string decode(std::span<const std::int32_t> ids) const override {
    std::string text;
    text.reserve(ids.size());
    for (const std::int32_t id : ids) {
      if (id < 0 || id >= vocabulary())
        throw Error(ExitCode::data, "tokenizer 'char': no id " + std::to_string(id) + " among " +
                                        std::to_string(vocabulary()));
      utf8_append(text, id == unknown() ? kReplacement : alphabet_.character(id));
    }
    return text;
  }

  void state(StateIo& io) override { alphabet_.state(io); }

 private:
  Options options_;
  Alphabet alphabet_{"char"};
};

}  // namespace

ASSAY_PLUGIN(Tokenizer, "char", Char, "One token per character.")
