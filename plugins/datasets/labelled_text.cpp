// Texts with a class each: a CSV or TSV file with a column of texts and one of labels, or a folder
// that holds a folder of files per class. Classes are numbered in the order of their names. Of each
// class the last documents are kept for validation, whatever the order of the classes in the file.
//
//   input [B, N]; mask [B, N]; target [B]
//
// N is the longest document, but no more than the context of the experiment: of a longer document,
// its first tokens are read.
#include <algorithm>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "assay.h"

namespace {

using namespace assay;

class LabelledText final : public Dataset {
 public:
  struct Options {
    std::string source, text = "text", label = "label", separator = "auto";
    bool header = true;
    double validation = 0.1;
    static void describe(OptionList<Options>& o) {
      o.add("source", &Options::source,
            "A CSV or TSV file (UTF-8, fields quoted as in RFC 4180), or a folder with a folder of "
            "text files per class.")
          .required()
          .names_file();
      o.add("text", &Options::text,
            "Column of the texts: its name in the header or, without header, its number from 1.");
      o.add("label", &Options::label, "Column of the labels, likewise.");
      o.add("header", &Options::header, "The first record of the file names the columns.");
      o.add("separator", &Options::separator,
            "Between columns. auto: a tab in files that end in .tsv, .tab or .txt, else a comma.")
          .one_of({"auto", "comma", "semicolon", "tab"});
      o.add("validation", &Options::validation,
            "Share of the documents of each class, at its end, that is kept for validation.")
          .at_least(0)
          .below(1);
    }
  };

  LabelledText(const Options& options, const DatasetBuild& build)
      : options_(options), source_(build.folder / options.source) {}

  void load() override {
    std::vector<Labelled> read =
        std::filesystem::is_directory(source_) ? read_folder() : read_table();
    std::map<std::string, std::vector<const Labelled*>> classes;
    for (const Labelled& one : read) classes[one.label].push_back(&one);
    if (classes.size() < 2)
      throw Error(ExitCode::data,
                  source_.string() + ": wanted documents of two classes or more, " +
                      (read.empty() ? "got none" : "all have the label " + quote(read[0].label)));
    std::map<const Labelled*, bool> trains;
    for (const auto& [label, members] : classes) {
      names_.push_back(label);
      const auto count = static_cast<std::int64_t>(members.size());
      const std::int64_t train =
          std::max<std::int64_t>(1, training_share(count, options_.validation));
      for (std::int64_t i = 0; i < count; ++i)
        trains[members[static_cast<std::size_t>(i)]] = i < train;
    }
    for (const Labelled& one : read) {
      const auto name = std::lower_bound(names_.begin(), names_.end(), one.label);
      Part& into = part(trains[&one] ? Split::train : Split::validation);
      into.text += one.text + "\n";
      into.documents.push_back(
          {one.text, one.where, {}, static_cast<std::int32_t>(name - names_.begin())});
    }
  }

  std::optional<std::string_view> text(Split split) const override { return part(split).text; }

  void tokenize(const Tokenizer* tokenizer) override {
    if (!tokenizer)
      throw Error(ExitCode::usage, source_.string() +
                                       ": texts need a tokenizer: add `tokenizer: {type: char}` to "
                                       "the experiment");
    vocabulary_ = tokenizer->vocabulary();
    for (Part* one : {&train_, &validation_})
      for (Document& document : one->documents) {
        document.ids = tokenizer->encode(document.text, document.where + ": the text");
        longest_ = std::max(longest_, static_cast<std::int64_t>(document.ids.size()));
      }
  }

  DataSpec spec(const Request& request) const override {
    return {{{"input", vocabulary_, length(request), 0},
             {"target", static_cast<std::int64_t>(names_.size()), 0, 0}}};
  }

  std::int64_t examples(Split split, const Request&) const override {
    const auto count = static_cast<std::int64_t>(part(split).documents.size());
    if (count > 0) return count;
    throw Error(ExitCode::data, source_.string() + ": " + std::to_string(train_.documents.size()) +
                                    " documents leave none for " + std::string(name(split)) +
                                    "; add documents, or change validation");
  }

  Batch batch(Split split, std::span<const Example> examples,
              const Request& request) const override {
    const auto rows = static_cast<std::int64_t>(examples.size());
    const auto width = static_cast<std::size_t>(length(request));
    Batch batch(rows);
    const auto input = batch.add_ids("input", {rows, length(request)});
    const auto mask = batch.add_marks("mask", {rows, length(request)});
    const auto target = batch.add_ids("target", {rows});
    for (std::size_t row = 0; row < examples.size(); ++row) {
      const Document& document =
          part(split).documents[static_cast<std::size_t>(examples[row].index)];
      const std::size_t count = std::min(width, document.ids.size());
      std::copy_n(document.ids.begin(), count, input.subspan(row * width).begin());
      std::fill_n(mask.subspan(row * width).begin(), count, 1);
      target[row] = document.label;
    }
    return batch;
  }

