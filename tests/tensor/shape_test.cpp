#include "tensor/shape.h"

#include <gtest/gtest.h>

namespace assay {
namespace {

TEST(Shape, AScalarHasRankZeroAndOneElement) {
  EXPECT_EQ(Shape().rank(), 0);
  EXPECT_EQ(Shape().elements(), 1);
  EXPECT_EQ(Shape().text(), "()");
}

TEST(Shape, NegativeDimensionsCountFromTheLast) {
  const Shape shape{2, 3, 5};
  EXPECT_EQ(shape[-1], 5);
  EXPECT_EQ(shape[-3], 2);
  EXPECT_EQ(shape.rows(), 6);
  EXPECT_EQ(shape.elements(), 30);
  EXPECT_EQ(shape.text(), "(2, 3, 5)");
}

TEST(Shape, WithLastAndAppendedMakeNewShapes) {
  const Shape shape{2, 3};
  EXPECT_EQ(shape.with_last(7), (Shape{2, 7}));
  EXPECT_EQ(shape.appended(7), (Shape{2, 3, 7}));
  EXPECT_FALSE(shape == (Shape{2, 3, 0}));
}

}  // namespace
}  // namespace assay
