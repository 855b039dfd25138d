#include "io/csv.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "base/text.h"

namespace assay {
namespace {

class Parser {
 public:
  Parser(std::string_view text, char separator, Quotes quotes, const std::string& file)
      : text_(text), separator_(separator), quotes_(quotes), file_(file) {}

  std::vector<CsvRecord> all() {
    std::vector<CsvRecord> records;
    while (at_ < text_.size()) {
      if (end_line()) continue;  // an empty one
      CsvRecord record{{}, line_};
      do record.fields.push_back(field());
      while (next_is(separator_));
      end_line();
      records.push_back(std::move(record));
    }
    return records;
  }

 private:
  bool next_is(char c) {
    const bool is = at_ < text_.size() && text_[at_] == c;
    at_ += is;
    return is;
  }

  bool end_line() {
    const bool carriage_return = next_is('\r'), feed = next_is('\n');
    line_ += carriage_return || feed;
    return carriage_return || feed;
  }

  std::string field() {
    if (quotes_ == Quotes::fields && next_is('"')) return quoted();
    const char ends[] = {separator_, '\r', '\n'};
    const std::size_t end =
        std::min(text_.find_first_of(std::string_view(ends, 3), at_), text_.size());
    const std::string_view value = text_.substr(at_, end - at_);
    at_ = end;
    return std::string(value);
  }

  std::string quoted() {
    const std::size_t opened = line_;
    std::string value;
    while (true) {
      const std::size_t closing = text_.find('"', at_);
      if (closing == std::string_view::npos)
        fail(opened, "the field that opens with a double quote here never closes");
      const std::string_view part = text_.substr(at_, closing - at_);
      line_ += lines_in(part);
      value += part;
      at_ = closing + 1;
      if (!next_is('"')) break;
      value += '"';
    }
    if (at_ < text_.size() && text_[at_] != separator_ && text_[at_] != '\r' && text_[at_] != '\n')
      fail(line_,
           fmt::format("after the double quote that ends a field wanted {} or the end of "
                       "the line, got {}; a quote within a field is written twice",
                       quote(std::string_view(&separator_, 1)), quote(text_.substr(at_, 1))));
    return value;
  }

  static std::size_t lines_in(std::string_view text) {
    std::size_t lines = 0;
    for (std::size_t i = 0; i < text.size(); ++i)
      lines += text[i] == '\n' || (text[i] == '\r' && text.substr(i + 1, 1) != "\n");
    return lines;
  }

  [[noreturn]] void fail(std::size_t line, const std::string& what) const {
    throw Error(ExitCode::data, fmt::format("{}:{}: {}", file_, line, what));
  }

  std::string_view text_;
  char separator_;
  Quotes quotes_;
  const std::string& file_;
  std::size_t at_ = 0, line_ = 1;
};

}  // namespace

std::vector<CsvRecord> parse_csv(std::string_view text, char separator, Quotes quotes,
                                 const std::string& file) {
  return Parser(text, separator, quotes, file).all();
}

}  // namespace assay
