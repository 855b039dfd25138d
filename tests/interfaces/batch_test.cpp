#include "interfaces/batch.h"

#include <gtest/gtest.h>

#include <numeric>

#include "support/thrown.h"

namespace assay {
namespace {

TEST(Batch, FieldsStartAtZeroAndAreReadBack) {
  Batch batch(2);
  const auto ids = batch.add_ids("input", {2, 3});
  for (const auto id : ids) EXPECT_EQ(id, 0);
  ids[5] = 7;
  EXPECT_TRUE(batch.has("input"));
  EXPECT_FALSE(batch.has("target"));
  EXPECT_EQ(batch.ids("input").values[5], 7);
  EXPECT_EQ(batch.ids("input").shape, (Shape{2, 3}));
}

TEST(Batch, RowsAreAViewWithTheirNumberInTheWhole) {
  Batch batch(5);
  const auto reals = batch.add_reals("patches", {5, 2, 2});
  std::iota(reals.begin(), reals.end(), 0.0F);
  batch.add_ids("target", {5});
  const Batch part = batch.rows(1, 4).rows(1, 3);
  EXPECT_EQ(part.size(), 2);
  EXPECT_EQ(part.first_row(), 2);
  EXPECT_EQ(part.reals("patches").shape, (Shape{2, 2, 2}));
  EXPECT_EQ(part.reals("patches").values[0], 8);
  EXPECT_EQ(part.ids("target").values.size(), 2u);
}

TEST(Batch, MarksThatAreNotThereAreNone) {
  Batch batch(2);
  EXPECT_TRUE(batch.marks_or_none("mask").empty());
  batch.add_marks("mask", {2, 3})[4] = 1;
  EXPECT_EQ(batch.marks_or_none("mask")[4], 1);
  EXPECT_EQ(batch.rows(1, 2).marks_or_none("mask").size(), 3U);
  batch.add_ids("input", {2, 3});
  EXPECT_NE(thrown([&] { batch.marks_or_none("input"); }), "");
}

TEST(Batch, NamesTheFieldsThereAre) {
  Batch batch(1);
  EXPECT_EQ(thrown([&] { batch.ids("input"); }),
            "[2] the batch has no ids 'input': it has nothing");
  batch.add_reals("patches", {1, 4});
  batch.add_marks("mask", {1, 4});
  EXPECT_EQ(thrown([&] { batch.ids("patches"); }),
            "[2] the batch has no ids 'patches': it has mask (marks), patches (reals)");
}

TEST(DataSpec, NamesTheFieldsThereAre) {
  DataSpec spec;
  spec.fields = {{"input", 65, 64, 0}, {"target", 65, 64, 0}};
  EXPECT_EQ(spec.field("target").vocabulary, 65);
  EXPECT_EQ(thrown([&] { spec.field("patches"); }),
            "[2] the dataset has no 'patches' (it has input, target)");
}

}  // namespace
}  // namespace assay
