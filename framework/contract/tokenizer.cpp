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

Failures check_tokenizer(const Make<Tokenizer>& make) {
  Failures failures;
  attempt(failures, "training", [&] {
    const auto tokenizer = make({});
    tokenizer->train(kText);
    attempt(failures, "encoding and decoding", [&] { check_round_trip(*tokenizer, failures); });
    attempt(failures, "encoding on several threads", [&] { check_threads(*tokenizer, failures); });
    attempt(failures, "training again", [&] {
      const auto twin = make({});
      twin->train(kText);
      check_equal(*tokenizer, *twin, "another one, trained alike,", failures);
    });
    attempt(failures, "saving and restoring", [&] {
      const auto restored = make({});
      restore(*restored, saved(*tokenizer));
      check_equal(*tokenizer, *restored, "one restored from its state", failures);
      check_round_trip(*restored, failures);
    });
  });
  return failures;
}

}  // namespace assay
