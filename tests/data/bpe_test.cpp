#include "data/bpe.h"

#include <gtest/gtest.h>

#include <map>

#include "base/random.h"
#include "data/bpe_training.h"
#include "data/chunks.h"
#include "support/thrown.h"

namespace assay {
namespace {

using Ids = std::vector<std::int32_t>;
using Pairs = std::vector<std::pair<std::int32_t, std::int32_t>>;

constexpr auto to_bytes = [](std::string_view chunk, Ids& ids) {
  for (const char c : chunk) ids.push_back(static_cast<unsigned char>(c));
};
constexpr auto whole = [](std::string_view rest) { return rest.size(); };
constexpr auto word = [](std::string_view rest) { return next_chunk(Chunks::words, rest); };

std::vector<std::string> all_bytes() {
  std::vector<std::string> pieces;
  for (int b = 0; b < 256; ++b) pieces.emplace_back(1, static_cast<char>(b));
  return pieces;
}

LearnedMerges learn(std::string_view text, std::int64_t merges, Ties ties = Ties::lowest_ids,
                    NextChunk next = whole) {
  return learn_merges(all_bytes(), count_chunks(text, next), to_bytes, {merges, 0, 1, ties});
}

Pairs pairs_of(const LearnedMerges& learned) {
  Pairs pairs;
  for (const Merge& merge : learned.merges) pairs.emplace_back(merge.left, merge.right);
  return pairs;
}

Bpe with(const Pairs& merges) {
  auto pieces = all_bytes();
  std::vector<Merge> made;
  for (const auto& [left, right] : merges) {
    made.push_back({left, right, static_cast<std::int32_t>(pieces.size())});
    pieces.push_back(pieces[static_cast<std::size_t>(left)] +
                     pieces[static_cast<std::size_t>(right)]);
  }
  return Bpe(std::move(pieces), std::move(made));
}

Ids encode(const Bpe& bpe, std::string_view text) {
  return bpe.encode(text, whole, to_bytes);
}

TEST(BpeTraining, MergesRunsFromLeftToRight) {
  const auto learned = learn("ponnnnpopnnnponn", 3);
  EXPECT_EQ(pairs_of(learned), (Pairs{{110, 110}, {112, 111}, {257, 256}}));
  const Bpe bpe(learned.pieces, learned.merges);
  EXPECT_EQ(encode(bpe, "ponnnnpopnnnponn"), (Ids{258, 256, 257, 112, 256, 110, 258}));
}

TEST(BpeTraining, TiesByLowestIdsDoNotDependOnTheOrderOfTheText) {
  const Pairs wanted = {{108, 111}, {111, 108}, {119, 257}, {256, 119}};
  for (const char* text : {"low\nlow\nwol\nwol", "wol\nwol\nlow\nlow"}) {
    const auto learned =
        learn_merges(all_bytes(),
                     count_chunks(text,
                                  [](std::string_view rest) {
                                    const std::size_t end = rest.find('\n');
                                    return end == 0 ? 1 : std::min(end, rest.size());
                                  }),
                     to_bytes, {4, 0, 1, Ties::lowest_ids});
    EXPECT_EQ(pairs_of(learned), wanted) << text;
  }
}

TEST(BpeTraining, TiesByFirstMetFollowTheText) {
  EXPECT_EQ(pairs_of(learn("wol low", 1, Ties::first_met, word)), (Pairs{{119, 111}}));
  EXPECT_EQ(pairs_of(learn("low wol", 1, Ties::first_met, word)), (Pairs{{108, 111}}));
}

TEST(BpeTraining, StopsWhereNoPairIsLeft) {
  for (const auto& [text, merges] :
       std::map<std::string, std::size_t>{{"", 0}, {"H", 0}, {"Hi", 1}, {"Hi Hi", 3}, {"   ", 2}}) {
    const auto learned = learn(text, 44);
    EXPECT_EQ(learned.merges.size(), merges) << text;
    EXPECT_EQ(learned.pieces.size(), 256 + merges) << text;
  }
  EXPECT_EQ(learning_note(learn("Hi Hi", 44), {44, 0, 1, Ties::lowest_ids}),
            "learned 3 of 44 merges: the training text has no other pair");
  EXPECT_EQ(learning_note(learn("Hi Hi", 3), {3, 0, 1, Ties::lowest_ids}), "");
}

TEST(BpeTraining, LearnsNothingLessFrequentThanTold) {
  const MergeGoal goal = {10, 0, 3, Ties::first_met};
  const auto learned = learn_merges(all_bytes(), count_chunks("ababab", whole), to_bytes, goal);
  EXPECT_EQ(pairs_of(learned), (Pairs{{97, 98}}));
  EXPECT_EQ(learned.counts, std::vector<std::int64_t>{3});
  EXPECT_EQ(learning_note(learned, goal), "learned 1 of 10 merges: no other pair is that frequent");
}

TEST(BpeTraining, StopsAtTheVocabularyToldFor) {
  const auto learned = learn_merges(all_bytes(), count_chunks("abcdefgh", whole), to_bytes,
                                    {0, 260, 1, Ties::first_met});
  EXPECT_EQ(learned.pieces.size(), 260U);
}

// The plain trainer: counts all pairs of all chunks again for every merge, and tells pieces apart
// by their bytes.
LearnedMerges learn_plainly(const std::vector<CountedChunk>& chunks, std::int64_t merges,
                            Ties ties) {
  LearnedMerges learned;
  learned.pieces = all_bytes();
  std::vector<Ids> symbols(chunks.size());
  for (std::size_t i = 0; i < chunks.size(); ++i) to_bytes(chunks[i].text, symbols[i]);
  while (static_cast<std::int64_t>(learned.merges.size()) < merges) {
    std::map<std::pair<std::int32_t, std::int32_t>, std::pair<std::int64_t, std::size_t>> pairs;
    for (std::size_t i = 0; i < chunks.size(); ++i)
      for (std::size_t k = 0; k + 1 < symbols[i].size(); ++k)
        pairs.try_emplace({symbols[i][k], symbols[i][k + 1]}, 0, pairs.size())
            .first->second.first += chunks[i].count;
    auto best = pairs.end();
    for (auto pair = pairs.begin(); pair != pairs.end(); ++pair) {
      const auto& [count, met] = pair->second;
      if (best == pairs.end() || count > best->second.first ||
          (count == best->second.first && ties == Ties::first_met && met < best->second.second))
        best = pair;
    }
    if (best == pairs.end()) break;
    const auto [left, right] = best->first;
    const std::string piece = learned.pieces[static_cast<std::size_t>(left)] +
                              learned.pieces[static_cast<std::size_t>(right)];
    const auto known = std::find(learned.pieces.begin(), learned.pieces.end(), piece);
    const auto result = static_cast<std::int32_t>(known - learned.pieces.begin());
    if (known == learned.pieces.end()) learned.pieces.push_back(piece);
    learned.merges.push_back({left, right, result});
    learned.counts.push_back(best->second.first);
    for (Ids& ids : symbols) {
      Ids merged;
      for (std::size_t k = 0; k < ids.size(); ++k) {
        const bool here = k + 1 < ids.size() && ids[k] == left && ids[k + 1] == right;
        merged.push_back(here ? result : ids[k]);
        if (here) ++k;
      }
      ids = merged;
    }
  }
  return learned;
}

// Applies every merge once, in the order learned.
Ids encode_plainly(const LearnedMerges& learned, Ids ids) {
  for (const auto& [left, right, result] : learned.merges) {
    Ids merged;
    for (std::size_t k = 0; k < ids.size(); ++k) {
      const bool here = k + 1 < ids.size() && ids[k] == left && ids[k + 1] == right;
      merged.push_back(here ? result : ids[k]);
      if (here) ++k;
    }
    ids = merged;
  }
  return ids;
}

std::string random_text(std::uint64_t seed) {
  const Random random(seed, "text");
  std::string text;
  const std::size_t letters = 2 + seed % 4;
  for (std::uint64_t i = 0; i < 400; ++i)
    text += random.uniform(i) < 0.08
                ? ' '
                : static_cast<char>('a' + static_cast<std::size_t>(random.uniform(1000 + i) *
                                                                   static_cast<double>(letters)));
  return text;
}

TEST(BpeTraining, EqualsRecountingEverything) {
  for (std::uint64_t seed = 0; seed < 60; ++seed)
    for (const Ties ties : {Ties::first_met, Ties::lowest_ids}) {
      const std::string text = random_text(seed);
      const NextChunk next = seed % 3 == 0 ? NextChunk(whole) : NextChunk(word);
      const auto chunks = count_chunks(text, next);
      const auto plain = learn_plainly(chunks, 60, ties);
      const auto learned = learn_merges(all_bytes(), chunks, to_bytes, {60, 0, 1, ties});
      ASSERT_EQ(pairs_of(learned), pairs_of(plain)) << "seed " << seed;
      ASSERT_EQ(learned.counts, plain.counts);
      ASSERT_EQ(learned.pieces, plain.pieces);
      const Bpe bpe(learned.pieces, learned.merges);
      Ids symbols;
      to_bytes(text, symbols);
      ASSERT_EQ(bpe.encode(text, whole, to_bytes), encode_plainly(plain, symbols));
      ASSERT_EQ(bpe.decode(encode(bpe, text), "test"), text);
    }
}

TEST(BpeTraining, EndsOnOneVeryLongChunk) {
  const auto learned = learn(std::string(1'000'003, 'z'), 100);
  EXPECT_EQ(learned.merges[0].left, 'z');
  EXPECT_EQ(learned.counts[1], 500'000);
  EXPECT_LT(learned.merges.size(), 41U);
}

TEST(Bpe, AppliesTheLowestRankFirst) {
  const Bpe bpe = with({{'b', 'c'}, {'a', 'b'}});
  EXPECT_EQ(encode(bpe, "abc"), (Ids{97, 256}));
  EXPECT_EQ(encode(bpe, "babc"), (Ids{98, 97, 256}));
  EXPECT_EQ(encode(bpe, "abbc"), (Ids{257, 256}));
  EXPECT_EQ(encode(with({{'z', 'z'}}), "zzz"), (Ids{256, 122}));
}

TEST(Bpe, EncodesAMillionEqualCharacters) {
  const Bpe bpe = with({{'z', 'z'}, {256, 256}});
  const std::string text(1'000'003, 'z');
  const Ids ids = encode(bpe, text);
  ASSERT_EQ(ids.size(), 250'002U);
  EXPECT_EQ(std::count(ids.begin(), ids.end(), 257), 250'000);
  EXPECT_EQ(ids[250'000], 256);
  EXPECT_EQ(ids[250'001], 122);
  EXPECT_EQ(bpe.decode(ids, "test"), text);
  for (const char c : {' ', '\n', 'q'}) {
    const std::string other(1'000'000, c);
    EXPECT_EQ(bpe.decode(bpe.encode(other, word, to_bytes), "test"), other);
  }
}

TEST(Bpe, RankedPiecesMergeWhereverTheirBytesAreAPiece) {
  auto pieces = all_bytes();
  for (const char* piece : {"ab", "bc", "abc", "cd", "abcd"}) pieces.push_back(piece);
  const Bpe bpe = Bpe::ranked(pieces);
  EXPECT_EQ(encode(bpe, "abc"), (Ids{258}));
  EXPECT_EQ(encode(bpe, "xabcd"), (Ids{120, 260}));
  EXPECT_EQ(encode(bpe, "bcd"), (Ids{257, 100}));
}

// As tiktoken: no merges lead to "abc", but a chunk that is a piece is that piece.
TEST(Bpe, LooksUpTheWholeChunkAmongRankedPiecesFirst) {
  auto pieces = all_bytes();
  pieces.push_back("abc");
  const auto check = [](const Bpe& bpe) {
    EXPECT_EQ(bpe.encode("abc abc", word, to_bytes), (Ids{256, 32, 97, 98, 99}));
    EXPECT_EQ(encode(bpe, "abcd"), (Ids{97, 98, 99, 100}));
  };
  Bpe bpe = Bpe::ranked(pieces);
  check(bpe);
  const Bpe copy = bpe;
  check(copy);
  State state;
  StateIo saving = StateIo::saving(state);
  bpe.state(saving, "bpe");
  Bpe restored;
  StateIo restoring = StateIo::restoring(state);
  restored.state(restoring, "bpe");
  check(restored);
}

// Merges that were learned are all that counts: no chunk is looked up.
TEST(Bpe, LooksUpNoChunkWhereMergesAreGiven) {
  auto pieces = all_bytes();
  pieces.push_back("abc");
  EXPECT_EQ(encode(Bpe(pieces, {}), "abc"), (Ids{97, 98, 99}));
}

TEST(Bpe, RefusesAnIdOutsideItsVocabulary) {
  const Bpe bpe = with({});
  EXPECT_EQ(thrown([&] { bpe.decode(Ids{256}, "bpe"); }),
            "[5] tokenizer 'bpe': no id 256 among 256");
  EXPECT_EQ(thrown([&] { bpe.decode(Ids{-1}, "bpe"); }), "[5] tokenizer 'bpe': no id -1 among 256");
}

TEST(Bpe, RefusesADamagedState) {
  State good;
  StateIo saving = StateIo::saving(good);
  Bpe bpe = with({{'a', 'b'}});
  bpe.state(saving, "bpe");
  const std::vector<std::pair<std::string, std::vector<std::int64_t>>> damages = {
      {"merges", {97, 98, 257}}, {"merges", {97, 98}}, {"merges", {98, 97, 256}},
      {"merges", {-1, 98, 256}}, {"pieces/ends", {1}}, {"pieces/ends", {}}};
  for (const auto& [entry, numbers] : damages) {
    State state = good;
    state[entry] = {{static_cast<std::int64_t>(numbers.size())}, numbers};
    StateIo restoring = StateIo::restoring(state);
    EXPECT_EQ(thrown([&] { Bpe().state(restoring, "bpe"); }),
              "[5] tokenizer 'bpe': the saved merges are damaged")
        << entry;
  }
}

}  // namespace
}  // namespace assay
