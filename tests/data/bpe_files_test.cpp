#include "data/bpe_files.h"

#include <gtest/gtest.h>

#include "support/thrown.h"

namespace assay {
namespace {

std::string gpt2(std::string_view vocabulary, std::string_view merges = "") {
  return thrown([&] { parse_gpt2_files(vocabulary, "vocab.json", merges, "merges.txt"); });
}
std::string ranks(std::string_view text) {
  return thrown([&] { parse_rank_file(text, "x.tiktoken"); });
}

TEST(BpeFiles, SayWhatIsNoVocabulary) {
  const std::string not_it =
      "; this is not the vocab.json of a GPT-2 vocabulary, which is {\"token\": id, ...}";
  EXPECT_EQ(gpt2(""), "[5] vocab.json:1: wanted '{', got the end of the file" + not_it);
  EXPECT_EQ(gpt2("[1]"), "[5] vocab.json:1: wanted '{', got '[1]'" + not_it);
  EXPECT_EQ(gpt2("{\n\"a\": -1}"), "[5] vocab.json:2: wanted an id, got '-1}'" + not_it);
  EXPECT_EQ(gpt2("{\"a\": 0} x"),
            "[5] vocab.json:1: wanted nothing behind the object, got 'x'" + not_it);
  EXPECT_EQ(gpt2("{\"\\uD800\": 0}"),
            "[5] vocab.json:1: wanted the second half of a character, got '\": 0}'" + not_it);
}

TEST(BpeFiles, SayWhichTokenIsWrong) {
  EXPECT_EQ(gpt2("{\"a\": 0,\n\"a\": 1}"), "[5] vocab.json:2: token 'a' stands in line 1 already");
  EXPECT_EQ(gpt2("{\"a\": 0, \"b\": 0}"), "[5] vocab.json:1: id 0 is taken already");
  EXPECT_EQ(
      gpt2("{\"a\": 99999999}"),
      "[5] vocab.json:1: id 99999999 for one of 1 tokens: wanted ids from 0 on with few gaps");
  EXPECT_EQ(
      gpt2("{\"a\": 0}"),
      "[5] vocab.json: byte 0x00 has no token, so that some texts could not be encoded; wanted "
      "the vocabulary of a byte-level encoding");
}

TEST(BpeFiles, SayWhichMergeIsWrong) {
  EXPECT_EQ(gpt2("{\"a\": 0}", "#version: 0.2\na b\n"),
            "[5] merges.txt:2: 'b' is no token of vocab.json");
  EXPECT_EQ(gpt2("{\"a\": 0}", "a\n"),
            "[5] merges.txt:1: wanted two tokens with a space between, got 'a'");
}

TEST(BpeFiles, SayWhichRankIsWrong) {
  EXPECT_EQ(ranks("YQ== 0\nYQ== 1\n"), "[5] x.tiktoken:2: token 'a' stands in line 1 already");
  EXPECT_EQ(ranks("YQ=\n"),
            "[5] x.tiktoken:1: wanted a token in base64, a space and its rank, got 'YQ='");
  EXPECT_EQ(ranks("a b"),
            "[5] x.tiktoken:1: wanted a token in base64, a space and its rank, got 'a b'");
}

}  // namespace
}  // namespace assay
