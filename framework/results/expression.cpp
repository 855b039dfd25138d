#include "results/expression.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/error.h"
#include "base/text.h"
#include "config/scalar.h"
#include "results/expression_node.h"

namespace assay {
namespace {

using Node = Expression::Node;
using Kind = Outcome::Kind;

const char* kind_text(Kind kind) {
  switch (kind) {
    case Kind::number:
      return "a number";
    case Kind::text:
      return "text";
    case Kind::truth:
      return "true or false";
    case Kind::missing:
      break;
  }
  return "missing";
}

bool known(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// Evaluates one expression for one run.
class Evaluation {
 public:
  Evaluation(const std::string& what, const std::string& text, const Subject& subject,
             const Subject* baseline)
      : what_(what), text_(text), subject_(subject), baseline_(baseline) {}

  Outcome of(const Node& node) const {
    switch (node.kind) {
      case Node::Kind::literal:
        return node.literal;
      case Node::Kind::name:
        return subject_.value(node.text);
      case Node::Kind::measure:
        return Outcome::of(subject_.measure(node.measure, node.text));
      case Node::Kind::baseline:
        return of_baseline(node);
      case Node::Kind::unary:
        return of_unary(node);
      case Node::Kind::binary:
        break;
    }
    if (node.text == "and" || node.text == "or") return of_junction(node);
    if (is_comparison(node.text)) return of_comparison(node);
    return of_arithmetic(node);
  }

 private:
  [[noreturn]] void fail(const Node& node, const std::string& message) const {
    fail_at(what_, text_, node.at, message);
  }
  void need(Kind wanted, const Outcome& got, const Node& part, const Node& operation) const {
    if (got.missing() || got.kind == wanted) return;
    fail(part, fmt::format("{} needs {}, this is {}", quote(operation.text), kind_text(wanted),
                           kind_text(got.kind)));
  }

  Outcome of_baseline(const Node& node) const {
    if (!baseline_) fail(node, "there is no baseline here");
    const Node* meant = node.parts.empty() ? other_side_ : &node.parts[0];
    if (!meant) fail(node, "'baseline' stands for the other side of a comparison: baseline(...)");
    return Evaluation(what_, text_, *baseline_, nullptr).of(*meant);
  }

  Outcome of_unary(const Node& node) const {
    const Outcome part = of(node.parts[0]);
    if (part.missing()) return part;
    if (node.text == "-") {
      need(Kind::number, part, node.parts[0], node);
      return Outcome::of(-part.number);
    }
    need(Kind::truth, part, node.parts[0], node);
    return Outcome::yes_or_no(!part.truth);
  }

  /// Three-valued: what one side decides alone is decided, also where the other is missing.
  Outcome of_junction(const Node& node) const {
    const bool deciding = node.text == "or";
    bool missing = false;
    for (const Node& part : node.parts) {
      const Outcome side = of(part);
      need(Kind::truth, side, part, node);
      if (side.missing())
        missing = true;
      else if (side.truth == deciding)
        return Outcome::yes_or_no(deciding);
    }
    return missing ? Outcome() : Outcome::yes_or_no(!deciding);
  }

  Outcome side_of_comparison(const Node& node, std::size_t side) const {
    const Node& part = node.parts[side];
    Evaluation inner = *this;
    inner.other_side_ = &node.parts[1 - side];
    Outcome outcome = inner.of(part);
    const bool equality = node.text == "==" || node.text == "!=";
    if (outcome.missing() && equality && side == 1 && part.kind == Node::Kind::name &&
        part.literal.kind == Kind::text)
      return part.literal;
    return outcome;
  }

  Outcome of_comparison(const Node& node) const {
    const Outcome left = side_of_comparison(node, 0), right = side_of_comparison(node, 1);
    if (left.missing() || right.missing()) return {};
    if (node.text == "==" || node.text == "!=") {
      const bool equal =
          left.kind == right.kind && left.truth == right.truth &&
          (left.kind == Kind::number ? left.number == right.number : left.text == right.text);
      return Outcome::yes_or_no(equal == (node.text == "=="));
    }
    need(Kind::number, left, node.parts[0], node);
    need(Kind::number, right, node.parts[1], node);
    const double a = left.number, b = right.number;
    if (std::isnan(a) || std::isnan(b)) return {};
    return Outcome::yes_or_no(node.text == "<"    ? a < b
                              : node.text == "<=" ? a <= b
                              : node.text == ">"  ? a > b
                                                  : a >= b);
  }

  Outcome of_arithmetic(const Node& node) const {
    const Outcome left = of(node.parts[0]), right = of(node.parts[1]);
    need(Kind::number, left, node.parts[0], node);
    need(Kind::number, right, node.parts[1], node);
    if (left.missing() || right.missing()) return {};
    const double a = left.number, b = right.number;
    return Outcome::of(node.text == "+"   ? a + b
                       : node.text == "-" ? a - b
                       : node.text == "*" ? a * b
                       : node.text == "/" ? a / b
                                          : std::fmod(a, b));
  }

  const std::string& what_;
  const std::string& text_;
  const Subject& subject_;
  const Subject* baseline_;
  const Node* other_side_ = nullptr;  // of the comparison that this is a side of
};

bool has_baseline(const Node& node) {
  return node.kind == Node::Kind::baseline ||
         std::any_of(node.parts.begin(), node.parts.end(), has_baseline);
}

void collect_measures(const Node& node, std::vector<std::string>& into) {
  if (node.kind == Node::Kind::measure) into.push_back(node.measure.function);
  for (const Node& part : node.parts) collect_measures(part, into);
}

/// Whether a name is the right side of == or !=: there it may be text.
void check_node(const Node& node, bool may_be_text, const KnownNames& names,
                const std::string& what, const std::string& text) {
  if (node.kind == Node::Kind::name || node.kind == Node::Kind::measure) {
    const bool is_metric = known(names.metrics, node.text);
    const bool is_other = node.kind == Node::Kind::name && known(names.others, node.text);
    if (is_metric || is_other || may_be_text) return;
    std::vector<std::string> near = names.metrics;
    if (node.kind == Node::Kind::name)
      near.insert(near.end(), names.others.begin(), names.others.end());
    const char* wanted = node.kind == Node::Kind::name ? "name" : "metric";
    std::string message = fmt::format("no run has a {} {}", wanted, quote(node.text));
    if (const auto match = near_match(node.text, near))
      message += fmt::format("; did you mean {}?", *match);
    else if (!names.metrics.empty())
      message += fmt::format("; the metrics are {}", join(names.metrics));
    fail_at(what, text, node.at, message);
  }
  const bool equality = node.text == "==" || node.text == "!=";
  for (std::size_t i = 0; i < node.parts.size(); ++i)
    check_node(node.parts[i], node.kind == Node::Kind::binary && equality && i == 1, names, what,
               text);
}

/// The right side of == and != keeps its name as the text that it may be.
void mark_texts(Node& node) {
  if (node.kind == Node::Kind::binary && (node.text == "==" || node.text == "!=") &&
      node.parts[1].kind == Node::Kind::name)
    node.parts[1].literal = Outcome::of(node.parts[1].text);
  for (Node& part : node.parts) mark_texts(part);
}

}  // namespace

Outcome Outcome::of_scalar(const std::string& text) {
  double number = 0;
  if (parse_real(text, number) == NumberError::none) return {Kind::number, number, text, false};
  if (const auto truth = parse_boolean(text)) return yes_or_no(*truth);
  return of(text);
}

Expression::Expression(std::shared_ptr<const std::string> whole, std::string what, std::string text,
                       std::shared_ptr<const Node> root)
    : whole_(std::move(whole)),
      what_(std::move(what)),
      text_(std::move(text)),
      root_(std::move(root)) {}

Expression Expression::parse(const std::string& text, const std::string& what) {
  std::vector<ParsedExpression> parsed = parse_expressions(text, what, true);
  mark_texts(parsed[0].root);
  return {std::make_shared<const std::string>(text), what, text,
          std::make_shared<const Node>(std::move(parsed[0].root))};
}

std::vector<Expression> Expression::parse_list(const std::string& text, const std::string& what) {
  const auto whole = std::make_shared<const std::string>(text);
  std::vector<Expression> list;
  for (ParsedExpression& one : parse_expressions(text, what, false)) {
    mark_texts(one.root);
    list.push_back(Expression(whole, what, text.substr(one.start, one.end - one.start),
                              std::make_shared<const Node>(std::move(one.root))));
  }
  return list;
}

const std::string& Expression::text() const {
  return text_;
}

void Expression::check(const KnownNames& names) const {
  check_node(*root_, false, names, what_, *whole_);
}

Outcome Expression::evaluate(const Subject& subject, const Subject* baseline) const {
  return Evaluation(what_, *whole_, subject, baseline).of(*root_);
}

bool Expression::holds(const Subject& subject) const {
  const Outcome outcome = evaluate(subject);
  if (!outcome.missing() && outcome.kind != Kind::truth)
    fail_at(what_, *whole_, root_->at,
            fmt::format("wanted a condition, such as 'val/loss < 2'; this is {}",
                        kind_text(outcome.kind)));
  return !outcome.missing() && outcome.truth;
}

std::vector<std::string> Expression::measures() const {
  std::vector<std::string> names;
  collect_measures(*root_, names);
  return names;
}

bool Expression::mentions_baseline() const {
  return has_baseline(*root_);
}

}  // namespace assay
