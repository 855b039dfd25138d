// Byte-pair encoding (Gage, 1994; Sennrich, Haddow and Birch, 2016, "Neural machine translation of
// rare words with subword units"): the engine that tokenizers of characters and of bytes share.
//
//   Bpe bpe(pieces, merges);                  // learned by learn_merges, or from files
//   std::vector<std::int32_t> ids = bpe.encode(text, next, first_symbols);
//   std::string again = bpe.decode(ids);
//
// Encoding applies the merge of lowest rank first, from left to right. For learned merges that is
// the same as each of them once, in the order learned: a merge cannot make a pair that an earlier
// one takes up, as all of a piece's occurrences are made by one and the same merge.
// Threads: const functions, any.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/api.h"
#include "base/function_ref.h"
#include "base/state.h"

namespace assay {

/// Two neighbouring ids that become one.
struct Merge {
  std::int32_t left = 0, right = 0, result = 0;
};

/// Two ids as one number, the left one first in its order.
inline std::uint64_t pair_key(std::int32_t left, std::int32_t right) {
  return std::uint64_t{static_cast<std::uint32_t>(left)} << 32 | static_cast<std::uint32_t>(right);
}

/// Bytes of the first chunk of what is left of the text, as next_chunk (data/chunks.h).
using NextChunk = FunctionRef<std::size_t(std::string_view rest)>;
/// Gives the ids that a chunk has before any merge. Called once for each distinct chunk.
using FirstSymbols = FunctionRef<void(std::string_view chunk, std::vector<std::int32_t>& symbols)>;

class ASSAY_API Bpe {
 public:
  Bpe() = default;
  /// pieces: the bytes of each id; none: there is no such id. The rank of a merge is its index.
  Bpe(std::vector<std::string> pieces, std::vector<Merge> merges);
  /// Pieces in the order of their ranks: a chunk that is a piece is that piece; in others two
  /// neighbours merge if their bytes together are a piece, the one of lowest rank first (tiktoken).
  static Bpe ranked(std::vector<std::string> pieces);

  std::int64_t size() const { return static_cast<std::int64_t>(pieces_.size()); }
  const std::vector<std::string>& pieces() const { return pieces_; }
  /// Empty for ranked pieces.
  const std::vector<Merge>& merges() const { return merges_; }

  std::vector<std::int32_t> encode(std::string_view text, NextChunk next,
                                   FirstSymbols first_symbols) const;
  /// The bytes of ids. Throws Error(data) for an id that there is not; owner names the tokenizer.
  std::string decode(std::span<const std::int32_t> ids, std::string_view owner) const;

  /// Saves and restores pieces and merges.
  void state(StateIo& io, std::string_view owner);

 private:
  struct Slot {
    std::uint64_t pair = kNoPair;
    std::uint32_t rank = 0;
  };
  class Joining;
  static constexpr std::uint64_t kNoPair = ~std::uint64_t{0};
  static constexpr std::uint32_t kNoRank = ~std::uint32_t{0};

  void build();
  void build_ranked();
  void reserve_pairs(std::size_t count);
  void add_pair(std::int32_t left, std::int32_t right, std::uint32_t rank);
  std::uint32_t rank(std::int32_t left, std::int32_t right) const;
  std::int32_t piece(std::string_view bytes) const;

  std::vector<std::string> pieces_;
  std::vector<Merge> merges_;
  bool ranked_ = false;
  std::vector<Slot> slots_ = std::vector<Slot>(1);  // open addressing, a power of two
  std::vector<std::int32_t> results_;               // by rank
  std::vector<std::int32_t> by_bytes_;              // ids of ranked pieces, in order of the pieces
};

}  // namespace assay
