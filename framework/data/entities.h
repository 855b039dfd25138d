// Spans that tags of tokens mark, in the encodings of shared tasks: B-PER I-PER O (IOB2), I-PER
// I-PER O (IOB1: B only where a span follows one of its type), B-PER E-PER S-LOC (IOBES). Spans are
// read as conlleval (Tjong Kim Sang, 2000) and seqeval read them by default, which takes all of
// these and mends what is broken: a tag of another type than the one before, or an I after O,
// begins a span.
//
//   const TagNames names(tags);             // {"O", "B-PER", "I-PER"}
//   names.spans(ids);                       // of {1, 2, 0}: {{"PER", 0, 1}}
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/api.h"

namespace assay {

struct TaggedSpan {
  std::string type;  // "PER"
  std::int64_t first = 0, last = 0;
  friend bool operator==(const TaggedSpan& a, const TaggedSpan& b) {
    return a.first == b.first && a.last == b.last && a.type == b.type;
  }
};

class ASSAY_API TagNames {
 public:
  TagNames() = default;
  explicit TagNames(std::span<const std::string> names);
  /// Whether the names mark spans: each is O or a letter of BIES, a hyphen and a type; some of the
  /// latter.
  bool mark_spans() const { return mark_spans_; }
  /// Of one sentence, in order. REQUIRES ids of names.
  std::vector<TaggedSpan> spans(std::span<const std::int32_t> ids) const;

 private:
  struct Tag {
    char letter = 'O';
    std::string type;
  };
  static Tag read(const std::string& name);
  std::vector<Tag> tags_;
  bool mark_spans_ = false;
};

enum class TagScheme { iob2, iobes };
/// The tags of a sentence of so many tokens with these spans.
ASSAY_API std::vector<std::string> tags_of(std::span<const TaggedSpan> spans, std::size_t length,
                                           TagScheme scheme);

}  // namespace assay
