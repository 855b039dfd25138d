#include "config/problems.h"

#include <algorithm>
#include <iterator>
#include <memory>
#include <string_view>
#include <tuple>
#include <utility>

#include "base/error.h"
#include "base/text.h"

namespace assay {
namespace {

constexpr std::ptrdiff_t kMostLines =
    200;  // more than anyone reads; a wrong file can have thousands

}  // namespace

void Problems::add(const Location& at, std::string message) {
  // The same mistake in every run of a sweep is one problem.
  const std::string where = at.text();
  if (std::any_of(list_.begin(), list_.end(), [&](const Problem& known) {
        return known.where == where && known.message == message;
      }))
    return;
  const std::string_view source = at.source ? std::string_view(*at.source) : std::string_view();
  if (std::find(sources_.begin(), sources_.end(), source) == sources_.end())
    sources_.emplace_back(source);
  const auto rank = [this](const Location& place) {
    const auto found =
        std::find(sources_.begin(), sources_.end(), place.source ? *place.source : std::string());
    return std::tuple(found - sources_.begin(), place.line, place.column);
  };
  const auto behind =
      std::upper_bound(list_.begin(), list_.end(), at,
                       [&](const Location& a, const Problem& b) { return rank(a) < rank(b.at); });
  list_.insert(behind, Problem{where, std::move(message), at});
}

void Problems::add(std::string where, std::string message) {
  add(Location{std::make_shared<const std::string>(std::move(where)), 0, 0}, std::move(message));
}

std::string Problems::text() const {
  std::string result;
  for (std::ptrdiff_t i = 0; i < std::ssize(list_); ++i) {
    if (i > 0) result += '\n';
    if (i == kMostLines)
      return result + "and " + human_count(std::ssize(list_) - kMostLines) + " more";
    const Problem& problem = list_[static_cast<std::size_t>(i)];
    if (!problem.where.empty()) result += problem.where + ": ";
    result += problem.message;
  }
  return result;
}

void Problems::raise() const {
  if (!empty()) throw Error(ExitCode::usage, text());
}

}  // namespace assay
