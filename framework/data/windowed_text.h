// A text cut into training and validation part, as tokens, as windows: what datasets of running
// text share.
//
//   WindowedText text("First Citizen: ...", "play.txt", 0.1);
//   text.tokenize(&tokenizer);
//   text.examples(Split::train, {64, 0});
//
// The cut is made between characters, before tokenization: the first floor((1 - validation) n)
// train. Its functions are those of Dataset (interfaces/dataset.h). Threads: tokenize runs alone;
// const functions, any.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/api.h"
#include "data/token_stream.h"
#include "interfaces/dataset.h"

namespace assay {

class ASSAY_API WindowedText {
 public:
  WindowedText() = default;
  /// source names the text in messages. REQUIRES 0 <= validation < 1.
  WindowedText(std::string text, std::string source, double validation);

  const std::string& whole() const { return text_; }
  std::string_view text(Split split) const;
  void tokenize(const Tokenizer* tokenizer);
  std::int64_t tokens(Split split) const { return stream(split).size(); }
  DataSpec spec(const Request& request) const;
  std::int64_t examples(Split split, const Request& request) const;
  Batch batch(Split split, std::span<const Example> examples, const Request& request) const;
  std::vector<Example> cover(Split split, const Request& request) const;
  std::vector<std::pair<std::string, std::string>> facts() const;
  std::vector<std::string> notes() const;
  double characters_per_token(Split split) const;

 private:
  std::int64_t unknown_tokens(Split split) const;
  const TokenStream& stream(Split split) const;

  std::string text_, source_;
  std::int64_t characters_ = 0, train_characters_ = 0;
  std::size_t distinct_characters_ = 0;  // 0: the text is no UTF-8
  std::size_t train_bytes_ = 0;
  std::int64_t vocabulary_ = 0;
  std::int32_t unknown_ = -1;
  std::array<TokenStream, 2> streams_;
  std::vector<std::int64_t> occurrences_;  // of each id in training
};

/// floor((1 - validation) n), exactly, with validation as the shortest decimal number that it
/// prints as: 0.8 of 10 leaves 2, although 1 - 0.8 is a little less than 0.2 in binary.
ASSAY_API std::int64_t training_share(std::int64_t n, double validation);

}  // namespace assay
