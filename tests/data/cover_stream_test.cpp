#include "data/cover_stream.h"

#include <gtest/gtest.h>

#include "data/letters.h"
#include "data/windowed_text.h"

namespace assay {
namespace {

class Alphabet final : public Dataset {
 public:
  void load() override { tokenize(nullptr); }
  void tokenize(const Tokenizer*) override {
    const Letters letters;
    text_.tokenize(&letters);
  }
  DataSpec spec(const Request& request) const override { return text_.spec(request); }
  std::int64_t examples(Split split, const Request& request) const override {
    return text_.examples(split, request);
  }
  Batch batch(Split split, std::span<const Example> examples,
              const Request& request) const override {
    return text_.batch(split, examples, request);
  }
  std::vector<Example> cover(Split split, const Request& request) const override {
    return text_.cover(split, request);
  }
  std::string digest() const override { return {}; }

 private:
  WindowedText text_{"abcdefghijklmnopqrstuvwxyz", "alphabet", 0};
};

std::vector<std::int32_t> targets(CoverStream& stream) {
  std::vector<std::int32_t> all;
  while (const auto batch = stream.next()) {
    EXPECT_LE(batch->size(), 2);
    for (const std::int32_t id : batch->ids("target").values)
      if (id >= 0) all.push_back(id);
  }
  return all;
}

TEST(CoverStream, ShowsEachTargetOnceInOrderAndAgainAfterRewinding) {
  Alphabet alphabet;
  alphabet.load();
  CoverStream stream(alphabet, Split::train, {4, 3}, 2);
  std::vector<std::int32_t> expected;
  for (std::int32_t id = 4; id < 26; ++id) expected.push_back(id);
  EXPECT_EQ(targets(stream), expected);
  EXPECT_FALSE(stream.next().has_value());
  stream.rewind();
  EXPECT_EQ(targets(stream), expected);
}

}  // namespace
}  // namespace assay