  std::string digest() const override { return digest_; }

  std::vector<std::pair<std::string, std::string>> facts() const override {
    return {{"classes", join(names_)},
            {"training documents", std::to_string(train_.documents.size())},
            {"validation documents", std::to_string(validation_.documents.size())},
            {"longest document", std::to_string(longest_) + " tokens"}};
  }

 private:
  struct Labelled {
    std::string text, label, where;
  };
  struct Document {
    std::string text, where;
    std::vector<std::int32_t> ids;
    std::int32_t label = 0;
  };
  struct Part {
    std::string text;
    std::vector<Document> documents;
  };

  const Part& part(Split split) const { return split == Split::train ? train_ : validation_; }
  Part& part(Split split) { return split == Split::train ? train_ : validation_; }

  std::int64_t length(const Request& request) const {
    return std::max<std::int64_t>(1, std::min(longest_, request.context));
  }

  std::vector<Labelled> read_table() {
    TextFile file = read_text_file(source_, Newlines::normalise, Invalid::refuse);
    digest_ = std::move(file.sha256);
    std::vector<CsvRecord> records =
        parse_csv(file.text, separator(), Quotes::fields, source_.string());
    if (records.empty()) return {};
    const CsvRecord first = records.front();
    const std::size_t text = column(options_.text, "text", first);
    const std::size_t label = column(options_.label, "label", first);
    if (options_.header) records.erase(records.begin());
    std::vector<Labelled> read;
    for (CsvRecord& record : records) {
      const std::string where = source_.string() + ":" + std::to_string(record.line);
      if (record.fields.size() != first.fields.size())
        throw Error(ExitCode::data,
                    where + ": wanted " + std::to_string(first.fields.size()) +
                        " columns, as line " + std::to_string(first.line) + " has, got " +
                        std::to_string(record.fields.size()) +
                        "; a text with a separator in it is written in double quotes");
      if (record.fields[label].empty()) throw Error(ExitCode::data, where + ": no label");
      read.push_back({record.fields[text], record.fields[label], where});
    }
    return read;
  }

  char separator() const {
    if (options_.separator == "comma") return ',';
    if (options_.separator == "semicolon") return ';';
    const std::string extension = source_.extension().string();
    const bool tabs = options_.separator == "tab" || extension == ".tsv" || extension == ".tab" ||
                      extension == ".txt";
    return tabs ? '\t' : ',';
  }

  // Which column the option asks for.
  std::size_t column(const std::string& wanted, const std::string& option,
                     const CsvRecord& first) const {
    const std::vector<std::string>& columns = first.fields;
    for (std::size_t i = 0; i < columns.size(); ++i)
      if (wanted == (options_.header ? columns[i] : std::to_string(i + 1))) return i;
    const std::string where = source_.string() + ":" + std::to_string(first.line);
    if (!options_.header)
      throw Error(ExitCode::data, where + ": no column " + quote(wanted) + ", there are " +
                                      std::to_string(columns.size()) + "; without header, " +
                                      option + " is the number of a column, from 1");
    std::vector<std::string> quoted;
    for (const std::string& one : columns) quoted.push_back(quote(one));
    throw Error(ExitCode::data, where + ": no column " + quote(wanted) + ", but " + join(quoted) +
                                    "; say which is the " + option + " with `" + option +
                                    ": NAME`, or, if the file has no header, `header: false` and " +
                                    option + " as a number from 1");
  }

  std::vector<Labelled> read_folder() {
    std::vector<Labelled> read;
    std::string digests;
    for (const std::filesystem::path& folder : visible(source_)) {
      if (!std::filesystem::is_directory(folder)) continue;
      for (const std::filesystem::path& file : visible(folder)) {
        TextFile one = read_text_file(file, Newlines::normalise, Invalid::refuse);
        const std::string label = folder.filename().string();
        digests += label + "/" + file.filename().string() + " " + one.sha256 + "\n";
        read.push_back({std::move(one.text), label, file.string()});
      }
    }
    digest_ = sha256_hex(digests);
    return read;
  }

  // What is in a folder, by name, without hidden files.
  static std::vector<std::filesystem::path> visible(const std::filesystem::path& folder) {
    std::vector<std::filesystem::path> paths;
    for (const auto& entry : std::filesystem::directory_iterator(folder))
      if (entry.path().filename().string()[0] != '.') paths.push_back(entry.path());
    std::sort(paths.begin(), paths.end());
    return paths;
  }

  Options options_;
  std::filesystem::path source_;
  std::string digest_;
  std::vector<std::string> names_;  // of the classes, sorted
  Part train_, validation_;
  std::int64_t vocabulary_ = 0, longest_ = 0;
};

}  // namespace

ASSAY_PLUGIN(Dataset, "labelled_text", LabelledText, "Texts with a class each: CSV, TSV, folders.")
