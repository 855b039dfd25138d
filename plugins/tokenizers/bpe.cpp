// Byte-pair encoding over characters (Sennrich, Haddow and Birch, 2016, "Neural machine translation
// of rare words with subword units"). Text is cut into one space at most and what follows it up to
// the next space, and merges stay within such a chunk. The most frequent pair is merged first; of
// equally frequent ones the first met when scanning the distinct chunks in order of appearance.
// Encoding applies the merges in the order learned.
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "assay.h"

namespace {

using namespace assay;

constexpr auto word = [](std::string_view rest) { return next_chunk(Chunks::words, rest); };

class CharacterBpe final : public Tokenizer {
 public:
  struct Options {
    std::int64_t merges = 1000;
    std::optional<std::int64_t> vocabulary;
    std::int64_t minimum_count = 1;
    bool unknown = false;
    static void describe(OptionList<Options>& o) {
      o.add("merges", &Options::merges, "Pairs to merge, on top of the characters of the text.")
          .at_least(0);
      o.add("vocabulary", &Options::vocabulary,
            "Tokens to learn, characters included, of which there must be no more; in place of "
            "merges.")
          .at_least(1);
      o.add("minimum_count", &Options::minimum_count,
            "Occurrences in the training text that a pair needs to be merged.")
          .at_least(1);
      o.add("unknown", &Options::unknown,
            "Gives characters that training did not show one id of their own, decoded as U+FFFD; "
            "otherwise such text is refused.");
    }
  };

  CharacterBpe(const Options& options, const TokenizerBuild&) : options_(options) {}

  void train(std::string_view text) override {
    alphabet_.learn(text);
    std::vector<std::string> pieces;
    for (std::int32_t id = 0; id < alphabet_.size(); ++id)
      utf8_append(pieces.emplace_back(), alphabet_.character(id));
    if (options_.unknown) utf8_append(pieces.emplace_back(), kReplacement);
    if (options_.vocabulary && *options_.vocabulary < static_cast<std::int64_t>(pieces.size()))
      throw Error(ExitCode::usage,
                  "tokenizer 'bpe': vocabulary: wanted " + std::to_string(*options_.vocabulary) +
                      " tokens, but the training text has " + std::to_string(alphabet_.size()) +
                      " different characters" +
                      (options_.unknown ? ", with `unknown` one more" : "") +
                      "; raise vocabulary to " + std::to_string(pieces.size()) + " or more");
    MergeGoal goal;
    goal.merges = options_.merges;
    goal.vocabulary = options_.vocabulary.value_or(0);
    goal.minimum_count = options_.minimum_count;
    goal.ties = Ties::first_met;
    const auto symbols = [&](std::string_view chunk, std::vector<std::int32_t>& ids) {
      first_symbols(chunk, ids, text, "the training text");
    };
    LearnedMerges learned =
        learn_merges(std::move(pieces), count_chunks(text, word), symbols, goal);
    note_ = learning_note(learned, goal);
    bpe_ = Bpe(std::move(learned.pieces), std::move(learned.merges));
  }

  std::int64_t vocabulary() const override { return bpe_.size(); }
  std::int32_t unknown() const override { return options_.unknown ? alphabet_.size() : -1; }

  std::vector<std::int32_t> encode(std::string_view text, const TextSource& source) const override {
    alphabet_.check(text, source);
    return bpe_.encode(text, word, [&](std::string_view chunk, std::vector<std::int32_t>& ids) {
      first_symbols(chunk, ids, text, source);
    });
  }

  std::string decode(std::span<const std::int32_t> ids) const override {
    return bpe_.decode(ids, "bpe");
  }

  std::vector<std::string> notes() const override {
    return note_.empty() ? std::vector<std::string>() : std::vector<std::string>{note_};
  }

  void state(StateIo& io) override {
    alphabet_.state(io);
    bpe_.state(io, "bpe");
  }

 private:
  void first_symbols(std::string_view chunk, std::vector<std::int32_t>& ids, std::string_view whole,
                     const TextSource& source) const {
    alphabet_.each(chunk, unknown(), whole, source, [&](std::int32_t id) { ids.push_back(id); });
  }

  Options options_;
  Alphabet alphabet_{"bpe"};
  Bpe bpe_;
  std::string note_;
};

}  // namespace

ASSAY_PLUGIN(Tokenizer, "bpe", CharacterBpe, "Byte-pair encoding over characters.")
