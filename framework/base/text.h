// Text for people: near matches of misspelt names, lists in sentences, quoting, and numbers as one
// reads them.
//
//   near_match("widht", {"heads", "width"})   // "width"
//   join({"pre", "post"}, "or")               // "pre or post"
//   human_bytes(1536)                         // "1.5 KiB"
//
// All functions are pure. Numbers do not depend on the locale.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/api.h"

namespace assay {

/// Insertions, deletions, replacements and swaps of neighbours that turn a into b: optimal string
/// alignment (Damerau, 1964, "A technique for computer detection and correction of spelling
/// errors"). Counts bytes.
ASSAY_API std::size_t edit_distance(std::string_view a, std::string_view b);
/// The candidate that was most likely meant (the first among equals), if any is near: at most a
/// third of the longer name wrong, letter case aside.
ASSAY_API std::optional<std::string> near_match(std::string_view name,
                                                const std::vector<std::string>& candidates);

/// "a", "a and b", "a, b and c"; last_word stands before the last item.
ASSAY_API std::string join(const std::vector<std::string>& items,
                           std::string_view last_word = "and");
/// In single quotes, control characters and bytes that are not UTF-8 as \xNN, cut after `longest`
/// characters (with "...").
ASSAY_API std::string quote(std::string_view text, std::size_t longest = 60);
/// As quote, with double quotes.
ASSAY_API std::string double_quote(std::string_view text, std::size_t longest = 60);

/// "512 B", "1.5 KiB", "16 MiB": one decimal where it is not 0.
ASSAY_API std::string human_bytes(double bytes);
/// "112,065".
ASSAY_API std::string human_count(std::int64_t count);
/// "350 ms", "2.5 s", "4 min 05 s", "3 h 20 min", "2 d 04 h".
ASSAY_API std::string human_duration(double seconds);

}  // namespace assay
