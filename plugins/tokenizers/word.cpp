// One token per word, figure or run of other signs; what training did not show, or too rarely, is
// one token, <unk>. Ids go by frequency, the most frequent first, equals in the order in which they
// were met; <unk> is the last.
#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "assay.h"

namespace {

using namespace assay;

constexpr const char* kUnknown = "<unk>";

constexpr auto next_word = [](std::string_view rest) { return next_chunk(Chunks::gpt2, rest); };

bool is_blank(std::string_view chunk) {
  for (std::size_t at = 0; at < chunk.size();)
    if (!is_space(utf8_next(chunk, at))) return false;
  return true;
}

class Word final : public Tokenizer {
 public:
  struct Options {
    std::optional<std::int64_t> vocabulary;
    std::int64_t minimum_count = 1;
    std::string spaces = "keep";
    bool lowercase = false;
    bool unknown = true;
    static void describe(OptionList<Options>& o) {
      o.add("vocabulary", &Options::vocabulary,
            "Tokens at most, <unk> included: the most frequent. Default: all.")
          .at_least(2);
      o.add("minimum_count", &Options::minimum_count,
            "Occurrences in the training text that a word needs to have an id.")
          .at_least(1);
      o.add("spaces", &Options::spaces,
            "keep: the space before a word belongs to it, and decoding gives the text back; drop: "
            "words only, decoded with one space between.")
          .one_of({"keep", "drop"});
      o.add("lowercase", &Options::lowercase, "Letters A to Z become a to z.");
      o.add("unknown", &Options::unknown,
            "Words without an id become <unk>; otherwise such text is refused.");
      o.rule(
          "without unknown every word of the training text needs an id: remove vocabulary and "
          "minimum_count",
          [](const Options& w) { return w.unknown || (!w.vocabulary && w.minimum_count == 1); });
    }
  };

  Word(const Options& options, const TokenizerBuild&) : options_(options) {}

  void train(std::string_view text) override {
    check_utf8(text, "the training text", "word");
    std::vector<std::pair<std::string, std::int64_t>> counted;
    std::unordered_map<std::string, std::size_t> numbers;
    for (const auto& [chunk, count] : count_chunks(text, next_word)) {
      std::string word = word_of(chunk);
      if (word.empty()) continue;
      const auto [known, fresh] = numbers.emplace(word, counted.size());
      if (fresh) counted.emplace_back(std::move(word), 0);
      counted[known->second].second += count;
    }
    std::stable_sort(counted.begin(), counted.end(),
                     [](const auto& a, const auto& b) { return a.second > b.second; });
    const auto limit = static_cast<std::size_t>(
        options_.vocabulary ? *options_.vocabulary - 1 : static_cast<std::int64_t>(counted.size()));
    words_.clear();
    for (const auto& [word, count] : counted)
      if (words_.size() < limit && count >= options_.minimum_count) words_.push_back(word);
    number_words();
  }

  std::int64_t vocabulary() const override { return size() + (options_.unknown ? 1 : 0); }
  std::int32_t unknown() const override { return options_.unknown ? size() : -1; }

  std::vector<std::int32_t> encode(std::string_view text, const TextSource& source) const override {
    check_utf8(text, source, "word");
    // Without merges the engine looks each distinct chunk up once.
    return Bpe().encode(text, next_word,
                        [&](std::string_view chunk, std::vector<std::int32_t>& ids) {
                          const std::string word = word_of(chunk);
                          if (word.empty()) return;
                          const auto found = ids_.find(word);
                          if (found == ids_.end() && !options_.unknown) refuse(chunk, text, source);
                          ids.push_back(found == ids_.end() ? unknown() : found->second);
                        });
  }

  std::string decode(std::span<const std::int32_t> ids) const override {
    std::string text;
    for (const std::int32_t id : ids) {
      if (id < 0 || id >= vocabulary())
        throw Error(ExitCode::data, "tokenizer 'word': no id " + std::to_string(id) + " among " +
                                        std::to_string(vocabulary()));
      if (options_.spaces == "drop" && !text.empty()) text += ' ';
      text += id == unknown() ? kUnknown : words_[static_cast<std::size_t>(id)];
    }
    return text;
  }

  void state(StateIo& io) override {
    io.texts("words", words_);
    if (io.restores()) number_words();
  }

 private:
  std::int32_t size() const { return static_cast<std::int32_t>(words_.size()); }

  [[noreturn]] static void refuse(std::string_view chunk, std::string_view text,
                                  const TextSource& source) {
    const auto start = static_cast<std::size_t>(chunk.data() - text.data());
    throw Error(ExitCode::data,
                std::string(source.name) + ": the word " + quote(chunk) + " at character " +
                    std::to_string(utf8_count(source.before) + utf8_count(text.substr(0, start))) +
                    " (counted from 0) is not in the training text; set `unknown: true` for "
                    "tokenizer 'word' to read such words as <unk>, or train on text that has it");
  }

  // Empty where spaces are dropped and the chunk has nothing else.
  std::string word_of(std::string_view chunk) const {
    if (options_.spaces == "drop") {
      if (is_blank(chunk)) return {};
      if (chunk.front() == ' ') chunk.remove_prefix(1);
    }
    std::string word(chunk);
    if (options_.lowercase)
      for (char& c : word)
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    return word;
  }

  void number_words() {
    ids_.clear();
    for (std::size_t id = 0; id < words_.size(); ++id)
      ids_.emplace(words_[id], static_cast<std::int32_t>(id));
  }

  Options options_;
  std::vector<std::string> words_;
  std::unordered_map<std::string, std::int32_t> ids_;
};

}  // namespace

ASSAY_PLUGIN(Tokenizer, "word", Word, "One token per word, with <unk> for unknown ones.")
