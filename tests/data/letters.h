// A tokenizer for tests: letter a is 0, b is 1, ...; anything else is unknown (26).
#pragma once

#include "interfaces/tokenizer.h"

namespace assay {

class Letters final : public Tokenizer {
 public:
  void train(std::string_view) override {}
  std::int64_t vocabulary() const override { return 27; }
  std::int32_t unknown() const override { return 26; }
  std::vector<std::int32_t> encode(std::string_view text, const TextSource&) const override {
    std::vector<std::int32_t> ids;
    for (const char c : text) ids.push_back(c >= 'a' && c <= 'z' ? c - 'a' : 26);
    return ids;
  }
  std::string decode(std::span<const std::int32_t>) const override { return {}; }
  void state(StateIo&) override {}
};

}  // namespace assay
