#include "data/sequence_pairs.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "io/sha256.h"

namespace assay {
namespace {

// As many as a run may ever draw: order `shuffled` goes through all of them.
constexpr std::int64_t kTrainingExamples = 1'000'000;
constexpr std::uint64_t kValidationEvery = 16;
constexpr int kAttempts = 10'000;

void put(std::span<std::int32_t> row, std::span<const std::int32_t> ids) {
  std::copy(ids.begin(), ids.end(), row.begin());
}

std::span<const std::int32_t> view(const std::vector<std::int32_t>& ids, std::size_t count) {
  return std::span(ids).first(count);
}

template <class T>
std::span<T> row_of(std::span<T> all, std::size_t row, std::int64_t length) {
  const auto width = static_cast<std::size_t>(length);
  return all.subspan(row * width, width);
}

// FNV-1a (Fowler, Noll and Vo), its high bits.
bool kept_for_validation(std::span<const std::int32_t> source) {
  std::uint64_t hash = 14695981039346656037U;
  for (const std::int32_t id : source)
    hash = (hash ^ static_cast<std::uint64_t>(id + 1)) * 1099511628211U;
  return (hash >> 40) % kValidationEvery == 0;
}

}  // namespace

DataSpec PairLayout::spec() const {
  const std::int64_t ids = boundary + 1;
  return {{{"source", ids, source_length, 0},
           {"input", ids, target_length + varies, 0},
           {"target", varies ? ids : classes, target_length + varies, 0}}};
}

Batch PairLayout::batch(std::span<const SequencePair> pairs) const {
  const auto rows = static_cast<std::int64_t>(pairs.size());
  const std::int64_t length = target_length + varies;
  Batch batch(rows);
  const auto source = batch.add_ids("source", {rows, source_length});
  const auto input = batch.add_ids("input", {rows, length});
  const auto target = batch.add_ids("target", {rows, length});
  std::fill(target.begin(), target.end(), -1);
  std::span<std::uint8_t> source_mask, mask;
  if (varies) {
    source_mask = batch.add_marks("source_mask", {rows, source_length});
    mask = batch.add_marks("mask", {rows, length});
  }
  for (std::size_t row = 0; row < pairs.size(); ++row) {
    const auto& [from, to] = pairs[row];
    put(row_of(source, row, source_length), from);
    const auto inputs = row_of(input, row, length), targets = row_of(target, row, length);
    put(targets, to);
    inputs[0] = boundary;
    put(inputs.subspan(1), view(to, std::min(to.size(), inputs.size() - 1)));
    if (!varies) continue;
    targets[to.size()] = boundary;
    std::fill_n(row_of(source_mask, row, source_length).begin(), from.size(), 1);
    std::fill_n(row_of(mask, row, length).begin(), to.size() + 1, 1);
  }
  return batch;
}

GeneratedPairs::GeneratedPairs(std::string name, std::int64_t seed, std::int64_t validation,
                               PairLayout layout, Make make)
    : name_(std::move(name)),
      seed_(seed),
      validation_(validation),
      layout_(layout),
      make_(std::move(make)) {}

void GeneratedPairs::tokenize(const Tokenizer* tokenizer) const {
  if (tokenizer)
    throw Error(ExitCode::usage,
                fmt::format("dataset '{}' makes ids itself: remove the section tokenizer", name_));
}

std::int64_t GeneratedPairs::examples(Split split) const {
  return split == Split::train ? kTrainingExamples : validation_;
}

SequencePair GeneratedPairs::pair(Split split, std::int64_t index) const {
  const Random draw =
      Random(static_cast<std::uint64_t>(seed_), name(split), static_cast<std::uint64_t>(index));
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    SequencePair made = make_(draw.with(std::to_string(attempt)));
    if (kept_for_validation(made.source) == (split == Split::validation)) return made;
  }
  throw Error(ExitCode::usage,
              fmt::format("dataset '{}': too few different sequences to keep some for validation; "
                          "make them longer",
                          name_));
}

Batch GeneratedPairs::batch(Split split, std::span<const Example> examples) const {
  std::vector<SequencePair> pairs;
  for (const Example& example : examples) pairs.push_back(pair(split, example.index));
  return layout_.batch(pairs);
}

std::string GeneratedPairs::digest() const {
  std::string text = name_;
  for (const Split split : {Split::train, Split::validation})
    for (std::int64_t i = 0; i < std::min<std::int64_t>(64, examples(split)); ++i) {
      const auto [source, target] = pair(split, i);
      text += fmt::format("\n{} -> {}", fmt::join(source, " "), fmt::join(target, " "));
    }
  return sha256_hex(text);
}

void SymbolTask::describe(OptionList<SymbolTask>& o) {
  o.add("seed", &SymbolTask::seed, "Which sequences; not the seed of the run.").at_least(0);
  o.add("symbols", &SymbolTask::symbols, "Different symbols.").at_least(2).at_most(1e6);
  o.add("length", &SymbolTask::length, "Symbols of a sequence, or of the longest.").at_least(1);
  o.add("shortest", &SymbolTask::shortest,
        "Symbols of the shortest; not set: all have the same length.")
      .at_least(1);
  o.add("validation", &SymbolTask::validation, "Sequences that are kept for validation.")
      .at_least(1);
  o.rule("shortest must not be more than length",
         [](const SymbolTask& s) { return !s.shortest || *s.shortest <= s.length; });
}

GeneratedPairs SymbolTask::pairs(std::string name,
                                 std::function<void(std::vector<std::int32_t>&)> change) const {
  PairLayout layout;
  layout.boundary = layout.classes = static_cast<std::int32_t>(symbols);
  layout.source_length = layout.target_length = length;
  const std::int64_t least = shortest.value_or(length);
  layout.varies = least < length;
  const auto make = [symbols = symbols, length = length, least,
                     change = std::move(change)](const Random& draw) {
    const auto choices = static_cast<std::uint64_t>(length - least + 1);
    const std::int64_t count = least + static_cast<std::int64_t>(draw.below(0, choices));
    SequencePair pair;
    for (std::int64_t i = 1; i <= count; ++i)
      pair.source.push_back(static_cast<std::int32_t>(
          draw.below(static_cast<std::uint64_t>(i), static_cast<std::uint64_t>(symbols))));
    pair.target = pair.source;
    change(pair.target);
    return pair;
  };
  return GeneratedPairs(std::move(name), seed, validation, layout, make);
}

}  // namespace assay
