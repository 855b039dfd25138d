// Pieces with probabilities (Kudo, 2018, "Subword regularization: improving neural network
// translation models with multiple subword candidates", section 3.2). A text is the product of its
// pieces' probabilities, and is encoded as the most probable sequence of them. Learned from many
// candidates: expectation and maximisation set the probabilities, then the pieces without which the
// text would lose least are dropped, again and again. Characters always stay.
//
// Text is cut as tokenizer 'bpe' cuts it, and pieces stay within a chunk.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "assay.h"

namespace {

using namespace assay;

constexpr auto word = [](std::string_view rest) { return next_chunk(Chunks::words, rest); };
constexpr double kNever = -std::numeric_limits<double>::infinity();

double log_of_sum(double a, double b) {
  if (a < b) std::swap(a, b);
  return b == kNever ? a : a + std::log1p(std::exp(b - a));
}

struct Piece {
  std::string text;
  double score = 0;  // logarithm of its probability
};

// Bytes at which the characters of a text begin, and its end.
std::vector<std::size_t> characters_of(std::string_view text) {
  std::vector<std::size_t> starts = {0};
  for (std::size_t at = 0; at < text.size(); starts.push_back(at)) utf8_next(text, at);
  return starts;
}

// All ways to write a chunk in pieces.
class Pieces {
 public:
  Pieces() = default;
  explicit Pieces(std::vector<Piece> pieces) : pieces_(std::move(pieces)) {
    for (std::size_t id = 0; id < pieces_.size(); ++id) {
      ids_.emplace(pieces_[id].text, static_cast<std::int32_t>(id));
      longest_ = std::max(longest_, characters_of(pieces_[id].text).size() - 1);
    }
  }
  // ids_ has views of the texts, which a move leaves in place, and a copy would not.
  Pieces(Pieces&&) = default;
  Pieces& operator=(Pieces&&) = default;

  const std::vector<Piece>& all() const { return pieces_; }
  std::size_t size() const { return pieces_.size(); }
  double score(std::int32_t id) const { return pieces_[static_cast<std::size_t>(id)].score; }
  std::int32_t id(std::string_view text) const {
    const auto found = ids_.find(text);
    return found == ids_.end() ? -1 : found->second;
  }

  // The ids of the most probable way; `unknown` for a character that has no piece. Without the
  // piece `left_out`, if that is not -1. Of equally probable ways that with the longest last piece.
  std::vector<std::int32_t> best(std::string_view chunk, std::int32_t unknown,
                                 std::int32_t left_out = -1) const {
    constexpr double kUnknownScore = -100;  // worse than any piece
    const std::vector<std::size_t> starts = characters_of(chunk);
    const std::size_t length = starts.size() - 1;
    struct Step {
      double score = kNever;
      std::size_t from = 0;
      std::int32_t id = -1;
    };
    std::vector<Step> steps(length + 1);
    steps[0].score = 0;
    for (std::size_t end = 1; end <= length; ++end) {
      for (std::size_t from = end - std::min(end, longest_); from < end; ++from) {
        const std::int32_t piece = id(chunk.substr(starts[from], starts[end] - starts[from]));
        if (piece < 0 || piece == left_out) continue;
        const double total = steps[from].score + score(piece);
        if (total > steps[end].score) steps[end] = {total, from, piece};
      }
      if (steps[end].score == kNever)
        steps[end] = {steps[end - 1].score + kUnknownScore, end - 1, unknown};
    }
    std::vector<std::int32_t> ids;
    for (std::size_t at = length; at > 0; at = steps[at].from) ids.push_back(steps[at].id);
    std::reverse(ids.begin(), ids.end());
    return ids;
  }

  // Adds how often each piece is expected in `count` chunks like this one.
  void expect(std::string_view chunk, double count, std::vector<double>& expected) const {
    const std::vector<std::size_t> starts = characters_of(chunk);
    const std::size_t length = starts.size() - 1;
    std::vector<double> before(length + 1, kNever), after(length + 1, kNever);
    before[0] = after[length] = 0;
    const auto each = [&](const auto& use) {
      for (std::size_t end = 1; end <= length; ++end)
        for (std::size_t from = end - std::min(end, longest_); from < end; ++from)
          if (const auto piece = id(chunk.substr(starts[from], starts[end] - starts[from]));
              piece >= 0)
            use(from, end, piece);
    };
    struct Arc {
      std::size_t from, end;
      std::int32_t piece;
    };
    std::vector<Arc> arcs;
    each([&](std::size_t from, std::size_t end, std::int32_t piece) {
      arcs.push_back({from, end, piece});
      before[end] = log_of_sum(before[end], before[from] + score(piece));
    });
    for (std::size_t i = arcs.size(); i-- > 0;)
      after[arcs[i].from] =
          log_of_sum(after[arcs[i].from], after[arcs[i].end] + score(arcs[i].piece));
    for (const Arc& arc : arcs)
      expected[static_cast<std::size_t>(arc.piece)] +=
          count * std::exp(before[arc.from] + score(arc.piece) + after[arc.end] - before[length]);
  }

