#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "base/text.h"
#include "config/scalar.h"
#include "results/expression_node.h"
#include "results/summary.h"

namespace assay {
namespace {

using Node = Expression::Node;
constexpr int kDeepest = 64;
constexpr int kMostOperations = 1000;  // each is a level of the tree, where they stand in a row

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool starts_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (c & 0x80) != 0;
}

struct Token {
  enum class Kind { number, name, quoted_name, text, symbol, end };
  Kind kind = Kind::end;
  std::size_t at = 0, end = 0;
  std::string text;
};

class Parser {
 public:
  Parser(const std::string& text, const std::string& what) : text_(text), what_(what) { advance(); }

  Node whole() { return disjunction(); }
  bool take(std::string_view symbol) {
    if (!is(symbol)) return false;
    advance();
    return true;
  }
  bool at_end() const { return token_.kind == Token::Kind::end; }
  bool is_plain_name() const {
    const bool taken = is_word(token_) || token_.text == "true" || token_.text == "false" ||
                       token_.text == "baseline";
    return token_.kind == Token::Kind::name && !taken && token_.end == text_.size();
  }
  const Token& token() const { return token_; }
  std::size_t last_end() const { return last_end_; }
  [[noreturn]] void fail(std::size_t at, const std::string& message) const {
    fail_at(what_, text_, at, message);
  }
  [[noreturn]] void unexpected(const std::string& wanted) const {
    fail(token_.at, fmt::format("wanted {}, got {}", wanted,
                                at_end() ? "the end"
                                         : quote(text_.substr(token_.at, token_.end - token_.at))));
  }

 private:
  bool is(std::string_view symbol) const {
    const bool word = token_.kind == Token::Kind::symbol || token_.kind == Token::Kind::name;
    return word && token_.text == symbol;
  }
  bool is_word(const Token& token) const {
    return token.text == "and" || token.text == "or" || token.text == "not";
  }

  void advance() {
    last_end_ = token_.end;
    std::size_t at = token_.end;
    while (at < text_.size() && (text_[at] == ' ' || text_[at] == '\t' || text_[at] == '\n')) ++at;
    token_ = {Token::Kind::end, at, at, ""};
    if (at == text_.size()) return;
    const char c = text_[at];
    if (is_digit(c) || (c == '.' && at + 1 < text_.size() && is_digit(text_[at + 1]))) {
      read_number();
    } else if (starts_name(c)) {
      read_name();
    } else if (c == '"' || c == '\'' || c == '`') {
      const std::size_t close = text_.find(c, at + 1);
      if (close == std::string::npos) fail(at, fmt::format("this {} is not closed", c));
      const auto kind = c == '`' ? Token::Kind::quoted_name : Token::Kind::text;
      token_ = {kind, at, close + 1, text_.substr(at + 1, close - at - 1)};
    } else {
      for (const char* symbol :
           {"==", "!=", "<=", ">=", "<", ">", "+", "-", "*", "/", "%", "(", ")", ","}) {
        if (text_.compare(at, std::string_view(symbol).size(), symbol) != 0) continue;
        token_ = {Token::Kind::symbol, at, at + std::string_view(symbol).size(), symbol};
        return;
      }
      if (c == '=') fail(at, "one '=' means nothing here; to compare, write '=='");
      fail(at, fmt::format("{} means nothing here", quote(text_.substr(at, 1))));
    }
  }

  void read_number() {
    std::size_t end = token_.at;
    const auto digits = [&] {
      while (end < text_.size() && is_digit(text_[end])) ++end;
    };
    digits();
    if (end < text_.size() && text_[end] == '.') {
      ++end;
      digits();
    }
    if (end < text_.size() && (text_[end] == 'e' || text_[end] == 'E')) {
      ++end;
      if (end < text_.size() && (text_[end] == '-' || text_[end] == '+')) ++end;
      digits();
    }
    token_ = {Token::Kind::number, token_.at, end, text_.substr(token_.at, end - token_.at)};
  }

