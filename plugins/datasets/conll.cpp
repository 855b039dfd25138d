// Words with a tag each, as files of the CoNLL shared tasks have them: a word per line, its columns
// separated by spaces or tabs, an empty line between sentences. Lines that begin with -DOCSTART-
// mark documents and are left out, and so are comments of the later tasks: lines that begin with #
// and have another number of columns than the first.
//
//   EU NNP B-NP B-ORG
//   rejects VBZ B-VP O
//
//   input [B, N]; mask [B, N]; target [B, N]
#include <algorithm>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "assay.h"

namespace {

using namespace assay;

class Conll final : public Dataset {
 public:
  struct Options {
    std::string source, validation_source, scheme = "as_written";
    std::int64_t word = 1;
    std::optional<std::int64_t> tag;
    double validation = 0.1;
    static void describe(OptionList<Options>& o) {
      o.add("source", &Options::source, "UTF-8 text, a word and its tag per line.")
          .required()
          .names_file();
      o.add("validation_source", &Options::validation_source,
            "The same of validation; without, the last sentences of source are kept for it.")
          .names_file();
      o.add("validation", &Options::validation, "Share of the sentences that is kept so.")
          .at_least(0)
          .below(1);
      o.add("word", &Options::word, "Column of the words, from 1.").at_least(1);
      o.add("tag", &Options::tag, "Column of the tags, from 1; default: the last.").at_least(1);
      o.add("scheme", &Options::scheme,
            "How entities are marked: as in the file, or rewritten as IOB2 (B-, I-) or IOBES.")
          .one_of({"as_written", "iob2", "iobes"});
    }
  };

  Conll(const Options& options, const DatasetBuild& build)
      : options_(options), source_(build.folder / options.source) {
    if (!options.validation_source.empty()) validation_ = build.folder / options.validation_source;
  }

  void load() override {
    std::vector<TaggedSentence> train = read(source_), validation;
    if (!validation_.empty()) {
      validation = read(validation_);
    } else {
      const auto cut = training_share(static_cast<std::int64_t>(train.size()), options_.validation);
      validation.assign(std::make_move_iterator(train.begin() + cut),
                        std::make_move_iterator(train.end()));
      train.resize(static_cast<std::size_t>(cut));
    }
    sentences_ = TaggedSentences(std::move(train), std::move(validation), source_.string());
    digest_ = sha256_hex(digest_);
  }

  std::optional<std::string_view> text(Split split) const override {
    return sentences_.text(split);
  }
  void tokenize(const Tokenizer* tokenizer) override { sentences_.tokenize(tokenizer); }
  DataSpec spec(const Request& request) const override { return sentences_.spec(request); }
  std::int64_t examples(Split split, const Request&) const override {
    return sentences_.examples(split);
  }
  Batch batch(Split split, std::span<const Example> examples,
              const Request& request) const override {
    return sentences_.batch(split, examples, request);
  }
  std::string digest() const override { return digest_; }
  std::vector<std::pair<std::string, std::string>> facts() const override {
    return sentences_.facts();
  }

 private:
  static std::vector<std::string> columns(std::string_view line) {
    std::vector<std::string> found;
    for (std::size_t at = 0; (at = line.find_first_not_of(" \t", at)) != std::string_view::npos;) {
      const std::size_t end = std::min(line.find_first_of(" \t", at), line.size());
      found.emplace_back(line.substr(at, end - at));
      at = end;
    }
    return found;
  }

  std::vector<TaggedSentence> read(const std::filesystem::path& file) {
    const TextFile read = read_text_file(file, Newlines::normalise, Invalid::refuse);
    digest_ += read.sha256 + "\n";
    std::vector<TaggedSentence> all;
    TaggedSentence one;
    const auto finish = [&] {
      if (!one.words.empty()) all.push_back(in_scheme(std::move(one)));
      one = {};
    };
    std::size_t expected = 0, number = 0;
    const std::string_view text = read.text;
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t end = std::min(text.find('\n', at), text.size());
      const std::vector<std::string> found = columns(text.substr(at, end - at));
      at = end + 1;
      ++number;
      if (found.empty() || found[0] == "-DOCSTART-") {
        finish();
        continue;
      }
      if (found[0][0] == '#' && found.size() != expected) continue;
      if (expected == 0) expected = found.size();
      const std::string where = file.string() + ":" + std::to_string(number);
      if (one.words.empty()) one.where = where;
      add_word(one, found, expected, where);
    }
    finish();
    if (all.empty()) throw Error(ExitCode::data, file.string() + ": no sentence in it");
    return all;
  }

  void add_word(TaggedSentence& sentence, const std::vector<std::string>& found,
                std::size_t expected, const std::string& where) const {
    if (found.size() != expected)
      throw Error(ExitCode::data, where + ": wanted " + std::to_string(expected) +
                                      " columns, as the first line has, got " +
                                      std::to_string(found.size()));
    const auto word = static_cast<std::size_t>(options_.word);
    const auto tag =
        static_cast<std::size_t>(options_.tag.value_or(static_cast<std::int64_t>(found.size())));
    if (std::max(word, tag) > found.size() || word == tag)
      throw Error(ExitCode::data,
                  where + ": wanted words in column " + std::to_string(word) +
                      " and tags in column " + std::to_string(tag) + ", but there " +
                      (found.size() == 1 ? "is 1 column"
                                         : "are " + std::to_string(found.size()) + " columns") +
                      "; say which with `word` and `tag`");
    sentence.words.push_back(found[word - 1]);
    sentence.tags.push_back(found[tag - 1]);
  }

  TaggedSentence in_scheme(TaggedSentence sentence) const {
    if (options_.scheme == "as_written") return sentence;
    std::vector<std::int32_t> numbers;
    for (std::size_t i = 0; i < sentence.tags.size(); ++i)
      numbers.push_back(static_cast<std::int32_t>(i));
    const auto spans = TagNames(sentence.tags).spans(numbers);
    sentence.tags = tags_of(spans, sentence.words.size(),
                            options_.scheme == "iob2" ? TagScheme::iob2 : TagScheme::iobes);
    return sentence;
  }

  Options options_;
  std::filesystem::path source_, validation_;
  std::string digest_;
  TaggedSentences sentences_;
};

}  // namespace

ASSAY_PLUGIN(Dataset, "conll", Conll, "Words with a tag each, as in files of CoNLL.")
