#include "cli/stop_texts.h"

#include <gtest/gtest.h>

#include "base/utf8.h"

namespace assay {
namespace {

std::string shown(const std::vector<std::string>& stops, const std::vector<std::string>& pieces) {
  StopTexts until(stops);
  std::string text;
  for (const std::string& piece : pieces) text += until.add(piece) + "|";
  return text + until.finish();
}

TEST(StopTexts, HoldBackWhatMayBecomeOne) {
  EXPECT_EQ(shown({"END"}, {"a", "E", "N", "b", "E"}),
            "a||"
            "|ENb||E");
}
TEST(StopTexts, EndTheTextBeforeTheFirst) {
  EXPECT_EQ(shown({"END", "x"}, {"aE", "NDx", "more"}), "a|||");
  EXPECT_EQ(shown({"\n\n"}, {"one\n", "\ntwo"}), "one||");
}
TEST(StopTexts, OfNothingAreNone) {
  EXPECT_EQ(shown({""}, {"a", "b"}), "a|b|");
}

// D37: bytes one at a time, put together, are the repaired whole.
TEST(StopTexts, LetBytesThroughOneAtATime) {
  for (const std::string bytes : {"\xC3\xA9\xF0\x9F\x99\x82", "\xF0\x9F\x99",
                                  "\xE2\x82"
                                  "A",
                                  "\x80", "\xC0\xAF", "\xED\xA0\x80"}) {
    StopTexts until({"\xF0\x9F\x99\x82!"});
    Utf8Decoder decoder;
    std::string text;
    for (const char byte : bytes) text += decoder.add(until.add({&byte, 1}));
    text += decoder.add(until.finish());
    text += decoder.finish();
    EXPECT_EQ(text, utf8_repaired(bytes));
  }
}

}  // namespace
}  // namespace assay
