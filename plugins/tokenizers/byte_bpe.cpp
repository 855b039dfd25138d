// Byte-pair encoding over bytes (Radford et al., 2019, "Language models are unsupervised multitask
// learners"): every text has an encoding. Learned from the training text, or read from the files of
// a published vocabulary. The most frequent pair is merged first; of equally frequent ones that
// with the lowest left id, then the lowest right id.
#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "assay.h"

namespace {

using namespace assay;

constexpr std::size_t kBytes = 256;
constexpr const char* kName = "byte_bpe";

struct Special {
  std::string text;
  std::int32_t id = 0;
};

// Cuts a text into chunks; special tokens that are read are chunks of their own, the longest first.
class Cutter {
 public:
  Cutter(Chunks rule, const std::vector<Special>& read, std::string_view text)
      : rule_(rule), read_(read), text_(text), places_(read.size()) {
    for (std::size_t i = 0; i < read.size(); ++i) places_[i] = text.find(read[i].text);
  }

  std::size_t operator()(std::string_view rest) {
    const auto at = static_cast<std::size_t>(rest.data() - text_.data());
    std::size_t nearest = text_.size(), length = 0;
    for (std::size_t i = 0; i < read_.size(); ++i) {
      if (places_[i] < at) places_[i] = text_.find(read_[i].text, at);
      if (places_[i] > nearest || places_[i] == text_.npos) continue;
      length = places_[i] < nearest ? read_[i].text.size() : std::max(length, read_[i].text.size());
      nearest = places_[i];
    }
    if (nearest == at && length > 0) return length;
    return next_chunk(rule_, rest.substr(0, nearest - at));
  }

 private:
  Chunks rule_;
  const std::vector<Special>& read_;
  std::string_view text_;
  std::vector<std::size_t> places_;  // of the next of each
};

class ByteBpe final : public Tokenizer {
 public:
  struct Options {
    std::int64_t merges = 1000;
    std::optional<std::int64_t> vocabulary;
    std::int64_t minimum_count = 1;
    std::string split = "gpt2";
    std::vector<std::string> special;
    bool read_special = false;
    std::string vocabulary_file, merges_file, rank_file;
    static void describe(OptionList<Options>& o) {
      o.add("merges", &Options::merges, "Pairs to merge, on top of the 256 bytes.").at_least(0);
      o.add("vocabulary", &Options::vocabulary,
            "Tokens to learn: 256 bytes, merges and special tokens; in place of merges.")
          .at_least(static_cast<double>(kBytes));
      o.add("minimum_count", &Options::minimum_count,
            "Occurrences in the training text that a pair needs to be merged.")
          .at_least(1);
      o.add("split", &Options::split,
            "Which chunks of text no token crosses: gpt2 and gpt4 are those of these models "
            "(letters, figures, other signs, each with the space before); none: the text is one.")
          .one_of({"gpt2", "gpt4", "none"});
      o.add("special", &Options::special,
            "Texts with an id of their own, such as <|endoftext|>. They get the ids that are left, "
            "in this order.");
      o.add(
          "read_special", &Options::read_special,
          "Takes the text of a special token, in data and prompts, for the token. Otherwise it is "
          "text like any other, so that data cannot play the part of control.");
      o.add("vocabulary_file", &Options::vocabulary_file,
            "vocab.json of a published vocabulary, with merges_file; nothing is learned then.")
          .names_file();
      o.add("merges_file", &Options::merges_file, "merges.txt that belongs to vocabulary_file.")
          .names_file();
      o.add("rank_file", &Options::rank_file,
            "A published vocabulary in tiktoken's format; nothing is learned then.")
          .names_file();
      o.rule("vocabulary_file and merges_file belong together: give both, or neither",
             [](const Options& b) { return b.vocabulary_file.empty() == b.merges_file.empty(); });
      o.rule("rank_file is a vocabulary, and so are vocabulary_file and merges_file: give one",
             [](const Options& b) { return b.rank_file.empty() || b.merges_file.empty(); });
      o.rule("special: a token needs at least one character", [](const Options& b) {
        return std::count(b.special.begin(), b.special.end(), "") == 0;
      });
      o.rule("special: a token must not stand there twice", [](const Options& b) {
        return std::set(b.special.begin(), b.special.end()).size() == b.special.size();
      });
      o.rule("vocabulary must have room for 256 bytes and the special tokens",
             [](const Options& b) {
               return !b.vocabulary ||
                      *b.vocabulary >= static_cast<std::int64_t>(kBytes + b.special.size());
             });
    }
  };

  ByteBpe(const Options& options, const TokenizerBuild& build) : options_(options), build_(build) {}

  void train(std::string_view text) override {
    if (!options_.rank_file.empty())
      bpe_ = read_rank_file(build_.folder / options_.rank_file);
    else if (!options_.vocabulary_file.empty())
      bpe_ = read_gpt2_files(build_.folder / options_.vocabulary_file,
                             build_.folder / options_.merges_file);
    else
      learn(text);
    number_special();
    byte_ids_ = byte_ids(bpe_, kName);
  }

