#include "data/bpe_training.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <queue>
#include <unordered_map>

#include "base/error.h"
#include "data/chunk_table.h"

namespace assay {
namespace {

using Place = std::uint32_t;  // index of a symbol, over all distinct chunks in order
constexpr Place kNowhere = std::numeric_limits<Place>::max();
constexpr std::int32_t kGone = -1;  // in place of a symbol that became part of the one before

class Learning {
 public:
  Learning(std::vector<std::string> alphabet, const MergeGoal& goal) : goal_(goal) {
    learned_.pieces = std::move(alphabet);
  }

  void add_chunk(const std::vector<std::int32_t>& symbols, std::int64_t count) {
    if (symbols_.size() + symbols.size() >= kNowhere)
      throw Error(ExitCode::data, fmt::format("the distinct chunks have more than {} symbols; "
                                              "learn from a part of the text",
                                              kNowhere));
    const auto first = static_cast<Place>(symbols_.size());
    for (const std::int32_t symbol : symbols) {
      const auto at = static_cast<Place>(symbols_.size());
      before_.push_back(at == first ? kNowhere : at - 1);
      after_.push_back(at + 1 == first + symbols.size() ? kNowhere : at + 1);
      symbols_.push_back(symbol);
      counts_.push_back(count);
    }
    for (Place at = first; at + 1 < symbols_.size(); ++at) add_place(at);
  }

  LearnedMerges learn() {
    announce_changed();
    while (wanted()) {
      const std::int64_t pair = most_frequent();
      if (pair < 0) break;
      merge(static_cast<std::uint32_t>(pair));
      announce_changed();
    }
    return std::move(learned_);
  }

 private:
  struct Pair {
    std::int32_t left = 0, right = 0;
    std::int64_t count = 0;
    std::vector<Place> places;  // ascending; some may have gone since
    std::size_t first = 0;      // those before have gone
    bool changed = false;
  };
  // What a pair was like when it was put on the queue, which is when the younger of its two pieces
  // was made: since then its count may only have fallen, and its first place moved on.
  struct Candidate {
    std::int64_t count;
    std::uint64_t tie;
    std::uint32_t pair;
    bool operator<(const Candidate& other) const {
      return count != other.count ? count < other.count : tie > other.tie;
    }
  };

  bool wanted() const {
    if (goal_.vocabulary > 0)
      return static_cast<std::int64_t>(learned_.pieces.size()) < goal_.vocabulary;
    return static_cast<std::int64_t>(learned_.merges.size()) < goal_.merges;
  }

  Pair& pair_at(Place at) {
    const std::int32_t left = symbols_[at], right = symbols_[after_[at]];
    const auto [found, fresh] =
        numbers_.emplace(pair_key(left, right), static_cast<std::uint32_t>(pairs_.size()));
    if (fresh) pairs_.push_back({left, right, 0, {}, 0, false});
    return pairs_[found->second];
  }

  void add_place(Place at) {
    Pair& pair = pair_at(at);
    pair.count += counts_[at];
    pair.places.push_back(at);
    if (pair.changed) return;
    pair.changed = true;
    changed_.push_back(static_cast<std::uint32_t>(&pair - pairs_.data()));
  }

  bool stands_at(const Pair& pair, Place at) const {
    return symbols_[at] == pair.left && after_[at] != kNowhere &&
           symbols_[after_[at]] == pair.right;
  }

  Candidate candidate(std::uint32_t number) {
    Pair& pair = pairs_[number];
    if (goal_.ties == Ties::lowest_ids)
      return {pair.count, pair_key(pair.left, pair.right), number};
    while (!stands_at(pair, pair.places[pair.first])) ++pair.first;
    return {pair.count, pair.places[pair.first], number};
  }