  /// A "/" or "." belongs to a name where a letter follows (after "." also a digit: a list's item).
  void read_name() {
    std::size_t end = token_.at;
    while (end < text_.size()) {
      const char c = text_[end];
      const char next = end + 1 < text_.size() ? text_[end + 1] : ' ';
      const bool joint =
          (c == '/' && starts_name(next)) || (c == '.' && (starts_name(next) || is_digit(next)));
      if (!starts_name(c) && !is_digit(c) && !joint) break;
      ++end;
    }
    token_ = {Token::Kind::name, token_.at, end, text_.substr(token_.at, end - token_.at)};
  }

  template <class Operand>
  Node chain(std::initializer_list<std::string_view> operations, Operand operand) {
    Node left = operand();
    while (const char* found = one_of(operations)) left = binary(found, std::move(left), operand);
    return left;
  }
  const char* one_of(std::initializer_list<std::string_view> operations) const {
    for (const std::string_view operation : operations)
      if (is(operation)) return operation.data();
    return nullptr;
  }
  template <class Operand>
  Node binary(std::string operation, Node left, Operand operand) {
    Node node;
    if (++operations_ > kMostOperations)
      fail(token_.at, fmt::format("has more than {} operations", kMostOperations));
    node.kind = Node::Kind::binary;
    node.at = token_.at;
    node.text = std::move(operation);
    advance();
    node.parts.push_back(std::move(left));
    node.parts.push_back(operand());
    return node;
  }
  template <class Operand>
  Node unary(const std::string& operation, Operand operand) {
    Node node;
    node.kind = Node::Kind::unary;
    node.at = token_.at;
    node.text = operation;
    advance();
    node.parts.push_back(operand());
    return node;
  }

  Node disjunction() {
    return chain({"or"}, [this] { return conjunction(); });
  }
  Node conjunction() {
    return chain({"and"}, [this] { return negation(); });
  }
  Node negation() {
    if (is("not")) return nested([this] { return unary("not", [this] { return negation(); }); });
    return comparison();
  }
  Node comparison() {
    const std::initializer_list<std::string_view> operations = {
        std::string_view("=="), std::string_view("!="), std::string_view("<="),
        std::string_view(">="), std::string_view("<"),  std::string_view(">")};
    Node left = sum();
    const char* found = one_of(operations);
    if (!found) return left;
    Node node = binary(found, std::move(left), [this] { return sum(); });
    if (one_of(operations)) fail(token_.at, "join two comparisons with 'and'");
    return node;
  }
  Node sum() {
    return chain({"+", "-"}, [this] { return product(); });
  }
  Node product() {
    return chain({"*", "/", "%"}, [this] { return factor(); });
  }
  Node factor() {
    if (is("-")) return nested([this] { return unary("-", [this] { return factor(); }); });
    return primary();
  }

  template <class Read>
  Node nested(Read read) {
    if (++depth_ > kDeepest) fail(token_.at, "is nested too deeply");
    Node node = read();
    --depth_;
    return node;
  }

  Node primary() {
    Node node;
    node.at = token_.at;
    if (token_.kind == Token::Kind::number) {
      double value = 0;
      if (parse_real(token_.text, value) != NumberError::none)
        fail(token_.at, fmt::format("{} is no number", quote(token_.text)));
      node.literal = Outcome::of(value);
      advance();
      return node;
    }
    if (token_.kind == Token::Kind::text) {
      node.literal = Outcome::of(token_.text);
      advance();
      return node;
    }
    if (is("(")) {
      return nested([this] {
        advance();
        Node inner = disjunction();
        if (!take(")")) unexpected("')'");
        return inner;
      });
    }
    const bool quoted = token_.kind == Token::Kind::quoted_name;
    if (!quoted && (token_.kind != Token::Kind::name || is_word(token_)))
      unexpected("a number, a name or '('");
    const Token name = token_;
    advance();
    if (!quoted && (name.text == "true" || name.text == "false")) {
      node.literal = Outcome::yes_or_no(name.text == "true");
    } else if (!quoted && name.text == "baseline") {
      node = baseline(node);
    } else if (!quoted && is("(")) {
      node = measure(node, name);
    } else {
      node.kind = Node::Kind::name;
      node.text = name.text;
    }
    return node;
  }

