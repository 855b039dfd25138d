// Pairs of texts from a file, one pair per line: source, a tab, target. Both are encoded by the
// same tokenizer; one id more than it has stands before each target and ends it.
#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "assay.h"

namespace {

using namespace assay;

class Pairs final : public Dataset {
 public:
  struct Options {
    std::string file;
    double validation = 0.1;
    static void describe(OptionList<Options>& o) {
      o.add("file", &Options::file, "UTF-8 text, a line per pair: source, a tab, target.")
          .required()
          .names_file();
      o.add("validation", &Options::validation,
            "Share of the pairs, at the end, that is kept for validation.")
          .at_least(0)
          .below(1);
    }
  };

  Pairs(const Options& options, const DatasetBuild& build)
      : options_(options), file_(build.folder / options.file) {}

  void load() override {
    TextFile read = read_text_file(file_, Newlines::normalise, Invalid::refuse);
    digest_ = std::move(read.sha256);
    split_lines(read.text);
    train_ = static_cast<std::size_t>(
        training_share(static_cast<std::int64_t>(lines_.size()), options_.validation));
    for (std::size_t i = 0; i < lines_.size(); ++i)
      (i < train_ ? train_text_ : validation_text_) +=
          lines_[i].source + "\n" + lines_[i].target + "\n";
  }

  std::optional<std::string_view> text(Split split) const override {
    return split == Split::train ? train_text_ : validation_text_;
  }

  void tokenize(const Tokenizer* tokenizer) override {
    if (!tokenizer)
      throw Error(ExitCode::usage, file_.string() +
                                       ": pairs of texts need a tokenizer: add `tokenizer: {type: "
                                       "char}` to the experiment");
    layout_.boundary = layout_.classes = static_cast<std::int32_t>(tokenizer->vocabulary());
    layout_.varies = true;
    for (const Line& line : lines_) {
      const std::string where = file_.string() + ":" + std::to_string(line.number) + ": ";
      SequencePair& pair = pairs_.emplace_back();
      pair.source = tokenizer->encode(line.source, where + "the source");
      pair.target = tokenizer->encode(line.target, where + "the target");
      const auto longest = [](std::int64_t& length, const std::vector<std::int32_t>& ids) {
        length = std::max(length, static_cast<std::int64_t>(ids.size()));
      };
      longest(layout_.source_length, pair.source);
      longest(layout_.target_length, pair.target);
    }
  }

  DataSpec spec(const Request&) const override { return layout_.spec(); }

  std::int64_t examples(Split split, const Request&) const override {
    const std::size_t count = split == Split::train ? train_ : pairs_.size() - train_;
    if (count > 0) return static_cast<std::int64_t>(count);
    throw Error(ExitCode::data, file_.string() + ": " + std::to_string(pairs_.size()) +
                                    " pairs leave none for " + std::string(name(split)) +
                                    "; add pairs, or change validation");
  }

  Batch batch(Split split, std::span<const Example> examples, const Request&) const override {
    std::vector<SequencePair> chosen;
    for (const Example& example : examples)
      chosen.push_back(
          pairs_[static_cast<std::size_t>(example.index) + (split == Split::train ? 0 : train_)]);
    return layout_.batch(chosen);
  }

  std::string digest() const override { return digest_; }

  std::vector<std::pair<std::string, std::string>> facts() const override {
    return {{"training pairs", std::to_string(train_)},
            {"validation pairs", std::to_string(lines_.size() - train_)},
            {"longest source", std::to_string(layout_.source_length)},
            {"longest target", std::to_string(layout_.target_length)}};
  }

 private:
  struct Line {
    std::string source, target;
    std::size_t number;  // in the file, from 1
  };

  void split_lines(std::string_view text) {
    for (CsvRecord& record : parse_csv(text, '\t', Quotes::none, file_.string())) {
      if (record.fields.size() != 2)
        throw Error(ExitCode::data, file_.string() + ":" + std::to_string(record.line) +
                                        ": wanted source, one tab, target; got " +
                                        quote(join_fields(record.fields)));
      lines_.push_back({std::move(record.fields[0]), std::move(record.fields[1]), record.line});
    }
  }

  static std::string join_fields(const std::vector<std::string>& fields) {
    std::string line = fields[0];
    for (std::size_t i = 1; i < fields.size(); ++i) line += "\t" + fields[i];
    return line;
  }

  Options options_;
  std::filesystem::path file_;
  std::vector<Line> lines_;
  std::size_t train_ = 0;
  std::string train_text_, validation_text_, digest_;
  PairLayout layout_;
  std::vector<SequencePair> pairs_;
};

}  // namespace

ASSAY_PLUGIN(Dataset, "pairs", Pairs, "Pairs of texts, tab-separated, one per line.")
