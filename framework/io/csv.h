// Tables of text: records of fields, as RFC 4180 has them, with any separator.
//
//   for (const CsvRecord& r : parse_csv(text, ',', Quotes::fields, "pets.csv"))
//     use(r.fields[0], r.line);
//
// Records end with LF, CR LF or a lone CR; empty lines are none. Errors: Error(data), file:line.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/api.h"

namespace assay {

struct CsvRecord {
  std::vector<std::string> fields;
  std::size_t line = 1;  // where it begins, from 1
};

/// What a double quote at the start of a field means.
enum class Quotes {
  fields /* the field goes to the next single one, over separators and lines; "" is a quote */,
  none /* itself: tab-separated text as it is usually written */
};

/// file names the text in messages. A quote within a field that does not begin with one is itself.
ASSAY_API std::vector<CsvRecord> parse_csv(std::string_view text, char separator, Quotes quotes,
                                           const std::string& file);

}  // namespace assay