 private:
  std::vector<Piece> pieces_;
  std::unordered_map<std::string_view, std::int32_t> ids_;
  std::size_t longest_ = 1;  // characters of a piece
};

class Unigram final : public Tokenizer {
 public:
  struct Options {
    std::int64_t vocabulary = 1000, longest = 16;
    bool unknown = false;
    static void describe(OptionList<Options>& o) {
      o.add("vocabulary", &Options::vocabulary,
            "Tokens to keep, characters included, of which there must be no more.")
          .at_least(1);
      o.add("longest", &Options::longest, "Characters of a piece, at most.").at_least(1);
      o.add("unknown", &Options::unknown,
            "Gives characters that training did not show one id of their own, decoded as U+FFFD; "
            "otherwise such text is refused.");
    }
  };

  Unigram(const Options& options, const TokenizerBuild&) : options_(options) {}

  void train(std::string_view text) override {
    alphabet_.learn(text);
    const std::int64_t others = alphabet_.size() + (options_.unknown ? 1 : 0);
    if (options_.vocabulary < others)
      throw Error(ExitCode::usage,
                  "tokenizer 'unigram': vocabulary: wanted " + std::to_string(options_.vocabulary) +
                      " tokens, but the training text has " + std::to_string(alphabet_.size()) +
                      " different characters" +
                      (options_.unknown ? ", with `unknown` one more" : "") +
                      "; raise vocabulary to " + std::to_string(others) + " or more");
    const auto wanted = static_cast<std::size_t>(options_.vocabulary - (options_.unknown ? 1 : 0));
    const std::vector<CountedChunk> chunks = count_chunks(text, word);
    pieces_ = candidates(chunks, wanted);
    maximise(chunks);
    while (pieces_.size() > wanted) {
      drop(chunks, wanted);
      maximise(chunks);
    }
    note_ = pieces_.size() == wanted
                ? ""
                : "learned " + std::to_string(pieces_.size()) + " of " + std::to_string(wanted) +
                      " pieces: no others occur twice in the training text";
  }

  std::int64_t vocabulary() const override { return size() + (options_.unknown ? 1 : 0); }
  std::int32_t unknown() const override { return options_.unknown ? size() : -1; }

  std::vector<std::int32_t> encode(std::string_view text, const TextSource& source) const override {
    alphabet_.check(text, source);
    // Without merges the engine asks for each distinct chunk once.
    return Bpe().encode(text, word, [&](std::string_view chunk, std::vector<std::int32_t>& ids) {
      alphabet_.each(chunk, unknown(), text, source, [](std::int32_t) {});
      ids = pieces_.best(chunk, unknown());
    });
  }

  std::string decode(std::span<const std::int32_t> ids) const override {
    std::string text;
    for (const std::int32_t id : ids) {
      if (id < 0 || id >= vocabulary())
        throw Error(ExitCode::data, "tokenizer 'unigram': no id " + std::to_string(id) + " among " +
                                        std::to_string(vocabulary()));
      if (id == unknown())
        utf8_append(text, kReplacement);
      else
        text += pieces_.all()[static_cast<std::size_t>(id)].text;
    }
    return text;
  }

  std::vector<std::string> notes() const override {
    return note_.empty() ? std::vector<std::string>() : std::vector<std::string>{note_};
  }

  void state(StateIo& io) override {
    alphabet_.state(io);
    std::vector<std::string> texts;
    std::vector<double> scores;
    for (const Piece& piece : pieces_.all()) {
      texts.push_back(piece.text);
      scores.push_back(piece.score);
    }
    io.texts("pieces", texts);
    io.reals("scores", scores);
    if (!io.restores()) return;
    std::vector<Piece> pieces;
    bool damaged = texts.size() != scores.size();
    for (std::size_t i = 0; i < texts.size() && !damaged; ++i) {
      damaged = texts[i].empty() || utf8_error(texts[i]) != std::string::npos || !(scores[i] <= 0);
      pieces.push_back({texts[i], scores[i]});
    }
    pieces_ = Pieces(std::move(pieces));
    for (std::int32_t id = 0; id < alphabet_.size() && !damaged; ++id) {
      std::string character;
      utf8_append(character, alphabet_.character(id));
      damaged = pieces_.id(character) < 0;
    }
    if (damaged) throw Error(ExitCode::data, "tokenizer 'unigram': the saved pieces are damaged");
  }

