#include "data/entities.h"

#include <algorithm>

namespace assay {

TagNames::Tag TagNames::read(const std::string& name) {
  if (name.size() > 2 && name[1] == '-' && std::string("BIES").find(name[0]) != std::string::npos)
    return {name[0], name.substr(2)};
  return {};
}

TagNames::TagNames(std::span<const std::string> names) {
  bool all = true;
  for (const std::string& name : names) {
    tags_.push_back(read(name));
    all = all && (name == "O" || tags_.back().letter != 'O');
    mark_spans_ = mark_spans_ || tags_.back().letter != 'O';
  }
  mark_spans_ = mark_spans_ && all;
}

std::vector<TaggedSpan> TagNames::spans(std::span<const std::int32_t> ids) const {
  const Tag outside;
  const Tag* before = &outside;
  std::vector<TaggedSpan> found;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    const Tag& tag = tags_[static_cast<std::size_t>(ids[i])];
    const bool ended = before->letter == 'E' || before->letter == 'S';
    const bool begins = tag.letter == 'B' || tag.letter == 'S' || ended || before->letter == 'O' ||
                        tag.type != before->type;
    const auto here = static_cast<std::int64_t>(i);
    if (tag.letter != 'O' && begins)
      found.push_back({tag.type, here, here});
    else if (tag.letter != 'O')
      found.back().last = here;
    before = &tag;
  }
  return found;
}

std::vector<std::string> tags_of(std::span<const TaggedSpan> spans, std::size_t length,
                                 TagScheme scheme) {
  std::vector<std::string> tags(length, "O");
  const bool ends = scheme == TagScheme::iobes;
  for (const TaggedSpan& span : spans)
    for (std::int64_t i = span.first; i <= span.last; ++i) {
      const bool first = i == span.first, last = i == span.last;
      const char letter = ends && last ? (first ? 'S' : 'E') : (first ? 'B' : 'I');
      tags[static_cast<std::size_t>(i)] = std::string(1, letter) + "-" + span.type;
    }
  return tags;
}

}  // namespace assay
