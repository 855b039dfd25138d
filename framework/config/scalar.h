// How the text of a scalar is typed: the only place that turns configuration text into numbers and
// back.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/api.h"

namespace assay {

enum class NumberError { none, syntax, range, fraction };

/// Decimal with an optional sign; leading zeros mean nothing; also 1e3 and 2.0 where exactly an
/// integer. fraction: a number, but no integer.
ASSAY_API NumberError parse_integer(std::string_view text, std::int64_t& value);
/// As std::from_chars over the whole text, with an optional `+`; finite. range: beyond double, to
/// either side.
ASSAY_API NumberError parse_real(std::string_view text, double& value);
ASSAY_API std::optional<bool> parse_boolean(std::string_view text);

/// The shortest text that parse_real reads back as the same double ("0.1", "1e-08").
std::string real_text(double value);
/// The same, but "8" for a whole number of moderate size, as integer options want it.
std::string number_text(double value);

/// Whether YAML takes the plain text for null.
bool reads_as_null(std::string_view text);
/// Whether the plain text is a number, a truth value or null for us or for other readers of YAML
/// ("1_000", "yes", "0x10", "1:30"), so that text which says this needs quotes.
bool reads_as_other_than_text(std::string_view text);

/// A list's item named in a path: decimal digits only, below size.
std::optional<std::size_t> list_index(std::string_view text, std::size_t size);

}  // namespace assay
