#include "train/next_logits.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <exception>
#include <limits>

#include "base/parallel.h"

namespace assay {
namespace {

// Positions of a part: enough that its products are worth a task, and keep their speed.
constexpr std::int64_t kPartPositions = 32;

// Where a part begins: later ones are shorter, as each of their positions sees more. In fours,
// which products like.
std::int64_t begin_of(std::int64_t part, std::int64_t parts, std::int64_t n) {
  if (part == parts) return n;
  return n * part * (13 * parts - 3 * part) / (10 * parts * parts) / 4 * 4;
}

void check_distribution(std::span<const float> logits) {
  bool some = false;
  for (const float logit : logits) {
    if (std::isnan(logit) || logit > std::numeric_limits<float>::max())
      throw NotFinite(
          fmt::format("a logit of the next token is {}: no text comes from such weights",
                      std::isnan(logit) ? "nan" : "inf"));
    some = some || std::isfinite(logit);
  }
  if (!some) throw NotFinite("no token can be the next one: all logits are -inf");
}

}  // namespace

std::int64_t longest_window(const Model& model) {
  return model.longest_input() > 0 ? model.longest_input() : model.reach();
}

NextLogits::NextLogits(const Model& model, const Parameters& parameters, std::int64_t most,
                       std::span<const std::int32_t> source)
    : model_(model), parameters_(parameters), source_(source), window_(longest_window(model)) {
  const std::int64_t longest = model.longest_input();
  if (!model.caches()) return;
  cache_.emplace(1, longest > 0 ? longest : most);
  cache_->set_wanted(KeyValueCache::Wanted::last);
}

void NextLogits::select(std::span<const std::int64_t> origins) {
  rows_ = static_cast<std::int64_t>(origins.size());
  if (cache_) cache_->select(origins);
}

std::span<const float> NextLogits::operator()(std::span<const std::int32_t> ids) {
  if (ids.empty())
    throw Error(ExitCode::usage,
                "the prompt is empty: a model needs at least one token to continue");
  const auto count = static_cast<std::int64_t>(ids.size());
  if (window_ >= 0 && count > window_) return anew(ids.last(static_cast<std::size_t>(window_)), 0);
  if (!cache_) return anew(ids, 0);
  const auto fresh = ids.last(static_cast<std::size_t>(count - cache_->length()));
  const auto logits = runner_.run(*this, fresh, 1, &*cache_);
  check_distribution(logits);
  return logits;
}

std::vector<std::span<const float>> NextLogits::operator()(std::span<const Ids> sequences) {
  std::vector<std::span<const float>> found(sequences.size());
  if (sequences.size() == 1) {
    found[0] = (*this)(sequences[0]);
    return found;
  }
  const auto count = static_cast<std::int64_t>(sequences[0].size());
  if (!cache_ || (window_ >= 0 && count > window_)) {
    const auto seen = static_cast<std::size_t>(window_ < 0 ? count : std::min(count, window_));
    sliding_.resize(std::max(sliding_.size(), sequences.size()));
    parallel_for(static_cast<std::int64_t>(sequences.size()), [&](std::int64_t row) {
      const auto r = static_cast<std::size_t>(row);
      found[r] = anew(std::span<const std::int32_t>(sequences[r]).last(seen), r);
    });
    return found;
  }
  Ids fresh;  // [rows, n]
  for (const Ids& ids : sequences)
    fresh.insert(fresh.end(), ids.begin() + cache_->length(), ids.end());
  const auto logits = runner_.run(*this, fresh, rows_, &*cache_);
  const std::size_t classes = logits.size() / sequences.size();
  for (std::size_t row = 0; row < sequences.size(); ++row) {
    found[row] = logits.subspan(row * classes, classes);
    check_distribution(found[row]);
  }
  return found;
}

std::span<const float> NextLogits::anew(std::span<const std::int32_t> window, std::size_t row) {
  if (sliding_.size() <= row) sliding_.resize(row + 1);
  if (!sliding_[row])
    sliding_[row] = std::make_unique<Sliding>(
        Sliding{KeyValueCache(1, static_cast<std::int64_t>(window.size())), {}});
  Sliding& sliding = *sliding_[row];
  // What is kept of a source, or by a recurrent layer, belongs to the first pass over a sequence.
  const bool caches = cache_ && source_.empty() && !cache_->has_states();
  sliding.cache.clear();
  sliding.cache.set_wanted(KeyValueCache::Wanted::last);
  const auto logits = sliding.runner.run(*this, window, 1, caches ? &sliding.cache : nullptr);
  check_distribution(logits);
  return logits;
}

std::span<const float> NextLogits::Runner::run(const NextLogits& asked,
                                               std::span<const std::int32_t> ids, std::int64_t rows,
                                               KeyValueCache* cache) {
  const std::int64_t n = static_cast<std::int64_t>(ids.size()) / rows;
  const bool splits = cache && rows == 1 && asked.source_.empty() &&
                      asked.model_.longest_input() > 0 && !cache->has_states();
  const std::int64_t parts = splits ? (n + kPartPositions - 1) / kPartPositions : 1;
  while (static_cast<std::int64_t>(tapes_.size()) < parts)
    tapes_.push_back(std::make_unique<Tape>(false));
  std::span<const float> logits;
  if (parts == 1) {
    logits = pass(asked, ids, rows, cache, *tapes_[0]);
  } else {
    // Each begins when those before it have begun: it may wait for them.
    std::atomic<std::int64_t> begun{0};
    const std::int64_t length = cache->length();
    std::vector<std::exception_ptr> errors(static_cast<std::size_t>(parts));
    parallel_for(parts, [&](std::int64_t) {
      const std::int64_t part = begun++;
      const std::int64_t from = begin_of(part, parts, n), to = begin_of(part + 1, parts, n);
      KeyValueCache own = cache->part(length + from);
      if (part + 1 < parts) own.set_wanted(KeyValueCache::Wanted::none);
      try {
        const auto last = pass(
            asked, ids.subspan(static_cast<std::size_t>(from), static_cast<std::size_t>(to - from)),
            1, &own, *tapes_[static_cast<std::size_t>(part)]);
        if (part + 1 == parts) logits = last;
      } catch (...) {
        errors[static_cast<std::size_t>(part)] = std::current_exception();
        own.abandon();
      }
    });
    for (const auto& error : errors)  // that of the first part is the cause of the others
      if (error) std::rethrow_exception(error);
  }
  if (cache) cache->advance(n);
  return logits;
}

std::span<const float> NextLogits::Runner::pass(const NextLogits& asked,
                                                std::span<const std::int32_t> ids,
                                                std::int64_t rows, KeyValueCache* cache,
                                                Tape& tape) {
  const std::int64_t n = static_cast<std::int64_t>(ids.size()) / rows;
  Batch batch(rows);
  std::copy(ids.begin(), ids.end(), batch.add_ids("input", {rows, n}).begin());
  if (const auto& from = asked.source_; !from.empty()) {
    const auto source = batch.add_ids("source", {rows, static_cast<std::int64_t>(from.size())});
    for (auto to = source.begin(); to != source.end();
         to += static_cast<std::ptrdiff_t>(from.size()))
      std::copy(from.begin(), from.end(), to);
  }
  tape.reset();
  Pass pass(tape, asked.parameters_, {}, Mode::evaluate, Random(0, "generate"));
  pass.cache = cache;
  const Tensor logits = asked.model_.forward(batch, pass).logits;  // [rows, n or 1, K]
  const auto classes = static_cast<std::size_t>(logits.shape()[-1]);
  const auto row_size = logits.values().size() / static_cast<std::size_t>(rows);
  if (rows == 1 || row_size == classes)
    return logits.values().last(classes * static_cast<std::size_t>(rows));
  logits_.clear();
  for (std::int64_t row = 1; row <= rows; ++row) {
    const auto last = logits.values().first(static_cast<std::size_t>(row) * row_size).last(classes);
    logits_.insert(logits_.end(), last.begin(), last.end());
  }
  return logits_;
}

}  // namespace assay
