// Names of the classes that a new plugin starts with.
#include "cli/scaffold.h"

#include <gtest/gtest.h>

namespace assay {
namespace {

TEST(Scaffold, AClassIsTheNameInCapitalsAndTheKind) {
  EXPECT_EQ(class_name("model", "rnn"), "RnnModel");
  EXPECT_EQ(class_name("sampler", "top_k2"), "TopK2Sampler");
}

TEST(Scaffold, AClassDoesNotSayItsKindTwice) {
  EXPECT_EQ(class_name("model", "my_model"), "MyModel");
}

TEST(Scaffold, NoClassIsCalledAsItsInterface) {
  EXPECT_EQ(class_name("model", "model"), "ModelModel");
}

TEST(Scaffold, EveryPlaceIsFilledIn) {
  EXPECT_EQ(filled_in("@KIND@ @NAME@: @CLASS@, @NAME@", "model", "rnn"),
            "model rnn: RnnModel, rnn");
}

}  // namespace
}  // namespace assay
