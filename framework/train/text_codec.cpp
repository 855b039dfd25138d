#include "train/text_codec.h"

#include <fmt/format.h>

#include <charconv>
#include <sstream>

#include "base/error.h"
#include "base/text.h"

namespace assay {

std::vector<std::int32_t> TextCodec::encode(const std::string& text,
                                            const std::string& what) const {
  if (tokenizer_) return tokenizer_->encode(text, what);
  const std::int64_t limit = spec_->field(spec_->find("source") ? "source" : "input").vocabulary;
  std::vector<std::int32_t> ids;
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    std::int32_t id = -1;
    const char* end = word.data() + word.size();
    const auto read = std::from_chars(word.data(), end, id);
    if (read.ec != std::errc() || read.ptr != end || id < 0 || id >= limit)
      throw Error(ExitCode::usage,
                  fmt::format("{}: {} is no id; this model has no tokenizer: write ids below {} "
                              "with spaces between",
                              what, quote(word), limit));
    ids.push_back(id);
  }
  return ids;
}

std::string TextCodec::decode(std::span<const std::int32_t> ids) const {
  if (tokenizer_) return tokenizer_->decode(ids);
  std::string text;
  for (const std::int32_t id : ids) text += (text.empty() ? "" : " ") + std::to_string(id);
  return text;
}

}  // namespace assay
