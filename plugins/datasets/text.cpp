// A text file, or a corpus known by name, as windows of tokens.
#include <string>
#include <utility>
#include <vector>

#include "assay.h"

namespace {

using namespace assay;

class Text final : public Dataset {
 public:
  struct Options {
    std::string source;
    double validation = 0.1;
    std::string newlines = "normalise", invalid = "refuse";
    static void describe(OptionList<Options>& o) {
      o.add("source", &Options::source,
            "A known corpus (tiny_shakespeare: found in $ASSAY_DATA, in data/ beside the "
            "experiment or in "
            "~/.cache/assay, else downloaded), or the path of a UTF-8 text file.")
          .required()
          .names_file();
      o.add("validation", &Options::validation,
            "Share of the characters, at the end, that is kept for validation.")
          .at_least(0)
          .below(1);
      o.add("newlines", &Options::newlines,
            "normalise: CR LF and lone CR become LF; keep: they stay.")
          .one_of({"normalise", "keep"});
      o.add("invalid", &Options::invalid,
            "Bytes that are not UTF-8. refuse: an error with the place; replace: each becomes "
            "U+FFFD, and their number "
            "is recorded; keep: they stay, for tokenizers that read bytes.")
          .one_of({"refuse", "replace", "keep"});
    }
  };

  Text(const Options& options, const DatasetBuild& build)
      : options_(options), folder_(build.folder) {}

  void load() override {
    const std::filesystem::path file = find_corpus(options_.source, folder_);
    TextFile read = read_text_file(
        file, options_.newlines == "keep" ? Newlines::keep : Newlines::normalise, invalid(),
        "or set `invalid: replace` for U+FFFD in its place, or `invalid: keep` for a tokenizer "
        "that "
        "reads bytes");
    digest_ = std::move(read.sha256);
    replaced_ = read.replaced;
    text_ = WindowedText(std::move(read.text), file.string(), options_.validation);
  }

  std::optional<std::string_view> text(Split split) const override { return text_.text(split); }
  void tokenize(const Tokenizer* tokenizer) override { text_.tokenize(tokenizer); }
  DataSpec spec(const Request& request) const override { return text_.spec(request); }
  std::int64_t examples(Split split, const Request& request) const override {
    return text_.examples(split, request);
  }
  Batch batch(Split split, std::span<const Example> examples,
              const Request& request) const override {
    return text_.batch(split, examples, request);
  }
  std::vector<Example> cover(Split split, const Request& request) const override {
    return text_.cover(split, request);
  }
  std::string digest() const override { return digest_; }

  std::vector<std::pair<std::string, std::string>> facts() const override {
    auto facts = text_.facts();
    if (replaced_ > 0) facts.emplace_back("bytes replaced by U+FFFD", std::to_string(replaced_));
    return facts;
  }
  std::vector<std::string> notes() const override { return text_.notes(); }
  double characters_per_token(Split split) const override {
    return text_.characters_per_token(split);
  }

 private:
  Invalid invalid() const {
    if (options_.invalid == "replace") return Invalid::replace;
    return options_.invalid == "keep" ? Invalid::keep : Invalid::refuse;
  }

  Options options_;
  std::filesystem::path folder_;
  WindowedText text_;
  std::string digest_;
  std::int64_t replaced_ = 0;
};

}  // namespace

ASSAY_PLUGIN(Dataset, "text", Text, "A text file or a known corpus, as windows of tokens.")
