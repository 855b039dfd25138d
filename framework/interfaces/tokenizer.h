// Plugin kind `tokenizer`: text to ids and back.
//
//   class Char final : public Tokenizer { ... };
//   ASSAY_PLUGIN(Tokenizer, "char", Char, "One token per character.")
//
//   tokenizer->train(text);
//   std::vector<std::int32_t> ids = tokenizer->encode("ROMEO:", "the prompt");
//
// Threads: train and state run alone; everything const may be called from many threads at once.
// Ownership: the framework owns the object; spans and views are valid during the call only.
// Errors: throw Error(data) naming the character or byte offset. decode(encode(text)) == text for
// text that train saw.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/api.h"
#include "base/state.h"
#include "config/options.h"

namespace assay {

struct TokenizerBuild {
  std::filesystem::path folder;  // of the experiment file: relative paths start here
};

/// Where a text is from, for errors.
struct TextSource {
  std::string_view name;    // "play.txt: the validation split"
  std::string_view before;  // what precedes the text in its file
  TextSource(std::string_view text, std::string_view preceding = {})
      : name(text), before(preceding) {}
  TextSource(const char* text) : name(text) {}
  TextSource(const std::string& text) : name(text) {}
};

class ASSAY_API Tokenizer {
 public:
  static constexpr const char* kKind = "tokenizer";
  using Build = TokenizerBuild;
  virtual ~Tokenizer();

  /// Learns the vocabulary from UTF-8 text. Called once, unless restored. Deterministic.
  virtual void train(std::string_view text) = 0;
  virtual std::int64_t vocabulary() const = 0;
  /// The id that stands for what training did not show; -1: there is none, such text is an error.
  virtual std::int32_t unknown() const { return -1; }
  /// The id of a special token, by its text; -1: it has none of that text. Default: none.
  virtual std::int32_t special(std::string_view text) const;
  /// Every string of bytes, UTF-8 or not, seen in training or not, is encoded, and decoded to
  /// itself. Default: false.
  virtual bool takes_any_bytes() const;
  virtual std::vector<std::int32_t> encode(std::string_view text,
                                           const TextSource& source) const = 0;
  /// The bytes as they are: UTF-8 only if the ids stand for whole characters (see Utf8Decoder).
  virtual std::string decode(std::span<const std::int32_t> ids) const = 0;
  /// What the user should know about the training: "learned 3 of 44 merges: ...".
  virtual std::vector<std::string> notes() const;
  /// What is learned, for the result file.
  virtual void state(StateIo& io) = 0;
};

}  // namespace assay
