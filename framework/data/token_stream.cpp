#include "data/token_stream.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "base/text.h"

namespace assay {

TokenStream::TokenStream(std::vector<std::int32_t> ids, std::string name)
    : ids_(std::move(ids)), name_(std::move(name)) {}

std::int64_t TokenStream::windows(std::int64_t context) const {
  if (size() > context) return size() - context;
  throw Error(ExitCode::data,
              fmt::format("{} has {} token{}, but a window of context {} and its last target take "
                          "{}; use more text, a smaller context, or another share for validation",
                          name_, human_count(size()), size() == 1 ? "" : "s", context,
                          human_count(context + 1)));
}

Batch TokenStream::batch(std::span<const Example> examples, const Request& request) const {
  const std::int64_t context = request.context, history = request.history, count = windows(context);
  const auto rows = static_cast<std::int64_t>(examples.size());
  Batch batch(rows);
  auto input = batch.add_ids("input", {rows, context}).begin();
  auto target = batch.add_ids("target", {rows, context}).begin();
  std::span<std::int32_t> before;
  if (history > 0) before = batch.add_ids("history", {rows, history});
  auto past = before.begin();
  for (const auto& [start, skip] : examples) {
    if (start < 0 || start >= count)
      throw Error(ExitCode::data, fmt::format("{}: no window {} of context {}: there are {}", name_,
                                              start, context, human_count(count)));
    const auto from = ids_.begin() + start;
    input = std::copy_n(from, context, input);
    const std::int64_t skipped = std::min(skip, context);
    target = std::fill_n(target, skipped, -1);
    target = std::copy(from + 1 + skipped, from + 1 + context, target);
    if (history == 0) continue;
    const std::int64_t known = std::min(start, history);
    past = std::fill_n(past, history - known, -1);
    past = std::copy(from - known, from, past);
  }
  return batch;
}

std::vector<Example> TokenStream::cover(const Request& request) const {
  const std::int64_t context = request.context, last = windows(context) - 1;
  std::vector<Example> examples;
  std::int64_t next = request.history + 1;  // first target not counted yet
  for (std::int64_t start = 0;; start = std::min(start + context, last)) {
    const std::int64_t skip = std::max<std::int64_t>(0, next - (start + 1));
    if (skip < context) examples.push_back({start, skip});
    next = std::max(next, start + context + 1);
    if (start == last) break;
  }
  if (examples.empty())
    throw Error(ExitCode::data,
                fmt::format("{} has {} tokens, none of which has {} before it; use more text or a "
                            "smaller context",
                            name_, human_count(size()), request.history + 1));
  return examples;
}

}  // namespace assay
