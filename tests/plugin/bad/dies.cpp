// Next-token loss that kills the process when it sees the batch of number $ASSAY_TEST_DIES_AT,
// counted from 1 with those of evaluations.
#include <signal.h>

#include <atomic>
#include <cstdlib>

#include "assay.h"

namespace {

using namespace assay;

class Dies final : public Objective {
 public:
  explicit Dies(const ObjectiveBuild&) {
    if (const char* at = std::getenv("ASSAY_TEST_DIES_AT")) at_ = std::atoll(at);
  }

  Batch prepare(Batch batch, const Random&) const override {
    if (++batches_ == at_) ::raise(SIGKILL);
    return batch;
  }
  SummedLoss loss(const Output& output, const Batch& batch, Pass&) const override {
    return cross_entropy(output.logits, batch.ids("target").values);
  }

 private:
  mutable std::atomic<std::int64_t> batches_ = 0;
  std::int64_t at_ = 0;
};

}  // namespace

ASSAY_PLUGIN(Objective, "dies", Dies, "Kills the process at a batch.")
