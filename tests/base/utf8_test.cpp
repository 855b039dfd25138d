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

}  // namespace
}  // namespace assay
