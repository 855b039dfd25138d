#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/parallel.h"
#include "contract/support.h"

namespace assay {
namespace {

constexpr std::string_view kSource = "the contract's text";
// Letters, figures, spaces of several kinds, and characters of two, three and four bytes.
constexpr std::string_view kText =
    "First Citizen:\nBefore we proceed any further, hear me speak.\r\n\r\nAll:\tSpeak, speak.\n"
    "We'll have 3.75 bushels \u00e0 5 \u20ac \u2014 ten thousand thousand \u4e07\u4e07, and no "
    "less! "
    "\U0001F3AD\n  thee   thee thee\n";

void check_round_trip(const Tokenizer& tokenizer, Failures& failures) {
  const auto ids = tokenizer.encode(kText, kSource);
  if (tokenizer.decode(ids) != kText)
    failures.push_back("decode(encode(text)) is not the text that it was trained on");
  const std::int64_t vocabulary = tokenizer.vocabulary();
  const auto outside = std::find_if(ids.begin(), ids.end(),
                                    [&](std::int32_t id) { return id < 0 || id >= vocabulary; });
  if (outside != ids.end())
    failures.push_back(fmt::format("id {} is outside the vocabulary of {}", *outside, vocabulary));
  if (!tokenizer.encode("", kSource).empty() || !tokenizer.decode({}).empty())
    failures.push_back("an empty text is not encoded as no ids, and decoded from none");
}

/// Bytes of every value, in runs and in disorder; most of it is not UTF-8.
void check_any_bytes(const Tokenizer& tokenizer, Failures& failures) {
  constexpr std::uint64_t kTexts = 300, kLongest = 64;
  for (std::uint64_t number = 0; number < kTexts; ++number) {
    const Random draw(1, "bytes", number);
    std::string text(draw.below(0, kLongest + 1), '\0');
    for (std::size_t i = 0; i < text.size(); ++i) {
      const bool as_before = i > 0 && draw.below(4 * i + 1, 4) == 0;
      text[i] = as_before ? text[i - 1] : static_cast<char>(draw.below(4 * i + 2, 256));
    }
    if (tokenizer.decode(tokenizer.encode(text, kSource)) == text) continue;
    std::string bytes;
    for (const char c : text) bytes += fmt::format(" {:02x}", static_cast<unsigned char>(c));
    return failures.push_back(
        fmt::format("takes_any_bytes() is true, but these are decoded differently:{}", bytes));
  }
}

void check_equal(const Tokenizer& a, const Tokenizer& b, const char* what, Failures& failures) {
  if (a.vocabulary() != b.vocabulary() || a.encode(kText, kSource) != b.encode(kText, kSource))
    failures.push_back(fmt::format("{} encodes the same text differently", what));
}

void check_threads(const Tokenizer& tokenizer, Failures& failures) {
  const auto alone = tokenizer.encode(kText, kSource);
  std::array<bool, 12> equal{};
  Pool(3).run([&] {
    parallel_for(static_cast<std::int64_t>(equal.size()), [&](std::int64_t i) {
      equal[static_cast<std::size_t>(i)] = tokenizer.encode(kText, kSource) == alone;
    });
  });
  if (!std::all_of(equal.begin(), equal.end(), [](bool e) { return e; }))
    failures.push_back("several threads at once get other ids than one");
}

}  // namespace

Failures check_tokenizer(const Make<Tokenizer>& make, Failures failures) {
  attempt(failures, "training", [&] {
    const auto tokenizer = make({});
    tokenizer->train(kText);
    attempt(failures, "round trip of the training text",
            [&] { check_round_trip(*tokenizer, failures); });
    if (tokenizer->takes_any_bytes())
      attempt(failures, "round trip of random bytes",
              [&] { check_any_bytes(*tokenizer, failures); });
    else
      failures.skip("round trip of random bytes", "takes_any_bytes() is false");
    attempt(failures, "same ids from several threads",
            [&] { check_threads(*tokenizer, failures); });
    attempt(failures, "training twice gives the same", [&] {
      const auto twin = make({});
      twin->train(kText);
      check_equal(*tokenizer, *twin, "another one, trained alike,", failures);
    });
    attempt(failures, "restored from its state equals what was saved", [&] {
      const auto restored = make({});
      restore(*restored, saved(*tokenizer));
      check_equal(*tokenizer, *restored, "one restored from its state", failures);
      check_round_trip(*restored, failures);
    });
  });
  return failures;
}

}  // namespace assay