 private:
  std::int32_t size() const { return static_cast<std::int32_t>(pieces_.size()); }

  static bool is_character(const Piece& piece) { return characters_of(piece.text).size() == 2; }

  // Parts of chunks that occur twice or more, those that cover most text first; ten times as many
  // as wanted. Probabilities as their counts.
  Pieces candidates(const std::vector<CountedChunk>& chunks, std::size_t wanted) const {
    constexpr std::size_t kTimes = 10;
    std::unordered_map<std::string_view, std::int64_t> counts;
    for (const auto& [chunk, count] : chunks) {
      const std::vector<std::size_t> starts = characters_of(chunk);
      for (std::size_t from = 0; from + 1 < starts.size(); ++from)
        for (std::size_t end = from + 1;
             end < std::min(starts.size(), from + 1 + static_cast<std::size_t>(options_.longest));
             ++end)
          counts[chunk.substr(starts[from], starts[end] - starts[from])] += count;
    }
    std::vector<Piece> pieces, longer;
    for (const auto& [text, count] : counts) {
      Piece piece = {std::string(text), static_cast<double>(count)};
      const bool single = is_character(piece);
      if (single || count > 1) (single ? pieces : longer).push_back(std::move(piece));
    }
    const auto covers = [](const Piece& piece) {
      return piece.score * static_cast<double>(characters_of(piece.text).size() - 1);
    };
    std::sort(longer.begin(), longer.end(), [&](const Piece& a, const Piece& b) {
      return covers(a) != covers(b) ? covers(a) > covers(b) : a.text < b.text;
    });
    longer.resize(std::min(longer.size(), kTimes * wanted));
    std::sort(pieces.begin(), pieces.end(),
              [](const Piece& a, const Piece& b) { return a.text < b.text; });
    pieces.insert(pieces.end(), longer.begin(), longer.end());
    double total = 0;
    for (const Piece& piece : pieces) total += piece.score;
    for (Piece& piece : pieces) piece.score = std::log(piece.score / total);
    return Pieces(std::move(pieces));
  }

  void maximise(const std::vector<CountedChunk>& chunks) {
    constexpr int kRounds = 2;
    constexpr double kLeast = 1e-3;  // a count, so that no piece becomes impossible
    for (int round = 0; round < kRounds; ++round) {
      std::vector<double> expected(pieces_.size());
      for (const auto& [chunk, count] : chunks)
        pieces_.expect(chunk, static_cast<double>(count), expected);
      double total = 0;
      for (double& count : expected) total += count = std::max(count, kLeast);
      std::vector<Piece> pieces = pieces_.all();
      for (std::size_t i = 0; i < pieces.size(); ++i)
        pieces[i].score = std::log(expected[i] / total);
      pieces_ = Pieces(std::move(pieces));
    }
  }

  // Keeps three quarters, or as many as are wanted: those whose uses, written in other pieces,
  // would lose most probability.
  void drop(const std::vector<CountedChunk>& chunks, std::size_t wanted) {
    std::vector<double> uses(pieces_.size());
    for (const auto& [chunk, count] : chunks)
      for (const std::int32_t id : pieces_.best(chunk, -1))
        uses[static_cast<std::size_t>(id)] += static_cast<double>(count);
    std::vector<std::pair<double, std::size_t>> losses;
    for (std::size_t i = 0; i < pieces_.size(); ++i) {
      const Piece& piece = pieces_.all()[i];
      if (is_character(piece)) {
        losses.emplace_back(std::numeric_limits<double>::infinity(), i);
        continue;
      }
      double other = 0;
      for (const std::int32_t id : pieces_.best(piece.text, -1, static_cast<std::int32_t>(i)))
        other += pieces_.score(id);
      losses.emplace_back(uses[i] * (piece.score - other), i);
    }
    std::sort(losses.begin(), losses.end(), [](const auto& a, const auto& b) {
      return a.first != b.first ? a.first > b.first : a.second < b.second;
    });
    losses.resize(std::max(wanted, losses.size() * 3 / 4));
    std::vector<std::size_t> kept;
    for (const auto& [loss, i] : losses) kept.push_back(i);
    std::sort(kept.begin(), kept.end());
    std::vector<Piece> pieces;
    for (const std::size_t i : kept) pieces.push_back(pieces_.all()[i]);
    pieces_ = Pieces(std::move(pieces));
  }

  Options options_;
  Alphabet alphabet_{"unigram"};
  Pieces pieces_;
  std::string note_;
};

}  // namespace

ASSAY_PLUGIN(Tokenizer, "unigram", Unigram, "Pieces with probabilities; the most probable ones.")
