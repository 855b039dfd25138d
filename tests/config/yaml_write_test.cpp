#include <gtest/gtest.h>

#include "base/random.h"
#include "base/utf8.h"
#include "config/yaml.h"
#include "support/trees.h"

namespace assay {
namespace {

bool same(const Value& a, const Value& b) {
  if (a.kind() != b.kind() || a.text() != b.text() || a.quoted() != b.quoted()) return false;
  if (a.items().size() != b.items().size() || a.entries().size() != b.entries().size())
    return false;
  for (std::size_t i = 0; i < a.items().size(); ++i)
    if (!same(a.items()[i], b.items()[i])) return false;
  for (std::size_t i = 0; i < a.entries().size(); ++i)
    if (a.entries()[i].first != b.entries()[i].first ||
        !same(a.entries()[i].second, b.entries()[i].second))
      return false;
  return true;
}

TEST(YamlWrite, IsBlockStyleInOrder) {
  const Value root = read_yaml(
      "{name: gpt, model: {type: gpt, widths: [1, 2], none: {}}, list: [[1, 2], {a: b, c: []}], n: "
      "~}",
      "f.yaml");
  EXPECT_EQ(write_yaml(root),
            "name: gpt\n"
            "model:\n"
            "  type: gpt\n"
            "  widths:\n"
            "    - 1\n"
            "    - 2\n"
            "  none: {}\n"
            "list:\n"
            "  - - 1\n"
            "    - 2\n"
            "  - a: b\n"
            "    c: []\n"
            "n: null\n");
  EXPECT_EQ(write_yaml_flow(root),
            "{name: gpt, model: {type: gpt, widths: [1, 2], none: {}}, list: [[1, 2], {a: b, c: "
            "[]}], n: null}");
}

TEST(YamlWrite, KeepsNumbersAsWritten) {
  EXPECT_EQ(write_yaml(read_yaml("[6e-3, 010, 1.10, +5, 1e-08]", "f.yaml")),
            "- 6e-3\n- 010\n- 1.10\n- +5\n- 1e-08\n");
}

TEST(YamlWrite, QuotesTextThatPlainStyleWouldChange) {
  const auto written = [](const char* text) {
    return write_yaml_flow(Value::scalar(text, false, {}));
  };
  EXPECT_EQ(written("a b"), "a b");
  EXPECT_EQ(written("http://x/y#z"), "http://x/y#z");
  EXPECT_EQ(written("-1"), "-1");
  EXPECT_EQ(written(""), "\"\"");
  EXPECT_EQ(written("null"), "\"null\"");
  EXPECT_EQ(written("a: b"), "\"a: b\"");
  EXPECT_EQ(written("a #b"), "\"a #b\"");
  EXPECT_EQ(written("- a"), "\"- a\"");
  EXPECT_EQ(written("x,y"), "\"x,y\"");
  EXPECT_EQ(written("<<"), "\"<<\"");
  EXPECT_EQ(written("a\nb\t\"\\"), "\"a\\nb\\t\\\"\\\\\"");
  EXPECT_EQ(written("\x04\xC2\x85\xEF\xBB\xBF"), "\"\\x04\\x85\\ufeff\"");
}

TEST(YamlWrite, RefusesTextThatIsNotUtf8) {
  EXPECT_EQ(error_of([] { write_yaml(Value::scalar("a\xFF", true, {})); }),
            "'a\\xff' is not UTF-8 and cannot be written as YAML");
}

// Random trees of awkward text: signs of YAML, words, numbers, control characters, other scripts.
class RandomTree {
 public:
  explicit RandomTree(std::uint64_t seed) : draw_(seed, "trees") {}

  Value value(int depth) {
    switch (below(depth > 4 ? 2 : 4)) {
      case 0: {
        const bool quoted = below(2) == 0;
        const std::string written = quoted ? text() : word();
        return Value::scalar(written, quoted, {});
      }
      case 1:
        return below(4) == 0 ? Value() : Value::scalar(word(), false, {});
      case 2: {
        std::vector<Value> items;
        for (auto n = below(4); n > 0; --n) items.push_back(value(depth + 1));
        return Value::list(std::move(items), {});
      }
      default: {
        Value map = Value::map({}, {});
        for (auto n = below(5); n > 0; --n)
          map = map.with(below(2) ? text() : word(), value(depth + 1));
        return map;
      }
    }
  }

 private:
  std::uint64_t below(std::uint64_t n) { return draw_.below(count_++, n); }

  // Text that YAML reads back as it stands, without quotes.
  std::string word() {
    static constexpr std::string_view words[] = {"gpt",
                                                 "64",
                                                 "-1",
                                                 "1e-08",
                                                 "0x10",
                                                 "true",
                                                 "no",
                                                 "1.10",
                                                 "a b",
                                                 "x:y",
                                                 "a#b",
                                                 "-x",
                                                 ".5",
                                                 "it's",
                                                 "a\"b",
                                                 "2001-01-01",
                                                 "\xC3\xA9t\xC3\xA9"};
    return std::string(words[below(std::size(words))]);
  }

  std::string text() {
    static constexpr std::string_view pieces[] = {
        ":", " ",    "#",  "-",   "?",   "[", "]", "{", "}",    ",",    "&",        "*",
        "!", "|",    ">",  "'",   "\"",  "%", "@", "`", "\\",   "\n",   "\t",       "\r",
        "~", "null", "<<", "---", "...", "a", "1", "=", "\x01", "\x7F", "\xC2\x85", "\xE2\x80\xA8"};
    std::string result;
    for (auto n = below(8); n > 0; --n) {
      if (below(8) == 0)
        utf8_append(result, static_cast<char32_t>(below(0xD800)));
      else
        result += pieces[below(std::size(pieces))];
    }
    if (below(50) == 0) result += std::string(2000, 'k');  // too long for a simple key
    return result;
  }

  Random draw_;
  std::uint64_t count_ = 0;
};

TEST(YamlWrite, ReadingGivesBackAnyTree) {
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    const Value value = RandomTree(seed).value(0);
    ASSERT_TRUE(same(read_yaml(write_yaml(value), "block"), value)) << write_yaml(value);
    ASSERT_TRUE(same(read_yaml(write_yaml_flow(value), "flow"), value)) << write_yaml_flow(value);
  }
}

}  // namespace
}  // namespace assay
