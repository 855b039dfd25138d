// Models that learn by counting.
#include <fmt/format.h>

#include "contract/model_subject.h"

namespace assay {

void check_counting(const Make<Model>& make, Failures& failures) {
  const ModelSubject subject(make), twin(make);
  const Batch seen = subject.sample(1).batch(), fresh = subject.sample(2).batch();
  for (const Batch& batch : {seen, fresh}) {
    const std::vector<float> logits = subject.logits(batch);
    for (std::size_t at = 0; at < logits.size(); at += kModelVocabulary) {
      double total = 0;
      for (std::size_t k = at; k < at + kModelVocabulary; ++k) total += std::exp(logits[k]);
      // 11 numbers of float32.
      if (!(std::abs(total - 1) < 1e-5))
        return failures.push_back(fmt::format(
            "its logits are no log-probabilities: the probabilities of an answer add up to {}",
            total));
    }
    if (!same_bits(logits, twin.logits(batch)))
      failures.push_back("another one, fitted alike, has other logits");
  }

  const DataSpec data = subject.data;
  Parameters none;
  const auto restored = make({data, kModelContext, Scope(none)});
  none.initialise(1);
  restore(*restored, saved(*subject.model));
  for (const Batch& batch : {seen, fresh}) {
    Tape tape(false);
    Pass pass(tape, none, {}, Mode::evaluate, Random(1, "contract"));
    const auto values = restored->forward(batch, pass).logits.values();
    if (!same_bits(std::span<const float>(subject.logits(batch)), values))
      return failures.push_back(
          "one restored from its state has other logits: state() leaves something out");
  }
}

}  // namespace assay
