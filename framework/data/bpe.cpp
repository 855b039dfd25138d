#include "data/bpe.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <unordered_map>

#include "base/error.h"
#include "data/chunk_table.h"

namespace assay {
namespace {

std::size_t spread(std::uint64_t key) {
  return static_cast<std::size_t>((key * 0x9E3779B97F4A7C15u) >> 24);
}

[[noreturn]] void damaged(std::string_view owner) {
  throw Error(ExitCode::data, fmt::format("tokenizer '{}': the saved merges are damaged", owner));
}

}  // namespace

// Applies the merges to one chunk after the other. A heap of the possible merges, by rank and
// place, so that a chunk of a million symbols takes n log n.
class Bpe::Joining {
 public:
  explicit Joining(const Bpe& bpe) : bpe_(bpe) {}

  void operator()(std::vector<std::int32_t>& symbols) {
    const auto count = static_cast<std::uint32_t>(symbols.size());
    if (count < 2) return;
    before_.resize(count);
    after_.resize(count);
    ranks_.assign(count, kNoRank);
    heap_.clear();
    for (std::uint32_t at = 0; at < count; ++at) {
      before_[at] = at - 1;  // of the first: kNowhere
      after_[at] = at + 1;
    }
    for (std::uint32_t at = 0; at + 1 < count; ++at) consider(symbols, at);
    std::make_heap(heap_.begin(), heap_.end(), std::greater<>());
    while (!heap_.empty()) join_next(symbols);
    std::uint32_t kept = 0;
    for (std::uint32_t at = 0; at < count; at = after_[at]) symbols[kept++] = symbols[at];
    symbols.resize(kept);
  }

 private:
  static constexpr std::uint32_t kNowhere = ~std::uint32_t{0};

  // Appends the pair that starts at a place to the heap, if it can merge.
  bool consider(const std::vector<std::int32_t>& symbols, std::uint32_t at) {
    const std::uint32_t next = after_[at];
    const std::uint32_t rank =
        next < symbols.size() ? bpe_.rank(symbols[at], symbols[next]) : kNoRank;
    ranks_[at] = rank;
    if (rank == kNoRank) return false;
    heap_.push_back(std::uint64_t{rank} << 32 | at);
    return true;
  }

  void push(const std::vector<std::int32_t>& symbols, std::uint32_t at) {
    if (consider(symbols, at)) std::push_heap(heap_.begin(), heap_.end(), std::greater<>());
  }

  void join_next(std::vector<std::int32_t>& symbols) {
    std::pop_heap(heap_.begin(), heap_.end(), std::greater<>());
    const auto rank = static_cast<std::uint32_t>(heap_.back() >> 32);
    const auto at = static_cast<std::uint32_t>(heap_.back());
    heap_.pop_back();
    if (ranks_[at] != rank) return;  // one of the two became part of another piece
    const std::uint32_t gone = after_[at], next = after_[gone];
    symbols[at] = bpe_.results_[rank];
    ranks_[gone] = kNoRank;
    after_[at] = next;
    if (next < symbols.size()) before_[next] = at;
    push(symbols, at);
    if (before_[at] != kNowhere) push(symbols, before_[at]);
  }

