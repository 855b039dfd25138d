// Learning the merges of byte-pair encoding: the most frequent pair of neighbours becomes a piece,
// again and again.
//
//   const auto chunks = count_chunks(text, next);
//   LearnedMerges learned = learn_merges(alphabet, chunks, first_symbols, {10'000, 1, Ties::...});
//
// Incremental: each pair knows its places, and a priority queue the pairs, so a merge costs what it
// changes and not another look at the text. Deterministic.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/api.h"
#include "data/bpe.h"

namespace assay {

struct CountedChunk {
  std::string_view text;
  std::int64_t count = 0;
};

/// The distinct chunks of text, in the order in which they were first met.
ASSAY_API std::vector<CountedChunk> count_chunks(std::string_view text, NextChunk next);

/// Which of equally frequent pairs is merged first.
enum class Ties {
  first_met,  // scanning the distinct chunks, as merged so far, in order of first appearance
  lowest_ids  // lowest left id, then lowest right id: whatever the order of the text
};

struct MergeGoal {
  std::int64_t merges = 0;         // learned at most; of no account where vocabulary is given
  std::int64_t vocabulary = 0;     // pieces at most; 0: no limit
  std::int64_t minimum_count = 1;  // of a pair that is merged
  Ties ties = Ties::first_met;
};

struct LearnedMerges {
  std::vector<std::string> pieces;  // the alphabet, then what merges made
  std::vector<Merge> merges;
  std::vector<std::int64_t> counts;  // of each pair when it was merged
};

/// alphabet: the bytes of the ids that first_symbols gives. In a run of equal ids each pair of
/// neighbours counts, and merges go from left to right.
ASSAY_API LearnedMerges learn_merges(std::vector<std::string> alphabet,
                                     const std::vector<CountedChunk>& chunks,
                                     FirstSymbols first_symbols, const MergeGoal& goal);

/// "learned 3 of 44 merges: ..." if the text had no more pairs for the goal; else empty.
ASSAY_API std::string learning_note(const LearnedMerges& learned, const MergeGoal& goal);

}  // namespace assay
