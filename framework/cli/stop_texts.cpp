#include "cli/stop_texts.h"

#include <algorithm>
#include <utility>

namespace assay {

StopTexts::StopTexts(std::vector<std::string> stops) : stops_(std::move(stops)) {
  stops_.erase(std::remove(stops_.begin(), stops_.end(), std::string()), stops_.end());
}

std::string StopTexts::add(std::string_view bytes) {
  if (stopped_) return {};
  held_ += bytes;
  std::size_t end = std::string::npos;
  for (const std::string& stop : stops_) end = std::min(end, held_.find(stop));
  if (end != std::string::npos) {
    stopped_ = true;
    return held_.substr(0, end);
  }
  // The longest end of what is there that a stop text begins with.
  std::size_t keep = 0;
  for (const std::string& stop : stops_)
    for (std::size_t n = std::min(held_.size(), stop.size() - 1); n > keep; --n)
      if (std::string_view(held_).substr(held_.size() - n) == std::string_view(stop).substr(0, n))
        keep = n;
  std::string known = held_.substr(0, held_.size() - keep);
  held_.erase(0, known.size());
  return known;
}

std::string StopTexts::finish() {
  return stopped_ ? std::string() : std::exchange(held_, {});
}

}  // namespace assay