  const Bpe& bpe_;
  std::vector<std::uint32_t> before_, after_, ranks_;  // by place; ranks of the pair from there on
  std::vector<std::uint64_t> heap_;                    // rank, place
};

Bpe::Bpe(std::vector<std::string> pieces, std::vector<Merge> merges)
    : pieces_(std::move(pieces)), merges_(std::move(merges)) {
  build();
}

Bpe Bpe::ranked(std::vector<std::string> pieces) {
  Bpe bpe;
  bpe.pieces_ = std::move(pieces);
  bpe.ranked_ = true;
  bpe.build();
  return bpe;
}

void Bpe::build() {
  if (ranked_) return build_ranked();
  reserve_pairs(merges_.size());
  results_.clear();
  for (const Merge& merge : merges_) {
    add_pair(merge.left, merge.right, static_cast<std::uint32_t>(results_.size()));
    results_.push_back(merge.result);
  }
}

void Bpe::build_ranked() {
  std::unordered_map<std::string_view, std::int32_t> ids;
  for (std::size_t id = 0; id < pieces_.size(); ++id)
    ids.emplace(pieces_[id], static_cast<std::int32_t>(id));
  std::vector<Merge> pairs;
  results_.clear();
  for (std::size_t id = 0; id < pieces_.size(); ++id) {
    const std::string_view piece = pieces_[id];
    results_.push_back(static_cast<std::int32_t>(id));
    for (std::size_t cut = 1; cut < piece.size(); ++cut) {
      const auto left = ids.find(piece.substr(0, cut)), right = ids.find(piece.substr(cut));
      if (left != ids.end() && right != ids.end())
        pairs.push_back({left->second, right->second, static_cast<std::int32_t>(id)});
    }
  }
  reserve_pairs(pairs.size());
  for (const Merge& pair : pairs)
    add_pair(pair.left, pair.right, static_cast<std::uint32_t>(pair.result));
  by_bytes_.clear();
  for (const auto& [bytes, id] : ids)
    if (!bytes.empty()) by_bytes_.push_back(id);
  std::sort(by_bytes_.begin(), by_bytes_.end(), [this](std::int32_t a, std::int32_t b) {
    return pieces_[static_cast<std::size_t>(a)] < pieces_[static_cast<std::size_t>(b)];
  });
}

// The ranked piece of these bytes, or -1.
std::int32_t Bpe::piece(std::string_view bytes) const {
  const auto found = std::lower_bound(by_bytes_.begin(), by_bytes_.end(), bytes,
                                      [this](std::int32_t id, std::string_view wanted) {
                                        return pieces_[static_cast<std::size_t>(id)] < wanted;
                                      });
  const bool there = found != by_bytes_.end() && pieces_[static_cast<std::size_t>(*found)] == bytes;
  return there ? *found : -1;
}

void Bpe::reserve_pairs(std::size_t count) {
  slots_.assign(2, {});
  while (slots_.size() < 2 * count + 2) slots_.resize(slots_.size() * 2);
}

// Of a pair that is given twice the first rank counts.
void Bpe::add_pair(std::int32_t left, std::int32_t right, std::uint32_t rank) {
  const std::uint64_t key = pair_key(left, right);
  const std::size_t mask = slots_.size() - 1;
  std::size_t at = spread(key) & mask;
  while (slots_[at].pair != kNoPair && slots_[at].pair != key) at = (at + 1) & mask;
  if (slots_[at].pair == kNoPair) slots_[at] = {key, rank};
}

std::uint32_t Bpe::rank(std::int32_t left, std::int32_t right) const {
  const std::uint64_t key = pair_key(left, right);
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t at = spread(key) & mask;; at = (at + 1) & mask) {
    if (slots_[at].pair == key) return slots_[at].rank;
    if (slots_[at].pair == kNoPair) return kNoRank;
  }
}

std::vector<std::int32_t> Bpe::encode(std::string_view text, NextChunk next,
                                      FirstSymbols first_symbols) const {
  ChunkTable table;
  std::vector<std::size_t> ends;  // of the ids of each distinct chunk in known
  std::vector<std::int32_t> known, symbols, ids;
  Joining join(*this);
  while (!text.empty()) {
    const std::string_view chunk = text.substr(0, next(text));
    text.remove_prefix(chunk.size());
    const auto [number, fresh] = table.number(chunk);
    if (fresh) {
      symbols.clear();
      first_symbols(chunk, symbols);
      // One symbol may be a special token, whatever the pieces.
      const std::int32_t whole = symbols.size() > 1 ? piece(chunk) : -1;
      if (whole < 0)
        join(symbols);
      else
        symbols.assign(1, whole);
      known.insert(known.end(), symbols.begin(), symbols.end());
      ends.push_back(known.size());
    }
    const std::size_t start = number == 0 ? 0 : ends[number - 1];
    for (std::size_t at = start; at < ends[number]; ++at) ids.push_back(known[at]);
  }
  return ids;
}

std::string Bpe::decode(std::span<const std::int32_t> ids, std::string_view owner) const {
  std::string text;
  for (const std::int32_t id : ids) {
    if (id < 0 || id >= size() || pieces_[static_cast<std::size_t>(id)].empty())
      throw Error(ExitCode::data,
                  fmt::format("tokenizer '{}': no id {} among {}", owner, id, size()));
    text += pieces_[static_cast<std::size_t>(id)];
  }
  return text;
}

void Bpe::state(StateIo& io, std::string_view owner) {
  std::vector<std::int64_t> merges;
  std::int64_t ranked = ranked_ ? 1 : 0;
  for (const Merge& merge : merges_)
    merges.insert(merges.end(), {merge.left, merge.right, merge.result});
  io.texts("pieces", pieces_);
  io.integers("merges", merges);
  io.integer("ranked", ranked);
  if (!io.restores()) return;

  merges_.clear();
  if (merges.size() % 3 != 0) damaged(owner);
  const auto id = [&](std::int64_t saved) {
    if (saved < 0 || saved >= size()) damaged(owner);
    return static_cast<std::int32_t>(saved);
  };
  for (std::size_t i = 0; i < merges.size(); i += 3)
    merges_.push_back({id(merges[i]), id(merges[i + 1]), id(merges[i + 2])});
  for (const auto& [left, right, result] : merges_) {
    const auto piece = [&](std::int32_t of) { return pieces_[static_cast<std::size_t>(of)]; };
    if (piece(left) + piece(right) != piece(result)) damaged(owner);
  }
  ranked_ = ranked != 0;
  build();
}

}  // namespace assay
