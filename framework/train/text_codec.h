// Between texts and the ids of a model: by its tokenizer, or, where the dataset speaks ids itself,
// as numbers with spaces between.
//
//   const TextCodec codec(tokenizer, spec);        // tokenizer: null where there is none
//   const std::vector<std::int32_t> ids = codec.encode("ROMEO:", "the prompt");
//
// Threads: const functions, any.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/api.h"
#include "interfaces/dataset.h"
#include "interfaces/tokenizer.h"

namespace assay {

class ASSAY_API TextCodec {
 public:
  /// Both must outlive it.
  TextCodec(const Tokenizer* tokenizer, const DataSpec& spec)
      : tokenizer_(tokenizer), spec_(&spec) {}

  /// what: "the prompt", for messages. Throws Error(usage) for what is no number, or none of the
  /// model's ids; of a tokenizer, what that throws.
  std::vector<std::int32_t> encode(const std::string& text, const std::string& what) const;
  /// Bytes of the same.
  std::string decode(std::span<const std::int32_t> ids) const;

 private:
  const Tokenizer* tokenizer_;
  const DataSpec* spec_;
};

}  // namespace assay
