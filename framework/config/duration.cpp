#include "config/duration.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "config/scalar.h"

namespace assay {
namespace {

constexpr double kMost = 9007199254740992.0;  // 2^53: up to here a double counts exactly

struct TokenScale {
  char sign;
  const char* exponent;
  double factor;
};
constexpr std::array<TokenScale, 3> kTokenScales = {
    {{'G', "e9", 1e9}, {'M', "e6", 1e6}, {'k', "e3", 1e3}}};

DurationError error_of(NumberError error) {
  switch (error) {
    case NumberError::none:
      return DurationError::none;
    case NumberError::range:
      return DurationError::range;
    case NumberError::fraction:
      return DurationError::fraction;
    case NumberError::syntax:
      break;
  }
  return DurationError::syntax;
}

DurationError parse_whole(const std::string& text, Duration::Unit unit, Duration& into) {
  std::int64_t number = 0;
  if (const auto error = error_of(parse_integer(text, number)); error != DurationError::none)
    return error;
  if (std::abs(static_cast<double>(number)) > kMost) return DurationError::range;
  into = {static_cast<double>(number), unit};
  return DurationError::none;
}

// Saturates: an epoch may have many steps.
std::int64_t whole_steps(double steps) {
  return static_cast<std::int64_t>(std::clamp(std::ceil(steps), -kMost, kMost));
}

DurationError parse_real_amount(std::string_view text, Duration::Unit unit, Duration& into) {
  double number = 0;
  if (const auto error = error_of(parse_real(text, number)); error != DurationError::none)
    return error;
  if (std::abs(number) > kMost) return DurationError::range;
  into = {number, unit};
  return DurationError::none;
}

// In decimal, so that 1.1Mt is exactly 1,100,000.
DurationError parse_tokens(std::string_view text, Duration& into) {
  std::string number(text);
  for (const TokenScale& scale : kTokenScales) {
    if (text.empty() || text.back() != scale.sign) continue;
    number.pop_back();
    if (number.find_first_of("eE") != std::string::npos) return DurationError::syntax;
    number += scale.exponent;
  }
  return parse_whole(number, Duration::Unit::tokens, into);
}

}  // namespace

DurationError parse_duration(std::string_view text, Duration& into) {
  if (text.empty()) return DurationError::syntax;
  const std::string_view number = text.substr(0, text.size() - 1);
  switch (text.back()) {
    case 't':
      return parse_tokens(number, into);
    case 'e':
      return parse_real_amount(number, Duration::Unit::epochs, into);
    case 's':
      return parse_real_amount(number, Duration::Unit::seconds, into);
    default:
      return parse_whole(std::string(text), Duration::Unit::steps, into);
  }
}

std::string duration_text(const Duration& duration) {
  switch (duration.unit) {
    case Duration::Unit::steps:
      return fmt::format("{}", static_cast<std::int64_t>(duration.amount));
    case Duration::Unit::epochs:
      return real_text(duration.amount) + "e";
    case Duration::Unit::seconds:
      return real_text(duration.amount) + "s";
    case Duration::Unit::tokens:
      break;
  }
  for (const TokenScale& scale : kTokenScales)
    if (duration.amount != 0 && std::fmod(duration.amount, scale.factor) == 0)
      return fmt::format("{}{}t", static_cast<std::int64_t>(duration.amount / scale.factor),
                         scale.sign);
  return fmt::format("{}t", static_cast<std::int64_t>(duration.amount));
}

std::int64_t Pace::steps(const Duration& duration) const {
  switch (duration.unit) {
    case Duration::Unit::steps:
      return static_cast<std::int64_t>(duration.amount);
    case Duration::Unit::tokens:
      return whole_steps(duration.amount / tokens_per_step);
    case Duration::Unit::epochs:
      // 1.1 epochs of 10 steps are 11 steps, although 1.1 * 10 is a little above that.
      return whole_steps(duration.amount * examples_per_epoch() / examples_per_step * (1 - 1e-12));
    case Duration::Unit::seconds:
      break;
  }
  throw std::logic_error("a duration in seconds has no number of steps");
}

}  // namespace assay
