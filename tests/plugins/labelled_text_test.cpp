#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "interfaces/dataset.h"
#include "plugins/bundled.h"
#include "support/temporary_folder.h"
#include "support/thrown.h"

namespace assay {
namespace {

using Ids = std::vector<std::int32_t>;

struct LabelledTextTest : testing::Test {
  std::unique_ptr<Dataset> load(const std::string& options) {
    auto dataset = make<Dataset>("{type: labelled_text, " + options + "}", {folder.path()});
    dataset->load();
    return dataset;
  }
  std::unique_ptr<Dataset> load_file(const std::string& text, const std::string& options = "") {
    put(folder / "pets.csv", text);
    return load("source: pets.csv" + options);
  }
  std::unique_ptr<Dataset> tokenized(std::unique_ptr<Dataset> dataset) {
    const auto tokenizer = make<Tokenizer>("{type: char}", {});
    tokenizer->train(*dataset->text(Split::train));
    dataset->tokenize(tokenizer.get());
    return dataset;
  }
  std::string refusal(const std::string& text, const std::string& options = "") {
    return thrown([&] { load_file(text, options); });
  }
  std::string file() const { return (folder / "pets.csv").string(); }
  TemporaryFolder folder;
};

Batch whole(const Dataset& dataset, Split split, const Request& request) {
  return dataset.batch(split, dataset.cover(split, request), request);
}

template <class T>
std::vector<T> values(const Field<T>& field) {
  return {field.values.begin(), field.values.end()};
}

std::string classes(const Dataset& dataset) {
  return dataset.facts()[0].second;
}

TEST_F(LabelledTextTest, MakesPaddedRowsWithAClassEach) {
  const auto dataset = tokenized(load_file("text,label\nab,dog\nb,cat\n", ", validation: 0"));
  const Batch batch = whole(*dataset, Split::train, {64, 0});  // newline, a, b: 0, 1, 2
  EXPECT_EQ(values(batch.ids("input")), (Ids{1, 2, 2, 0}));
  EXPECT_EQ(values(batch.marks("mask")), (std::vector<std::uint8_t>{1, 1, 1, 0}));
  EXPECT_EQ(batch.ids("target").shape, (Shape{2}));
  EXPECT_EQ(values(batch.ids("target")), (Ids{1, 0}));
  EXPECT_EQ(classes(*dataset), "cat and dog");
  EXPECT_EQ(dataset->spec({64, 0}).field("target").vocabulary, 2);
}

TEST_F(LabelledTextTest, OffersNoOptionThatItHasNotForBytesThatAreNotUtf8) {
  EXPECT_EQ(refusal("text,label\na\xFF,dog\n"),
            "[5] " + file() + ": byte 12 (0xFF) is not UTF-8; convert the file");
}

TEST_F(LabelledTextTest, ReadsNoMoreOfADocumentThanTheContext) {
  const auto dataset = tokenized(load_file("text,label\nabbb,dog\nb,cat\n", ", validation: 0"));
  EXPECT_EQ(values(whole(*dataset, Split::train, {3, 0}).ids("input")), (Ids{1, 2, 2, 2, 0, 0}));
}

TEST_F(LabelledTextTest, HasNoCarriageReturnInALabelNorAByteOrderMarkInTheHeader) {
  const auto dataset =
      load_file("\xEF\xBB\xBFtext,label\r\na,cat\r\nb,dog\r\nc,cat", ", validation: 0");
  EXPECT_EQ(classes(*dataset), "cat and dog");
  EXPECT_EQ(dataset->text(Split::train), "a\nb\nc\n");
}

TEST_F(LabelledTextTest, ReadsColumnsByNameOrNumber) {
  const auto named = load_file("id,kind,words\n1,x,\"a, b\"\n2,y,c\n",
                               ", text: words, label: kind, validation: 0");
  EXPECT_EQ(named->text(Split::train), "a, b\nc\n");
  EXPECT_EQ(classes(*named), "x and y");
  put(folder / "pets.tsv", "x\ta, b\ny\tc\n");
  const auto numbered = load("source: pets.tsv, header: false, text: 2, label: 1, validation: 0");
  EXPECT_EQ(numbered->text(Split::train), "a, b\nc\n");
}

TEST_F(LabelledTextTest, KeepsTheLastOfEachClassForValidation) {
  const auto dataset =
      load_file("text,label\na1,a\na2,a\na3,a\na4,a\nb1,b\nb2,b\n", ", validation: 0.5");
  EXPECT_EQ(dataset->text(Split::train), "a1\na2\nb1\n");
  EXPECT_EQ(dataset->text(Split::validation), "a3\na4\nb2\n");
}

TEST_F(LabelledTextTest, ReadsAFolderPerClass) {
  for (const char* name : {"pets/dog", "pets/cat", "pets/.git"})
    std::filesystem::create_directories(folder / name);
  put(folder / "pets/dog/1.txt", "bow\r\nwow");
  put(folder / "pets/cat/1.txt", "miaow");
  put(folder / "pets/cat/.DS_Store", "x");
  put(folder / "pets/.git/x", "x");
  put(folder / "pets/README", "x");
  const auto dataset = load("source: pets, validation: 0");
  EXPECT_EQ(classes(*dataset), "cat and dog");
  EXPECT_EQ(dataset->text(Split::train), "miaow\nbow\nwow\n");
}

TEST_F(LabelledTextTest, SaysWhatIsWrongWithAFile) {
  EXPECT_EQ(refusal("text,label\na,cat\nb,c,dog\n"),
            "[5] " + file() +
                ":3: wanted 2 columns, as line 1 has, got 3; a text with a separator in it is "
                "written in double quotes");
  EXPECT_EQ(refusal("text,label\na,cat\nb,\n"), "[5] " + file() + ":3: no label");
  EXPECT_EQ(
      refusal("text,label\na,cat\nb,cat\n"),
      "[5] " + file() + ": wanted documents of two classes or more, all have the label 'cat'");
  EXPECT_EQ(refusal("text,label\n"),
            "[5] " + file() + ": wanted documents of two classes or more, got none");
  EXPECT_EQ(
      refusal("body,label\na,cat\n"),
      "[5] " + file() +
          ":1: no column 'text', but 'body' and 'label'; say which is the text with `text: "
          "NAME`, or, if the file has no header, `header: false` and text as a number from 1");
  EXPECT_EQ(refusal("a,cat\n", ", header: false"),
            "[5] " + file() +
                ":1: no column 'text', there are 2; without header, text is the number of a "
                "column, from 1");
}

TEST_F(LabelledTextTest, SaysThatNoneIsLeftForValidation) {
  const auto dataset = load_file("text,label\na,cat\nb,dog\n");
  EXPECT_EQ(thrown([&] {
              dataset->examples(Split::validation, {64, 0});
            }),
            "[5] " + file() +
                ": 2 documents leave none for validation; add documents, or change validation");
}

TEST_F(LabelledTextTest, NamesTheLineOfATextThatCannotBeEncoded) {
  const std::string message = thrown([&] {
    tokenized(load_file("text,label\na,cat\na,dog\na,cat\nb,dog\n", ", validation: 0.5"));
  });
  EXPECT_NE(message.find(file() + ":5: the text"), std::string::npos) << message;
}

}  // namespace
}  // namespace assay
