#include "config/problems.h"

#include <algorithm>
#include <memory>
#include <tuple>
#include <utility>

#include "base/error.h"
#include "base/text.h"

namespace assay {
namespace {

constexpr std::size_t kMostProblems =
    200;  // more than anyone reads; a wrong file can have thousands

std::string text_of(const Problem& problem) {
  // A message of several lines shows itself what it is about.
  const bool shows = problem.message.find('\n') != std::string::npos;
  return (problem.where.empty() ? "" : problem.where + ": ") + problem.message +
         (shows ? "" : excerpt(problem.at));
}

}  // namespace

void Problems::add(const Location& at, std::string message) {
  std::string where = at.text();
  if (!known_.insert(where + '\n' + message).second) return;
  const std::size_t source =
      sources_.emplace(at.source ? at.source->name : std::string(), sources_.size()).first->second;
  found_.push_back({{std::move(where), std::move(message), at}, source});
}

void Problems::add(std::string where, std::string message) {
  add(Location::of(std::move(where)), std::move(message));
}

std::vector<Problem> Problems::list() const {
  std::vector<const Found*> order;
  for (const Found& found : found_) order.push_back(&found);
  const auto place = [](const Found& found) {
    return std::tuple(found.source, found.problem.at.line, found.problem.at.column);
  };
  std::stable_sort(order.begin(), order.end(),
                   [&](const Found* a, const Found* b) { return place(*a) < place(*b); });
  std::vector<Problem> list;
  for (const Found* found : order) list.push_back(found->problem);
  return list;
}

std::string Problems::text() const {
  std::string result;
  const std::vector<Problem> all = list();
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (i > 0) result += '\n';
    if (i == kMostProblems)
      return result + "and " + human_count(static_cast<std::int64_t>(all.size() - kMostProblems)) +
             " more";
    result += text_of(all[i]);
  }
  return result;
}

void Problems::raise() const {
  if (!empty()) throw Error(ExitCode::usage, text());
}

std::string problem_text(const Location& at, const std::string& message) {
  return text_of({at.text(), message, at});
}

}  // namespace assay
