// Sentences whose words have a tag each, as batches of tokens: what datasets of that kind share.
//
//   input [B, N]; mask [B, N]; target [B, N], the tag at the first token of each word that is not
//   blank, negative at the others and in padding
//
// N is the longest sentence, but no more than the context of the experiment: longer ones are cut.
// Threads: tokenize runs alone; const functions, any.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/api.h"
#include "interfaces/dataset.h"

namespace assay {

struct TaggedSentence {
  std::vector<std::string> words, tags;  // as many of both
  std::string where;                     // "train.conll:12", for messages
};

class ASSAY_API TaggedSentences {
 public:
  TaggedSentences() = default;
  /// source names all of them in messages. Tags are numbered O first, then by name.
  TaggedSentences(std::vector<TaggedSentence> train, std::vector<TaggedSentence> validation,
                  std::string source);

  /// The sentences, one a line, words with a space between.
  std::string_view text(Split split) const { return part(split).text; }
  void tokenize(const Tokenizer* tokenizer);
  DataSpec spec(const Request& request) const;
  std::int64_t examples(Split split) const;
  Batch batch(Split split, std::span<const Example> examples, const Request& request) const;
  std::vector<std::pair<std::string, std::string>> facts() const;

 private:
  struct Row {
    std::vector<std::int32_t> ids, tags;
  };
  struct Part {
    std::vector<TaggedSentence> sentences;
    std::string text;
    std::vector<Row> rows;
  };
  const Part& part(Split split) const { return parts_[split == Split::train ? 0 : 1]; }
  Row row_of(const TaggedSentence& sentence, const Tokenizer& tokenizer) const;
  std::int64_t length(const Request& request) const;

  std::string source_;
  std::array<Part, 2> parts_;
  std::vector<std::string> tags_;
  std::int64_t vocabulary_ = 0, longest_ = 0;
};

}  // namespace assay
