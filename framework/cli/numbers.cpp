#include "cli/numbers.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace assay {

std::string clock_text(double seconds) {
  if (!std::isfinite(seconds) || seconds < 0) return "-:--";
  const auto all = static_cast<std::int64_t>(std::llround(std::min(seconds, 3.6e9)));
  const std::int64_t hours = all / 3600, minutes = all / 60 % 60;
  return hours > 0 ? fmt::format("{}:{:02}:{:02}", hours, minutes, all % 60)
                   : fmt::format("{}:{:02}", minutes, all % 60);
}

std::string rate_text(double per_second) {
  if (!std::isfinite(per_second) || per_second <= 0) return "-";
  constexpr const char* kUnits[] = {"", "k", "M", "G", "T"};
  std::size_t unit = 0;
  while (per_second >= 999.5 && unit + 1 < std::size(kUnits)) {
    per_second /= 1000;
    ++unit;
  }
  const int decimals = per_second >= 99.95 || unit == 0 ? 0 : per_second >= 9.995 ? 1 : 2;
  return fmt::format("{:.{}f}{}", per_second, decimals, kUnits[unit]);
}

std::string work_text(double operations) {
  const char* prefix = "";
  for (const char* next : {"k", "M", "G", "T", "P", "E"}) {
    if (operations < 1000) break;
    operations /= 1000;
    prefix = next;
  }
  return fmt::format("{:.3g} {}FLOP", operations, prefix);
}

std::string metric_text(double value) {
  const double size = std::abs(value);
  if (value == 0 || (size >= 1e-3 && size < 1e4)) return fmt::format("{:.4f}", value);
  return fmt::format("{:.6g}", value);
}

std::string exact_text(double value) {
  return fmt::format("{}", value);
}

}  // namespace assay
