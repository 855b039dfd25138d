#include "contract/failures.h"

#include <utility>

namespace assay {

void Failures::start(std::string name) {
  if (!open_.empty()) checks_[open_.back()].group = true;
  open_.push_back(checks_.size());
  checks_.push_back({std::move(name), {}, {}});
  if (watch_.started) watch_.started(checks_.back());
}

void Failures::push_back(std::string failure) {
  if (!open_.empty()) checks_[open_.back()].failures.push_back(failure);
  all_.push_back(std::move(failure));
}

void Failures::finish() {
  const std::size_t ended = open_.back();
  open_.pop_back();
  if (watch_.ended) watch_.ended(checks_[ended]);
}

void Failures::skip(std::string name, std::string why) {
  start(std::move(name));
  checks_.back().skipped = std::move(why);
  finish();
}

}  // namespace assay