  // Puts the pairs that have new places on the queue.
  void announce_changed() {
    for (const std::uint32_t number : changed_) {
      Pair& pair = pairs_[number];
      pair.changed = false;
      if (pair.count >= goal_.minimum_count) queue_.push(candidate(number));
    }
    changed_.clear();
  }

  std::int64_t most_frequent() {
    while (!queue_.empty()) {
      const Candidate top = queue_.top();
      queue_.pop();
      const Pair& pair = pairs_[top.pair];
      if (pair.count < std::max<std::int64_t>(1, goal_.minimum_count)) continue;
      const Candidate now = candidate(top.pair);
      if (now.count == top.count && now.tie == top.tie) return top.pair;
      queue_.push(now);
    }
    return -1;
  }

  void merge(std::uint32_t number) {
    const Pair pair = std::move(pairs_[number]);
    pairs_[number] = {pair.left, pair.right, pair.count, {}, 0, false};
    const auto result = static_cast<std::int32_t>(learned_.pieces.size());
    learned_.pieces.push_back(learned_.pieces[static_cast<std::size_t>(pair.left)] +
                              learned_.pieces[static_cast<std::size_t>(pair.right)]);
    learned_.merges.push_back({pair.left, pair.right, result});
    learned_.counts.push_back(pair.count);
    for (std::size_t i = pair.first; i < pair.places.size(); ++i)
      if (stands_at(pair, pair.places[i])) join(pair.places[i], result);
  }

  void join(Place at, std::int32_t result) {
    const Place gone = after_[at], next = after_[gone], before = before_[at];
    pair_at(at).count -= counts_[at];
    if (before != kNowhere) pair_at(before).count -= counts_[at];
    if (next != kNowhere) pair_at(gone).count -= counts_[at];
    symbols_[at] = result;
    symbols_[gone] = kGone;
    after_[at] = next;
    if (next != kNowhere) before_[next] = at;
    if (before != kNowhere) add_place(before);
    if (next != kNowhere) add_place(at);
  }

  MergeGoal goal_;
  LearnedMerges learned_;
  std::vector<std::int32_t> symbols_;  // by place
  std::vector<Place> before_, after_;  // neighbours in the chunk
  std::vector<std::int64_t> counts_;   // of the chunk
  std::vector<Pair> pairs_;
  std::unordered_map<std::uint64_t, std::uint32_t> numbers_;  // of the pairs
  std::vector<std::uint32_t> changed_;
  std::priority_queue<Candidate> queue_;
};

}  // namespace

std::vector<CountedChunk> count_chunks(std::string_view text, NextChunk next) {
  ChunkTable table;
  std::vector<CountedChunk> counted;
  while (!text.empty()) {
    const std::string_view chunk = text.substr(0, next(text));
    text.remove_prefix(chunk.size());
    const auto [number, fresh] = table.number(chunk);
    if (fresh) counted.push_back({chunk, 0});
    ++counted[number].count;
  }
  return counted;
}

LearnedMerges learn_merges(std::vector<std::string> alphabet,
                           const std::vector<CountedChunk>& chunks, FirstSymbols first_symbols,
                           const MergeGoal& goal) {
  Learning learning(std::move(alphabet), goal);
  std::vector<std::int32_t> symbols;
  for (const auto& [text, count] : chunks) {
    symbols.clear();
    first_symbols(text, symbols);
    learning.add_chunk(symbols, count);
  }
  return learning.learn();
}

std::string learning_note(const LearnedMerges& learned, const MergeGoal& goal) {
  const auto made = static_cast<std::int64_t>(learned.merges.size());
  const auto missing = goal.vocabulary > 0
                           ? goal.vocabulary - static_cast<std::int64_t>(learned.pieces.size())
                           : goal.merges - made;
  if (missing <= 0) return {};
  const std::string_view why = goal.minimum_count > 1 ? "no other pair is that frequent"
                                                      : "the training text has no other pair";
  return fmt::format("learned {} of {} merges: {}", made, made + missing, why);
}

}  // namespace assay
