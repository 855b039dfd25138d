#include "experiment/admission.h"

#include <algorithm>
#include <utility>

namespace assay {

Admission::Admission(std::vector<double> needs, double budget)
    : needs_(std::move(needs)), left_(budget) {
  for (std::size_t i = needs_.size(); i-- > 0;) waiting_.push_back(i);
}

std::optional<std::size_t> Admission::next() {
  const std::lock_guard lock(mutex_);
  const auto fits = [&](std::size_t run) { return in_flight_ == 0 || needs_[run] <= left_; };
  const auto found = std::find_if(waiting_.rbegin(), waiting_.rend(), fits);
  if (found == waiting_.rend()) return std::nullopt;
  const std::size_t run = *found;
  waiting_.erase(std::next(found).base());
  left_ -= needs_[run];
  ++in_flight_;
  return run;
}

void Admission::ended(std::size_t run) {
  const std::lock_guard lock(mutex_);
  left_ += needs_[run];
  --in_flight_;
}

}  // namespace assay