  std::int64_t vocabulary() const override {
    std::int64_t size = bpe_.size();
    for (const Special& special : special_) size = std::max<std::int64_t>(size, special.id + 1);
    return size;
  }

  std::int32_t special(std::string_view text) const override {
    for (const Special& special : special_)
      if (special.text == text) return special.id;
    return -1;
  }

  bool takes_any_bytes() const override { return true; }

  std::vector<std::int32_t> encode(std::string_view text, const TextSource&) const override {
    Cutter cut(rule(), read(), text);
    return bpe_.encode(text, cut, [&](std::string_view chunk, std::vector<std::int32_t>& ids) {
      for (const Special& special : read())
        if (chunk == special.text) return ids.push_back(special.id);
      for (const char c : chunk) ids.push_back(byte_ids_[static_cast<unsigned char>(c)]);
    });
  }

  std::string decode(std::span<const std::int32_t> ids) const override {
    std::string text;
    for (const std::int32_t& id : ids) {
      const auto special = std::find_if(special_.begin(), special_.end(),
                                        [&](const Special& s) { return s.id == id; });
      text += special != special_.end() ? special->text : bpe_.decode({&id, 1}, kName);
    }
    return text;
  }

  std::vector<std::string> notes() const override {
    return note_.empty() ? std::vector<std::string>() : std::vector<std::string>{note_};
  }

  void state(StateIo& io) override {
    bpe_.state(io, kName);
    std::vector<std::string> texts;
    std::vector<std::int64_t> ids;
    for (const Special& special : special_) {
      texts.push_back(special.text);
      ids.push_back(special.id);
    }
    io.texts("special/texts", texts);
    io.integers("special/ids", ids);
    if (!io.restores()) return;
    const auto fits = [](std::int64_t id) { return id >= 0 && id <= 1 << 30; };
    if (texts.size() != ids.size() || !std::all_of(ids.begin(), ids.end(), fits))
      throw Error(ExitCode::data, "tokenizer 'byte_bpe': the saved special tokens are damaged");
    special_.clear();
    for (std::size_t i = 0; i < ids.size(); ++i)
      special_.push_back({texts[i], static_cast<std::int32_t>(ids[i])});
    byte_ids_ = byte_ids(bpe_, "tokenizer 'byte_bpe': the saved vocabulary");
  }

 private:
  Chunks rule() const {
    if (options_.split == "gpt4") return Chunks::gpt4;
    return options_.split == "none" ? Chunks::none : Chunks::gpt2;
  }

  const std::vector<Special>& read() const { return options_.read_special ? special_ : none_; }

  void learn(std::string_view text) {
    std::vector<std::string> pieces;
    for (std::size_t byte = 0; byte < kBytes; ++byte)
      pieces.emplace_back(1, static_cast<char>(byte));
    // Special tokens that are read are no text to learn from.
    std::vector<Special> told;
    if (options_.read_special)
      for (const std::string& special : options_.special) told.push_back({special, 0});
    Cutter cut(rule(), told, text);
    std::vector<CountedChunk> chunks = count_chunks(text, cut);
    chunks.erase(std::remove_if(chunks.begin(), chunks.end(),
                                [&](const CountedChunk& chunk) {
                                  return std::any_of(
                                      told.begin(), told.end(),
                                      [&](const Special& s) { return s.text == chunk.text; });
                                }),
                 chunks.end());
    MergeGoal goal;
    goal.merges = options_.merges;
    if (options_.vocabulary)
      goal.vocabulary = *options_.vocabulary - static_cast<std::int64_t>(options_.special.size());
    goal.minimum_count = options_.minimum_count;
    goal.ties = Ties::lowest_ids;
    const auto symbols = [](std::string_view chunk, std::vector<std::int32_t>& ids) {
      for (const char c : chunk) ids.push_back(static_cast<unsigned char>(c));
    };
    LearnedMerges learned = learn_merges(std::move(pieces), chunks, symbols, goal);
    note_ = learning_note(learned, goal);
    bpe_ = Bpe(std::move(learned.pieces), std::move(learned.merges));
  }

  // A text that the vocabulary has keeps its id; others take gaps among the ids, then those behind.
  void number_special() {
    special_.clear();
    std::size_t next = 0;
    const auto& pieces = bpe_.pieces();
    for (const std::string& text : options_.special) {
      const auto known = std::find(pieces.begin(), pieces.end(), text);
      const bool published = !options_.vocabulary_file.empty() && known != pieces.end();
      if (!published)
        while (next < pieces.size() && !pieces[next].empty()) ++next;
      const std::size_t id = published ? static_cast<std::size_t>(known - pieces.begin()) : next++;
      special_.push_back({text, static_cast<std::int32_t>(id)});
    }
  }

  Options options_;
  TokenizerBuild build_;
  Bpe bpe_;
  std::array<std::int32_t, kBytes> byte_ids_{};
  std::vector<Special> special_;
  const std::vector<Special> none_;
  std::string note_;
};

}  // namespace

ASSAY_PLUGIN(Tokenizer, "byte_bpe", ByteBpe, "Byte-pair encoding over bytes, as GPT-2's.")
