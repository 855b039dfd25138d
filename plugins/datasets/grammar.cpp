// Lines of a play that nobody wrote, from a source whose entropy is known exactly: how far a model
// is from the best possible one can be said to the last digit.
//
//   QUEEN:
//   But these fair stars of the sea fear thy crown today,
//   Now my lord keeps the rose in sight.
//
// What there is to learn, from near to far: spelling; the order of words; the number of the
// subject, which the verb takes up across a phrase (stars of the sea fear, lord keeps); the
// closing, which must rhyme as the opening of the line has set; the words that belong to one
// speaker, or to one of two, for as long as he speaks; who answers whom.
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "assay.h"

namespace {

using namespace assay;

using Words = std::vector<std::string>;

struct Speaker {
  std::string name;
  Words adjectives, possessions;
  std::vector<std::pair<std::string, std::int64_t>> replies;  // who answers, and how often
};

struct Opening {
  std::string word;
  Words closings;
};

struct Number {
  Words determiners;
  std::string noun_ending, verb_ending;
};

std::vector<Speaker> speakers() {
  return {
      {"KING",
       {"proud", "noble", "bold", "grave"},
       {"crown", "sword", "throne", "land"},
       {{"QUEEN", 3}, {"FOOL", 2}, {"GHOST", 1}}},
      {"QUEEN",
       {"proud", "noble", "fair", "sweet"},
       {"crown", "heart", "veil", "rose"},
       {{"KING", 3}, {"FOOL", 1}, {"GHOST", 2}}},
      {"FOOL",
       {"old", "poor", "merry", "mad"},
       {"song", "bell", "jest", "cup"},
       {{"KING", 4}, {"QUEEN", 1}, {"GHOST", 1}}},
      {"GHOST",
       {"old", "poor", "dark", "lost"},
       {"song", "tomb", "name", "dream"},
       {{"KING", 2}, {"QUEEN", 1}, {"FOOL", 3}}},
  };
}

// A node is named by what is still to be remembered there: speaker, opening, number.
PhraseTable phrases() {
  const std::vector<Opening> openings = {{"Now", {"tonight", "in sight", "by candle light"}},
                                         {"But", {"away", "today", "and so we pray"}},
                                         {"Yet", {"in vain", "again", "in wind and rain"}},
                                         {"So", {"no more", "ashore", "as long before"}}};
  const std::vector<Number> numbers = {{{"this", "my", "each"}, "", "s"},
                                       {{"these", "our", "all"}, "s", ""}};
  const Words nouns = {"lord", "maid", "son", "crow", "friend", "star"};
  const Words places = {"of the sea", "of Rome", "in the hall", "by the wall"};
  const Words verbs = {"love", "fear", "seek", "find", "hold", "keep"};
  const Words articles = {"the", "thy", "his"};

  PhraseTable table;
  for (const Speaker& speaker : speakers()) {
    const std::string& who = speaker.name;
    for (const auto& [answer, weight] : speaker.replies)
      table["after " + who].push_back({answer + ":\n", weight, "line " + answer});
    table["end " + who] = {
        {",\n", 3, "line " + who}, {".\n\n", 1, "after " + who}, {"!\n\n", 1, "after " + who}};
    for (const Opening& opening : openings) {
      const std::string line = who + " " + opening.word;
      table["line " + who].push_back({opening.word + " ", 1, "subject " + line});
      for (const Number& number : numbers) {
        const std::string clause = line + " " + number.verb_ending;
        for (const std::string& word : number.determiners)
          table["subject " + line].push_back({word + " ", 1, "head " + clause});
        for (const std::string& word : speaker.adjectives)
          table["head " + clause].push_back({word + " ", 1, "noun " + clause});
        for (const std::string& word : nouns)
          for (const char* node : {"head ", "noun "})
            table[node + clause].push_back({word + number.noun_ending + " ", 1, "tail " + clause});
        for (const std::string& word : places)
          table["tail " + clause].push_back({word + " ", 1, "verb " + clause});
        for (const std::string& word : verbs)
          for (const char* node : {"tail ", "verb "})
            table[node + clause].push_back({word + number.verb_ending + " ", 1, "object " + line});
      }
      for (const std::string& word : articles)
        table["object " + line].push_back({word + " ", 1, "thing " + line});
      for (const std::string& word : speaker.possessions)
        table["thing " + line].push_back({word + " ", 1, "closing " + line});
      for (const std::string& words : opening.closings)
        table["closing " + line].push_back({words, 1, "end " + who});
    }
  }
  return table;
}

class Grammar final : public Dataset {
 public:
  struct Options {
    std::int64_t seed = 1, length = 200'000;
    double validation = 0.1;
    static void describe(OptionList<Options>& o) {
      o.add("seed", &Options::seed, "Which text; not the seed of the run.").at_least(0);
      o.add("length", &Options::length,
            "Characters; a longer text of the same seed begins with every shorter one.")
          .at_least(1);
      o.add("validation", &Options::validation,
            "Share of the characters, at the end, that is kept for validation.")
          .at_least(0)
          .below(1);
    }
  };

  Grammar(const Options& options, const DatasetBuild&)
      : options_(options), source_(spell(phrases(), "after KING")), entropies_(source_) {}

  void load() override {
    std::string name = "grammar (seed " + std::to_string(options_.seed) + ", " +
                       std::to_string(options_.length) + " characters)";
    text_ =
        WindowedText(source_.generate(static_cast<std::uint64_t>(options_.seed), options_.length),
                     std::move(name), options_.validation);
  }

  std::optional<std::string_view> text(Split split) const override { return text_.text(split); }
  void tokenize(const Tokenizer* tokenizer) override { text_.tokenize(tokenizer); }
  DataSpec spec(const Request& request) const override { return text_.spec(request); }
  std::int64_t examples(Split split, const Request& request) const override {
    return text_.examples(split, request);
  }
  Batch batch(Split split, std::span<const Example> examples,
              const Request& request) const override {
    return text_.batch(split, examples, request);
  }
  std::vector<Example> cover(Split split, const Request& request) const override {
    return text_.cover(split, request);
  }
  std::string digest() const override { return sha256_hex(text_.whole()); }

  std::vector<std::pair<std::string, std::string>> facts() const override {
    auto facts = text_.facts();
    facts.emplace_back("states of the source", std::to_string(source_.states()));
    facts.emplace_back("entropy rate nats/character", std::to_string(source_.entropy_rate()));
    return facts;
  }

  // Position i of a window (from 1) sees i characters of it, and the history before it. Known per
  // character only.
  std::optional<Limit> limit(const Request& request) const override {
    if (text_.tokens(Split::train) != static_cast<std::int64_t>(text_.text(Split::train).size()))
      return std::nullopt;
    const std::lock_guard lock(mutex_);
    const double least = entropies_.mean(request.history + 1, request.history + request.context);
    std::string meaning = "entropy of the source given what stands before in a window of " +
                          std::to_string(request.context) + " characters";
    if (request.history > 0)
      meaning += " and the " + std::to_string(request.history) + " before it";
    return Limit{least, std::move(meaning)};
  }

 private:
  Options options_;
  UnifilarSource source_;
  WindowedText text_;
  mutable std::mutex mutex_;
  mutable ConditionalEntropies entropies_;
};

}  // namespace

ASSAY_PLUGIN(Dataset, "grammar", Grammar,
             "Play-like text from a source whose entropy is known exactly.")
