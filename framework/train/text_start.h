// Where a model starts to write after a text: what it goes on from, and what ends it.
//
//   const TextStart start = text_start(codec, spec, "ROMEO:", "the prompt");
//   generate(model, parameters, samplers, start.prompt(), start.most(300), draw, each);
//
// A model that reads a source takes the text as that, and begins its target behind a boundary.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "base/api.h"
#include "train/generate.h"
#include "train/text_codec.h"

namespace assay {

struct TextStart {
  std::vector<std::int32_t> ids, source;
  std::int64_t longest = -1;  // tokens that it can write; -1: any number
  std::int32_t end = -1;      // the id that ends what it writes; -1: none

  Prompt prompt() const { return {ids, source}; }
  std::int64_t most(std::int64_t length) const {
    return longest < 0 ? length : std::min(length, longest);
  }
};

/// what: "the prompt", for messages. Throws Error(usage) for a text without tokens.
ASSAY_API TextStart text_start(const TextCodec& codec, const DataSpec& spec,
                               const std::string& text, const std::string& what);

}  // namespace assay
