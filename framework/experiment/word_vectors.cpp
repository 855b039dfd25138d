#include "experiment/word_vectors.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "base/error.h"
#include "base/text.h"
#include "base/utf8.h"
#include "experiment/adaptation.h"
#include "experiment/stored_tokenizer.h"
#include "results/run_file.h"

namespace assay {
namespace {

constexpr const char* kUsualPath = "token";

std::vector<std::string> words_of(const std::filesystem::path& file, Registry& registry) {
  const StoredTokenizer stored = read_stored_tokenizer(file);
  Problems problems;
  const auto prepared = registry.prepare<Tokenizer>(stored.section, "tokenizer", problems);
  problems.raise();
  const auto tokenizer = prepared.create({file.parent_path()});
  restore(*tokenizer, stored.state);
  std::vector<std::string> words;
  for (std::int32_t id = 0; id < tokenizer->vocabulary(); ++id)
    words.push_back(tokenizer->decode({&id, 1}));
  return words;
}

// A matrix with a row for each of so many tokens.
bool is_table(const StateArray& array, std::size_t tokens) {
  return array.shape.size() == 2 && array.shape[0] == static_cast<std::int64_t>(tokens) &&
         array.shape[1] > 0 && std::holds_alternative<std::vector<float>>(array.data);
}

const StateArray& table_of(const State& weights, const std::optional<std::string>& path,
                           std::size_t tokens, const std::string& file) {
  const std::string wanted = path.value_or(kUsualPath);
  const auto found = weights.find(wanted);
  if (found != weights.end() && is_table(found->second, tokens)) return found->second;
  std::vector<std::string> tables;
  for (const auto& [name, array] : weights)
    if (is_table(array, tokens)) tables.push_back(name);
  const std::string have = tables.empty() ? "the run has no vectors of tokens"
                                          : fmt::format("--weights can be {}", join(tables, "or"));
  throw Error(ExitCode::data,
              fmt::format("{}: no matrix {} with a row for each of its {} tokens; {}", file,
                          quote(wanted), human_count(static_cast<std::int64_t>(tokens)), have));
}

}  // namespace

WordVectors::WordVectors(std::vector<std::string> words, std::vector<float> vectors)
    : words_(std::move(words)),
      vectors_(std::move(vectors)),
      width_(words_.empty() ? 0 : vectors_.size() / words_.size()) {}

std::span<const float> WordVectors::vector(std::int32_t id) const {
  return std::span(vectors_).subspan(static_cast<std::size_t>(id) * width_, width_);
}

std::vector<double> WordVectors::unit(std::int32_t id) const {
  const auto values = vector(id);
  std::vector<double> unit(values.begin(), values.end());
  double squares = 0;
  for (const double value : unit) squares += value * value;
  if (squares > 0)
    for (double& value : unit) value /= std::sqrt(squares);
  return unit;
}

std::int32_t WordVectors::find(std::string_view word) const {
  for (const std::string& wanted : {std::string(word), " " + std::string(word)}) {
    const auto found = std::find(words_.begin(), words_.end(), wanted);
    if (found != words_.end()) return static_cast<std::int32_t>(found - words_.begin());
  }
  const auto near = near_match(word, words_);
  throw Error(ExitCode::usage,
              fmt::format("no token {} among {}{}", quote(word),
                          human_count(static_cast<std::int64_t>(words_.size())),
                          near ? fmt::format("; did you mean {}?", quote(*near)) : ""));
}

std::vector<Neighbour> WordVectors::nearest(std::span<const double> direction, std::size_t count,
                                            std::span<const std::int32_t> left_out) const {
  double squares = 0;
  for (const double value : direction) squares += value * value;
  const double length = std::sqrt(squares);
  std::vector<Neighbour> all;
  for (std::int32_t id = 0; id < static_cast<std::int32_t>(words_.size()); ++id) {
    if (std::find(left_out.begin(), left_out.end(), id) != left_out.end()) continue;
    const std::vector<double> other = unit(id);
    double product = 0;
    for (std::size_t i = 0; i < width_; ++i) product += direction[i] * other[i];
    all.push_back({id, length > 0 ? product / length : 0});
  }
  const auto kept = all.begin() + static_cast<std::ptrdiff_t>(std::min(count, all.size()));
  std::partial_sort(all.begin(), kept, all.end(), [](const Neighbour& a, const Neighbour& b) {
    return a.cosine != b.cosine ? a.cosine > b.cosine : a.id < b.id;
  });
  all.erase(kept, all.end());
  return all;
}

WordVectors read_word_vectors(const std::filesystem::path& file, const WordVectorRequest& request,
                              Registry& registry) {
  std::vector<std::string> words = words_of(file, registry);
  const RunRecord record = read_run(file);
  const State& weights = stored_checkpoint(record, request.checkpoint, file.string()).weights;
  const StateArray& table = table_of(weights, request.weights, words.size(), file.string());
  return WordVectors(std::move(words), std::get<std::vector<float>>(table.data));
}

std::string word2vec_text(const WordVectors& words) {
  std::string text = fmt::format("{} {}\n", words.words().size(), words.width());
  for (std::int32_t id = 0; id < static_cast<std::int32_t>(words.words().size()); ++id) {
    for (const char c : utf8_repaired(words.words()[static_cast<std::size_t>(id)])) {
      switch (c) {
        case ' ':
          text += "\u2581";
          break;
        case '\n':
          text += "\\n";
          break;
        case '\t':
          text += "\\t";
          break;
        case '\r':
          text += "\\r";
          break;
        default:
          text += c;
      }
    }
    for (const float value : words.vector(id)) text += fmt::format(" {}", value);
    text += '\n';
  }
  return text;
}

}  // namespace assay
