#include "data/windowed_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "base/error.h"
#include "base/text.h"
#include "base/utf8.h"
#include "data/alphabet.h"

namespace assay {
namespace {

constexpr std::array kSplits = {Split::train, Split::validation};

std::size_t index(Split split) {
  return split == Split::train ? 0 : 1;
}

std::string split_name(const std::string& source, Split split) {
  return fmt::format("{}: the {} split", source, split == Split::train ? "training" : "validation");
}

}  // namespace

std::int64_t training_share(std::int64_t n, double validation) {
  __extension__ using Wide = unsigned __int128;
  constexpr std::size_t kDecimals = 18;
  std::array<char, 400> buffer{};  // the longest double in fixed notation has 326 characters
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), validation,
                                 std::chars_format::fixed)
                       .ptr;
  const std::string_view printed(buffer.data(), static_cast<std::size_t>(end - buffer.data()));
  const std::size_t point = std::min(printed.find('.'), printed.size());
  std::uint64_t numerator = 0, denominator = 1;  // validation = numerator / 10^18
  for (std::size_t at = point + 1; at <= point + kDecimals; ++at) {
    numerator =
        10 * numerator + (at < printed.size() ? static_cast<std::uint64_t>(printed[at] - '0') : 0);
    denominator *= 10;
  }
  return static_cast<std::int64_t>(Wide{denominator - numerator} * static_cast<std::uint64_t>(n) /
                                   denominator);
}

WindowedText::WindowedText(std::string text, std::string source, double validation)
    : text_(std::move(text)), source_(std::move(source)) {
  characters_ = static_cast<std::int64_t>(utf8_count(text_));
  train_characters_ = training_share(characters_, validation);
  train_bytes_ = utf8_bytes(text_, static_cast<std::size_t>(train_characters_));
  if (utf8_error(text_) == std::string::npos)
    distinct_characters_ = distinct_characters(text_).size();
}

std::string_view WindowedText::text(Split split) const {
  const std::string_view whole = text_;
  return split == Split::train ? whole.substr(0, train_bytes_) : whole.substr(train_bytes_);
}

void WindowedText::tokenize(const Tokenizer* tokenizer) {
  if (!tokenizer)
    throw Error(ExitCode::usage,
                fmt::format("{}: text needs a tokenizer: add `tokenizer: {{type: char}}` to the "
                            "experiment",
                            source_));
  vocabulary_ = tokenizer->vocabulary();
  unknown_ = tokenizer->unknown();
  for (const Split split : kSplits) {
    std::string name = split_name(source_, split);
    const std::string_view before = split == Split::train ? std::string_view() : text(Split::train);
    std::vector<std::int32_t> ids = tokenizer->encode(text(split), {name, before});
    streams_[index(split)] = TokenStream(std::move(ids), std::move(name));
  }
  occurrences_.assign(static_cast<std::size_t>(vocabulary_), 0);
  for (const std::int32_t id : stream(Split::train).ids())
    ++occurrences_[static_cast<std::size_t>(id)];
}

const TokenStream& WindowedText::stream(Split split) const {
  return streams_[index(split)];
}

DataSpec WindowedText::spec(const Request& request) const {
  DataSpec spec;
  spec.fields = {{"input", vocabulary_, request.context, 0, occurrences_},
                 {"target", vocabulary_, request.context, 0, occurrences_}};
  if (request.history > 0) spec.fields.push_back({"history", vocabulary_, request.history, 0});
  return spec;
}

std::int64_t WindowedText::examples(Split split, const Request& request) const {
  return stream(split).windows(request.context);
}

Batch WindowedText::batch(Split split, std::span<const Example> examples,
                          const Request& request) const {
  return stream(split).batch(examples, request);
}

std::vector<Example> WindowedText::cover(Split split, const Request& request) const {
  return stream(split).cover(request);
}

std::vector<std::pair<std::string, std::string>> WindowedText::facts() const {
  std::vector<std::pair<std::string, std::string>> facts = {
      {"characters", std::to_string(characters_)},
      {"training characters", std::to_string(train_characters_)},
      {"validation characters", std::to_string(characters_ - train_characters_)}};
  if (distinct_characters_ > 0)
    facts.insert(facts.begin() + 1, {"distinct characters", std::to_string(distinct_characters_)});
  if (vocabulary_ == 0) return facts;
  facts.emplace_back("vocabulary", std::to_string(vocabulary_));
  facts.emplace_back("training tokens", std::to_string(stream(Split::train).size()));
  facts.emplace_back("validation tokens", std::to_string(stream(Split::validation).size()));
  if (unknown_ < 0) return facts;
  for (const Split split : kSplits)
    facts.emplace_back(
        split == Split::train ? "unknown training tokens" : "unknown validation tokens",
        std::to_string(unknown_tokens(split)));
  return facts;
}

std::vector<std::string> WindowedText::notes() const {
  std::vector<std::string> notes;
  if (unknown_ < 0) return notes;
  for (const Split split : kSplits)
    if (const std::int64_t unknown = unknown_tokens(split); unknown > 0)
      notes.push_back(fmt::format("{}: {} of {} tokens are unknown to the tokenizer",
                                  split_name(source_, split), human_count(unknown),
                                  human_count(tokens(split))));
  return notes;
}

double WindowedText::characters_per_token(Split split) const {
  if (tokens(split) == 0) return 0;
  const std::int64_t characters =
      split == Split::train ? train_characters_ : characters_ - train_characters_;
  return static_cast<double>(characters) / static_cast<double>(tokens(split));
}

std::int64_t WindowedText::unknown_tokens(Split split) const {
  const auto ids = stream(split).ids();
  return std::count(ids.begin(), ids.end(), unknown_);
}

}  // namespace assay
