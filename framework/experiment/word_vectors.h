// The vectors that a trained run has for the tokens of its vocabulary, and which of them are near.
//
//   const WordVectors words = read_word_vectors("results/word2vec/seed=1.h5", {}, registry);
//   for (const Neighbour& n : words.nearest(words.unit(words.find("king")), 10)) ...
//
// Near is by the cosine of the angle between two vectors. Threads: const functions, any.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/api.h"
#include "plugin/registry.h"

namespace assay {

struct Neighbour {
  std::int32_t id = 0;
  double cosine = 0;
};

class ASSAY_API WordVectors {
 public:
  /// words: the text of each id. vectors [words, width].
  WordVectors(std::vector<std::string> words, std::vector<float> vectors);

  const std::vector<std::string>& words() const { return words_; }
  std::int64_t width() const { return static_cast<std::int64_t>(width_); }
  std::span<const float> vector(std::int32_t id) const;
  /// The vector in length 1; zeros stay zeros.
  std::vector<double> unit(std::int32_t id) const;

  /// The id of a word; of one that is there only with a space before it, that. Throws Error(usage)
  /// naming near ones.
  std::int32_t find(std::string_view word) const;
  /// The nearest to a direction, nearest first, equals by id, without those left out.
  std::vector<Neighbour> nearest(std::span<const double> direction, std::size_t count,
                                 std::span<const std::int32_t> left_out) const;

 private:
  std::vector<std::string> words_;
  std::vector<float> vectors_;
  std::size_t width_ = 0;
};

struct WordVectorRequest {
  std::string checkpoint = "final";
  std::optional<std::string> weights;  // path of the matrix; not set: "token"
};

/// Throws Error(data) if the run has no tokenizer, no such checkpoint, or no such matrix with a row
/// for each token.
ASSAY_API WordVectors read_word_vectors(const std::filesystem::path& file,
                                        const WordVectorRequest& request, Registry& registry);

/// "words width", then a line for each token: its text and its numbers (the text format of the
/// word2vec program). Text that has spaces is written with U+2581 in place of a space, and \n, \t,
/// \r for other separators, as spaces separate the fields.
ASSAY_API std::string word2vec_text(const WordVectors& words);

}  // namespace assay
