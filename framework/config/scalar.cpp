#include "config/scalar.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <system_error>

namespace assay {
namespace {

constexpr bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

std::string_view digits_of(std::string_view& text) {
  std::size_t count = 0;
  while (count < text.size() && is_digit(text[count])) ++count;
  const std::string_view digits = text.substr(0, count);
  text.remove_prefix(count);
  return digits;
}

bool take_sign(std::string_view& text) {
  const bool negative = !text.empty() && text[0] == '-';
  if (!text.empty() && (text[0] == '-' || text[0] == '+')) text.remove_prefix(1);
  return negative;
}

// A decimal number as digits x 10^exponent, without zeros at either end of digits; empty digits are
// zero.
struct Decimal {
  bool negative = false;
  std::string digits;
  std::int64_t exponent = 0;
};

std::optional<Decimal> parse_decimal(std::string_view text) {
  Decimal result;
  result.negative = take_sign(text);
  result.digits = digits_of(text);
  if (!text.empty() && text[0] == '.') {
    text.remove_prefix(1);
    const std::string_view fraction = digits_of(text);
    result.digits += fraction;
    result.exponent = -static_cast<std::int64_t>(fraction.size());
  }
  if (result.digits.empty()) return std::nullopt;
  if (!text.empty() && (text[0] == 'e' || text[0] == 'E')) {
    text.remove_prefix(1);
    const bool negative = take_sign(text);
    const std::string_view digits = digits_of(text);
    if (digits.empty()) return std::nullopt;
    std::int64_t shift = 0;
    // Any exponent that does not fit is as good as this one: no text has as many digits.
    if (std::from_chars(digits.data(), digits.data() + digits.size(), shift).ec != std::errc())
      shift = std::numeric_limits<std::int64_t>::max() / 2;
    result.exponent += negative ? -shift : shift;
  }
  if (!text.empty()) return std::nullopt;
  result.digits.erase(0, std::min(result.digits.find_first_not_of('0'), result.digits.size()));
  while (!result.digits.empty() && result.digits.back() == '0') {
    result.digits.pop_back();
    ++result.exponent;
  }
  return result;
}

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return result;
}

}  // namespace

NumberError parse_integer(std::string_view text, std::int64_t& value) {
  const auto decimal = parse_decimal(text);
  if (!decimal) return NumberError::syntax;
  if (decimal->digits.empty()) {
    value = 0;
    return NumberError::none;
  }
  if (decimal->exponent < 0) return NumberError::fraction;
  constexpr std::int64_t kMostDigits = std::numeric_limits<std::int64_t>::digits10 + 1;
  const auto count = static_cast<std::int64_t>(decimal->digits.size());
  if (count > kMostDigits || decimal->exponent > kMostDigits - count) return NumberError::range;
  std::string whole = decimal->negative ? "-" : "";
  whole += decimal->digits;
  whole.append(static_cast<std::size_t>(decimal->exponent), '0');
  const auto [end, error] = std::from_chars(whole.data(), whole.data() + whole.size(), value);
  return error == std::errc() ? NumberError::none : NumberError::range;
}

NumberError parse_real(std::string_view text, double& value) {
  if (!parse_decimal(text)) return NumberError::syntax;  // so that inf and nan are not numbers
  if (text[0] == '+') text.remove_prefix(1);
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc::result_out_of_range) return NumberError::range;
  return error == std::errc() && end == text.data() + text.size() ? NumberError::none
                                                                  : NumberError::syntax;
}

std::optional<bool> parse_boolean(std::string_view text) {
  if (text == "true") return true;
  if (text == "false") return false;
  return std::nullopt;
}

std::string real_text(double value) {
  return fmt::format("{}", value);
}

std::string number_text(double value) {
  if (value == std::floor(value) && std::abs(value) < 1e15)
    return std::to_string(static_cast<std::int64_t>(value));
  return real_text(value);
}

bool reads_as_null(std::string_view text) {
  return text.empty() || text == "~" || text == "null" || text == "Null" || text == "NULL";
}

bool reads_as_other_than_text(std::string_view text) {
  constexpr std::array<std::string_view, 16> words = {
      "null", "true", "false", "yes",  "no",    "on",    "off",  "y",
      "n",    "inf",  "nan",   ".inf", "-.inf", "+.inf", ".nan", "~"};
  if (text.empty()) return true;
  if (text.size() <= 5 && std::find(words.begin(), words.end(), lower(text)) != words.end())
    return true;
  const std::size_t start = std::min(text.find_first_not_of("+-."), text.size() - 1);
  return is_digit(text[start]) &&
         text.find_first_not_of("0123456789abcdefABCDEFxXoOTZ_:.+-") == std::string_view::npos;
}

std::optional<std::size_t> list_index(std::string_view text, std::size_t size) {
  std::size_t index = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), index);
  if (error != std::errc() || end != text.data() + text.size() || index >= size)
    return std::nullopt;
  return index;
}

}  // namespace assay
