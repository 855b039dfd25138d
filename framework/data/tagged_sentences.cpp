#include "data/tagged_sentences.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "base/text.h"
#include "base/unicode.h"
#include "base/utf8.h"

namespace assay {
namespace {

bool is_blank(std::string_view text) {
  for (std::size_t at = 0; at < text.size();)
    if (!is_space(utf8_next(text, at))) return false;
  return true;
}

}  // namespace

TaggedSentences::TaggedSentences(std::vector<TaggedSentence> train,
                                 std::vector<TaggedSentence> validation, std::string source)
    : source_(std::move(source)) {
  parts_[0].sentences = std::move(train);
  parts_[1].sentences = std::move(validation);
  for (Part& part : parts_)
    for (const TaggedSentence& sentence : part.sentences) {
      for (const std::string& word : sentence.words)
        part.text += (&word == sentence.words.data() ? "" : " ") + word;
      part.text += '\n';
      tags_.insert(tags_.end(), sentence.tags.begin(), sentence.tags.end());
    }
  // O before all others: what names no entity is the class of id 0.
  const auto order = [](const std::string& a, const std::string& b) {
    return (a == "O") != (b == "O") ? a == "O" : a < b;
  };
  std::sort(tags_.begin(), tags_.end(), order);
  tags_.erase(std::unique(tags_.begin(), tags_.end()), tags_.end());
}

TaggedSentences::Row TaggedSentences::row_of(const TaggedSentence& sentence,
                                             const Tokenizer& tokenizer) const {
  Row row;
  for (std::size_t i = 0; i < sentence.words.size(); ++i) {
    const auto ids = tokenizer.encode((i == 0 ? "" : " ") + sentence.words[i],
                                      sentence.where + ": " + quote(sentence.words[i]));
    const auto tag = std::find(tags_.begin(), tags_.end(), sentence.tags[i]) - tags_.begin();
    bool tagged = false;
    for (const std::int32_t id : ids) {
      const bool here = !tagged && !is_blank(tokenizer.decode({&id, 1}));
      row.ids.push_back(id);
      row.tags.push_back(here ? static_cast<std::int32_t>(tag) : -1);
      tagged = tagged || here;
    }
  }
  return row;
}

void TaggedSentences::tokenize(const Tokenizer* tokenizer) {
  if (!tokenizer)
    throw Error(ExitCode::usage,
                source_ +
                    ": sentences need a tokenizer: add `tokenizer: {type: word}` to the "
                    "experiment");
  vocabulary_ = tokenizer->vocabulary();
  for (Part& part : parts_)
    for (const TaggedSentence& sentence : part.sentences) {
      part.rows.push_back(row_of(sentence, *tokenizer));
      longest_ = std::max(longest_, static_cast<std::int64_t>(part.rows.back().ids.size()));
    }
}

std::int64_t TaggedSentences::length(const Request& request) const {
  return std::max<std::int64_t>(1, std::min(longest_, request.context));
}

DataSpec TaggedSentences::spec(const Request& request) const {
  return {{{"input", vocabulary_, length(request), 0},
           {"target", static_cast<std::int64_t>(tags_.size()), length(request), 0, {}, tags_}}};
}

std::int64_t TaggedSentences::examples(Split split) const {
  const auto count = static_cast<std::int64_t>(part(split).sentences.size());
  if (count > 0) return count;
  throw Error(ExitCode::data,
              fmt::format("{}: {} sentences leave none for {}; add sentences, or change validation",
                          source_, parts_[0].sentences.size(), name(split)));
}

Batch TaggedSentences::batch(Split split, std::span<const Example> examples,
                             const Request& request) const {
  const auto rows = static_cast<std::int64_t>(examples.size());
  const Shape shape = {rows, length(request)};
  const auto width = static_cast<std::size_t>(shape[1]);
  Batch batch(rows);
  const auto input = batch.add_ids("input", shape), target = batch.add_ids("target", shape);
  const auto mask = batch.add_marks("mask", shape);
  std::fill(target.begin(), target.end(), -1);
  for (std::size_t i = 0; i < examples.size(); ++i) {
    const Row& row = part(split).rows[static_cast<std::size_t>(examples[i].index)];
    const std::size_t count = std::min(width, row.ids.size());
    std::copy_n(row.ids.begin(), count, input.subspan(i * width).begin());
    std::copy_n(row.tags.begin(), count, target.subspan(i * width).begin());
    std::fill_n(mask.subspan(i * width).begin(), count, std::uint8_t{1});
    auto skipped = target.subspan(i * width, width);
    std::int64_t left = examples[i].skip;
    for (std::size_t at = 0; at < skipped.size() && left > 0; ++at, --left) skipped[at] = -1;
  }
  return batch;
}

std::vector<std::pair<std::string, std::string>> TaggedSentences::facts() const {
  return {{"tags", join(tags_)},
          {"training sentences", std::to_string(parts_[0].sentences.size())},
          {"validation sentences", std::to_string(parts_[1].sentences.size())},
          {"longest sentence", std::to_string(longest_) + " tokens"}};
}

}  // namespace assay
