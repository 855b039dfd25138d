#include "base/utf8.h"

#include <gtest/gtest.h>

namespace assay {
namespace {

constexpr std::size_t kNone = std::string_view::npos;

TEST(Utf8, AcceptsTheFirstAndLastCodePointOfEachLength) {
  EXPECT_EQ(utf8_error("\x01\x7F"), kNone);
  EXPECT_EQ(utf8_error("\xC2\x80\xDF\xBF"), kNone);
  EXPECT_EQ(utf8_error("\xE0\xA0\x80\xED\x9F\xBF\xEE\x80\x80\xEF\xBF\xBF"), kNone);
  EXPECT_EQ(utf8_error("\xF0\x90\x80\x80\xF4\x8F\xBF\xBF"), kNone);
  EXPECT_EQ(utf8_error(std::string_view("\0", 1)), kNone);
}

TEST(Utf8, NamesTheFirstByteThatIsWrong) {
  EXPECT_EQ(utf8_error("a\xFFz"), 1u);
  EXPECT_EQ(utf8_error("ab\x80"), 2u);            // a continuation byte alone
  EXPECT_EQ(utf8_error("\xC3"), 0u);              // cut short
  EXPECT_EQ(utf8_error("\xC3\xA9\xE2\x82"), 2u);  // cut short after a good one
  EXPECT_EQ(utf8_error("\xC0\xAF"), 0u);          // overlong '/'
  EXPECT_EQ(utf8_error("\xE0\x9F\xBF"), 0u);      // overlong
  EXPECT_EQ(utf8_error("\xF0\x8F\xBF\xBF"), 0u);  // overlong
  EXPECT_EQ(utf8_error("\xED\xA0\x80"), 0u);      // a surrogate
  EXPECT_EQ(utf8_error("\xF4\x90\x80\x80"), 0u);  // above U+10FFFF
  EXPECT_EQ(utf8_error("\xE2\x28\xA1"), 0u);      // no continuation
}

TEST(Utf8, EveryCodePointIsDecodedAsItWasEncoded) {
  for (char32_t c = 0; c <= 0x10FFFF; ++c) {
    if (c >= 0xD800 && c <= 0xDFFF) continue;
    std::string text;
    utf8_append(text, c);
    ASSERT_EQ(utf8_error(text), kNone) << std::uint32_t{c};
    std::size_t at = 0;
    ASSERT_EQ(utf8_next(text, at), c);
    ASSERT_EQ(at, text.size());
  }
}

TEST(Utf8, CountsCodePointsNotBytes) {
  EXPECT_EQ(utf8_count(""), 0u);
  EXPECT_EQ(utf8_count("na\xC3\xAFve \xE2\x82\xAC \xF0\x9F\x98\x80"), 9u);
}

TEST(Utf8, FindsWhereTheFirstSoManyCodePointsEnd) {
  const std::string text = "a\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80z";
  EXPECT_EQ(utf8_bytes(text, 0), 0u);
  EXPECT_EQ(utf8_bytes(text, 2), 3u);
  EXPECT_EQ(utf8_bytes(text, 4), 10u);
  EXPECT_EQ(utf8_bytes(text, 5), text.size());
  EXPECT_EQ(utf8_bytes(text, 6), text.size());
}

// Counted by words; whatever stands where in a word, as one byte after the other.
TEST(Utf8, CountsAlikeAtEachPlaceInAWord) {
  const std::string some =
      "ab\xC3\xA9\xE2\x82\xAC"
      "c\xF0\x9F\x98\x80\x80\x80";
  std::string text;
  for (int i = 0; i < 9; ++i) text += some + "x";
  for (std::size_t from = 0; from < 20; ++from) {
    for (std::size_t size = 0; from + size <= text.size(); ++size) {
      const std::string_view part = std::string_view(text).substr(from, size);
      std::size_t count = 0;
      for (std::size_t at = 0; at < size; ++at) {
        if ((static_cast<unsigned char>(part[at]) & 0xC0u) == 0x80u) continue;
        ASSERT_EQ(utf8_bytes(part, count), at) << from << " " << size;
        ++count;
      }
      ASSERT_EQ(utf8_count(part), count) << from << " " << size;
    }
  }
}

// One byte at a time, as byte tokens arrive.
std::string streamed(std::string_view bytes) {
  Utf8Decoder decoder;
  std::string shown;
  for (const char byte : bytes) {
    const std::string more = decoder.add({&byte, 1});
    EXPECT_EQ(utf8_error(more), kNone);
    shown += more;
  }
  return shown + decoder.finish();
}

TEST(Utf8Decoder, ShowsACharacterWhenItIsComplete) {
  Utf8Decoder decoder;
  EXPECT_EQ(decoder.add("\xC3"), "");
  EXPECT_EQ(decoder.add("\xA9\xF0\x9F"), "\u00e9");
  EXPECT_EQ(decoder.add("\x99"), "");
  EXPECT_EQ(decoder.add("\x82!"), "\U0001F642!");
  EXPECT_EQ(decoder.finish(), "");
}

TEST(Utf8Decoder, ReplacesEachLongestBeginningOfACharacter) {
  for (const auto& [bytes, wanted] : std::vector<std::pair<std::string, std::string>>{
           {"\xC3\xA9\xF0\x9F\x99\x82", "\u00e9\U0001F642"},
           {"\xF0\x9F\x99", "\uFFFD"},
           {"\xE2\x82"
            "A",
            "\uFFFD"
            "A"},
           {"\x80", "\uFFFD"},
           {"\xC0\xAF", "\uFFFD\uFFFD"},
           {"\xED\xA0\x80", "\uFFFD\uFFFD\uFFFD"},
           {"\xF0\x9F\xF0\x9F\x99\x82", "\uFFFD\U0001F642"}}) {
    EXPECT_EQ(streamed(bytes), wanted);
    EXPECT_EQ(utf8_repaired(bytes), wanted);
  }
}

TEST(Utf8Decoder, InAnyPiecesShowsWhatTheWholeShows) {
  const std::string bytes = "a\xC3\xA9\xE2\x82z\xF0\x9F\x99\x82\xED\xA0\x80\xFFq\xF4\x8F";
  for (std::size_t cut = 0; cut <= bytes.size(); ++cut) {
    Utf8Decoder decoder;
    std::string shown = decoder.add(bytes.substr(0, cut));
    shown += decoder.add(bytes.substr(cut));
    EXPECT_EQ(shown + decoder.finish(), utf8_repaired(bytes)) << cut;
  }
}

}  // namespace
}  // namespace assay
