#include "data/entities.h"

#include <gtest/gtest.h>

namespace assay {
namespace {

using Spans = std::vector<TaggedSpan>;

Spans spans(const std::vector<std::string>& tags) {
  std::vector<std::int32_t> ids;
  for (std::size_t i = 0; i < tags.size(); ++i) ids.push_back(static_cast<std::int32_t>(i));
  return TagNames(tags).spans(ids);
}

TEST(Entities, AreReadInEveryEncoding) {
  const Spans wanted = {{"PER", 0, 1}, {"LOC", 3, 3}};
  EXPECT_EQ(spans({"B-PER", "I-PER", "O", "B-LOC"}), wanted);
  EXPECT_EQ(spans({"I-PER", "I-PER", "O", "I-LOC"}), wanted);
  EXPECT_EQ(spans({"B-PER", "E-PER", "O", "S-LOC"}), wanted);
}

TEST(Entities, BesideEachOtherAreTold) {
  EXPECT_EQ(spans({"B-PER", "B-PER"}), (Spans{{"PER", 0, 0}, {"PER", 1, 1}}));
  EXPECT_EQ(spans({"I-PER", "I-LOC"}), (Spans{{"PER", 0, 0}, {"LOC", 1, 1}}));
  EXPECT_EQ(spans({"S-PER", "S-PER", "B-PER", "E-PER"}),
            (Spans{{"PER", 0, 0}, {"PER", 1, 1}, {"PER", 2, 3}}));
}

// As seqeval's get_entities and conlleval: an I of another type, or after O, begins a span; what
// follows an end is another one.
TEST(Entities, OfBrokenTagsAreMended) {
  EXPECT_EQ(spans({"O", "I-PER", "I-LOC", "I-LOC"}), (Spans{{"PER", 1, 1}, {"LOC", 2, 3}}));
  EXPECT_EQ(spans({"B-PER", "I-LOC"}), (Spans{{"PER", 0, 0}, {"LOC", 1, 1}}));
  EXPECT_EQ(spans({"E-PER", "I-PER"}), (Spans{{"PER", 0, 0}, {"PER", 1, 1}}));
}

TEST(Entities, AreWrittenInBothSchemes) {
  const Spans there = {{"PER", 0, 2}, {"LOC", 3, 3}};
  EXPECT_EQ(tags_of(there, 5, TagScheme::iob2),
            (std::vector<std::string>{"B-PER", "I-PER", "I-PER", "B-LOC", "O"}));
  EXPECT_EQ(tags_of(there, 5, TagScheme::iobes),
            (std::vector<std::string>{"B-PER", "I-PER", "E-PER", "S-LOC", "O"}));
}

TEST(Entities, AreNotWhatPartsOfSpeechMark) {
  EXPECT_FALSE(TagNames(std::vector<std::string>{"DET", "NOUN", "O"}).mark_spans());
  EXPECT_FALSE(TagNames(std::vector<std::string>{"B-PER", "NOUN"}).mark_spans());
  EXPECT_FALSE(TagNames(std::vector<std::string>{"O"}).mark_spans());
  EXPECT_TRUE(TagNames(std::vector<std::string>{"O", "B-PER"}).mark_spans());
}

}  // namespace
}  // namespace assay