  Node baseline(Node node) {
    node.kind = Node::Kind::baseline;
    if (!take("(")) return node;
    node.parts.push_back(nested([this] { return disjunction(); }));
    if (!take(")")) unexpected("')'");
    return node;
  }

  Node measure(Node node, const Token& function) {
    const std::vector<std::string> names = measure_names();
    if (std::find(names.begin(), names.end(), function.text) == names.end()) {
      std::string message = fmt::format("no function {}", quote(function.text));
      if (const auto near = near_match(function.text, names))
        message += fmt::format("; did you mean {}?", *near);
      else
        message += fmt::format("; there are {}", join(names));
      fail(function.at, message);
    }
    node.kind = Node::Kind::measure;
    node.measure.function = function.text;
    advance();
    if ((token_.kind != Token::Kind::name || is_word(token_)) &&
        token_.kind != Token::Kind::quoted_name)
      unexpected("the name of a metric");
    node.at = token_.at;
    node.text = token_.text;
    advance();
    if (function.text == "at") {
      if (!take(",")) unexpected("',' and a step");
      if (token_.kind != Token::Kind::number ||
          parse_integer(token_.text, node.measure.step) != NumberError::none)
        unexpected("a step (a whole number)");
      advance();
    }
    if (!take(")")) unexpected("')'");
    return node;
  }

  const std::string& text_;
  const std::string& what_;
  Token token_;
  std::size_t last_end_ = 0;
  int depth_ = 0, operations_ = 0;
};

}  // namespace

std::string name_text(const std::string& name) {
  const std::string what = "name";
  const bool starts = !name.empty() && starts_name(name[0]);
  return starts && Parser(name, what).is_plain_name() ? name : "`" + name + "`";
}

// Of a long text the part around the byte, and where that is in it.
std::pair<std::string, std::size_t> around(const std::string& text, std::size_t at) {
  constexpr std::size_t kBefore = 60, kMost = 100;
  const auto continues = [&](std::size_t i) { return (text[i] & 0xC0) == 0x80; };
  std::size_t from = text.size() > kMost && at > kBefore ? at - kBefore : 0;
  while (from > 0 && continues(from)) --from;
  std::size_t to = std::min(text.size(), from + kMost);
  while (to < text.size() && continues(to)) ++to;
  std::string line = text.substr(from, to - from);
  std::replace(line.begin(), line.end(), '\n', ' ');
  std::size_t mark = at - from;
  if (from > 0) {
    line.insert(0, "...");
    mark += 3;
  }
  return {to < text.size() ? line + "..." : line, mark};
}

void fail_at(const std::string& what, const std::string& text, std::size_t at,
             const std::string& message) {
  const auto [line, mark] = around(text, at);
  const auto before = std::count_if(line.begin(), line.begin() + static_cast<std::ptrdiff_t>(mark),
                                    [](char c) { return (c & 0xC0) != 0x80; });
  throw Error(ExitCode::usage, fmt::format("{}: {}\n  {}\n  {}^", what, message, line,
                                           std::string(static_cast<std::size_t>(before), ' ')));
}

std::vector<ParsedExpression> parse_expressions(const std::string& text, const std::string& what,
                                                bool single) {
  Parser parser(text, what);
  std::vector<ParsedExpression> parsed;
  do {
    ParsedExpression one;
    one.start = parser.token().at;
    one.root = parser.whole();
    one.end = parser.last_end();
    parsed.push_back(std::move(one));
  } while (!single && parser.take(","));
  if (!parser.at_end())
    parser.unexpected(single ? "an operator or the end" : "an operator, ',' or the end");
  return parsed;
}

}  // namespace assay
