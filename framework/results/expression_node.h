// For expression*.cpp alone: the parsed form of an expression.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "results/expression.h"

namespace assay {

struct Expression::Node {
  enum class Kind { literal, name, measure, baseline, unary, binary };
  Kind kind = Kind::literal;
  std::size_t at = 0;  // of the byte in the text, for messages
  std::string text;    // of a name, or an operator: "not", "-", "<"
  Outcome literal;
  Measure measure;  // of the metric `text`
  std::vector<Node> parts;
};

/// Text with a mark below the byte at which something is wrong.
[[noreturn]] void fail_at(const std::string& what, const std::string& text, std::size_t at,
                          const std::string& message);

/// The expressions of a list; a single one if `single`. Each with where it starts and ends.
struct ParsedExpression {
  Expression::Node root;
  std::size_t start = 0, end = 0;
};
std::vector<ParsedExpression> parse_expressions(const std::string& text, const std::string& what,
                                                bool single);

inline bool is_comparison(const std::string& operation) {
  return operation == "==" || operation == "!=" || operation == "<" || operation == "<=" ||
         operation == ">" || operation == ">=";
}

}  // namespace assay
