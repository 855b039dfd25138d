#include "base/text.h"

#include <gtest/gtest.h>

namespace assay {
namespace {

TEST(Text, EditDistanceCountsInsertionsDeletionsReplacementsAndSwaps) {
  EXPECT_EQ(edit_distance("", ""), 0u);
  EXPECT_EQ(edit_distance("", "abc"), 3u);
  EXPECT_EQ(edit_distance("heads", "head"), 1u);
  EXPECT_EQ(edit_distance("widht", "width"), 1u);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3u);
  EXPECT_EQ(edit_distance("ca", "abc"),
            3u);  // optimal string alignment; unrestricted it would be 2
}

TEST(Text, NearMatchFindsWhatWasMeant) {
  const std::vector<std::string> names = {"width", "heads", "layers", "learning_rate"};
  EXPECT_EQ(near_match("widht", names), "width");
  EXPECT_EQ(near_match("head", names), "heads");
  EXPECT_EQ(near_match("learning_rte", names), "learning_rate");
  EXPECT_EQ(near_match("Learning-Rate", names), "learning_rate");
  EXPECT_EQ(near_match("WIDTH", names), "width");
}

TEST(Text, NearMatchDoesNotGuessWildly) {
  EXPECT_EQ(near_match("lr", {"width", "l2", "steps"}), "l2");
  EXPECT_EQ(near_match("lr", {"width", "steps"}), std::nullopt);
  EXPECT_EQ(near_match("x", {"y"}), std::nullopt);
  EXPECT_EQ(near_match("dropout", {}), std::nullopt);
  EXPECT_EQ(near_match(std::string(1'000'000, 'a'), {"aa"}), std::nullopt);
}

TEST(Text, NearMatchPrefersTheNearestThenTheFirst) {
  EXPECT_EQ(near_match("step", {"stop", "steps", "stem"}), "stop");
  EXPECT_EQ(near_match("steps", {"stops", "steps_"}), "stops");
  EXPECT_EQ(near_match("layer", {"player_", "layers"}), "layers");
}

TEST(Text, JoinReadsAsASentence) {
  EXPECT_EQ(join({}), "");
  EXPECT_EQ(join({"a"}), "a");
  EXPECT_EQ(join({"a", "b"}), "a and b");
  EXPECT_EQ(join({"a", "b", "c"}, "or"), "a, b or c");
}

TEST(Text, QuoteShowsWhatATerminalWouldHide) {
  EXPECT_EQ(quote("gpt"), "'gpt'");
  EXPECT_EQ(quote("a\nb\tc\x1b"), "'a\\nb\\tc\\x1b'");
  EXPECT_EQ(quote("\xC3\xA9\xFF"), "'\xC3\xA9\\xff'");
  EXPECT_EQ(quote("abcdef", 3), "'abc...'");
  EXPECT_EQ(quote("\xC3\xA9\xC3\xA9", 1), "'\xC3\xA9...'");
  EXPECT_EQ(double_quote("64"), "\"64\"");
}

TEST(Text, BytesAreReadable) {
  EXPECT_EQ(human_bytes(0), "0 B");
  EXPECT_EQ(human_bytes(1023), "1023 B");
  EXPECT_EQ(human_bytes(1024), "1 KiB");
  EXPECT_EQ(human_bytes(1536), "1.5 KiB");
  EXPECT_EQ(human_bytes(1024 * 1024 - 1), "1 MiB");
  EXPECT_EQ(human_bytes(16.0 * 1024 * 1024), "16 MiB");
}

TEST(Text, CountsAreGroupedByThousands) {
  EXPECT_EQ(human_count(0), "0");
  EXPECT_EQ(human_count(999), "999");
  EXPECT_EQ(human_count(112065), "112,065");
  EXPECT_EQ(human_count(-1000), "-1,000");
  EXPECT_EQ(human_count(INT64_MIN), "-9,223,372,036,854,775,808");
}

TEST(Text, DurationsAreReadable) {
  EXPECT_EQ(human_duration(0.35), "350 ms");
  EXPECT_EQ(human_duration(0.9999), "1.0 s");
  EXPECT_EQ(human_duration(59.96), "1 min 00 s");
  EXPECT_EQ(human_duration(245), "4 min 05 s");
  EXPECT_EQ(human_duration(3599.7), "1 h 00 min");
  EXPECT_EQ(human_duration(12000), "3 h 20 min");
  EXPECT_EQ(human_duration(187200), "2 d 04 h");
  EXPECT_EQ(human_duration(-1), "?");
}

}  // namespace
}  // namespace assay
