#include "experiment/failure_watch.h"

#include <fmt/format.h>

namespace assay {
namespace {

// Steps and figures differ between runs that fail for one reason.
std::string without_numbers(const std::string& message) {
  std::string text;
  for (const char c : message) {
    const bool digit = c >= '0' && c <= '9';
    if (!digit)
      text += c;
    else if (text.empty() || text.back() != '#')
      text += '#';
  }
  return text;
}

}  // namespace

bool FailureWatch::saw(const RunRecord& record) {
  const std::lock_guard lock(mutex_);
  if (record.status != RunStatus::failed) {
    alike_ = 0;
    return !reason_.empty();
  }
  ++failures_;
  const std::string message = without_numbers(record.message);
  alike_ = alike_ > 0 && message == last_ ? alike_ + 1 : 1;
  last_ = message;
  if (!reason_.empty()) return true;
  if (stop_after_ && *stop_after_ > 0 && failures_ >= *stop_after_)
    reason_ =
        fmt::format("{} failed", failures_ == 1 ? "a run" : fmt::format("{} runs", failures_));
  else if (!stop_after_ && alike_ >= kAlike)
    reason_ = fmt::format("{} runs in a row failed alike: {}", alike_, record.message);
  return !reason_.empty();
}

std::string FailureWatch::reason() const {
  const std::lock_guard lock(mutex_);
  return reason_;
}

}  // namespace assay
