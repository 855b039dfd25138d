#include "nn/positions.h"

#include <fmt/format.h>

#include <cmath>

#include "base/error.h"
#include "nn/key_value_cache.h"

namespace assay {
namespace {

constexpr double kBase = 10000;

double frequency(std::size_t pair, std::size_t width) {
  return std::pow(kBase, -2.0 * static_cast<double>(pair) / static_cast<double>(width));
}

// The slopes of ALiBi: 2^(-8 (h + 1) / H) where H is a power of two; else those of the power below,
// and every second one of the power above (Press et al., 2022, in the code of the paper).
std::vector<double> alibi_slopes(std::int64_t heads) {
  std::int64_t power = 1;
  while (2 * power <= heads) power *= 2;
  std::vector<double> slopes;
  for (std::int64_t h = 1; h <= power; ++h)
    slopes.push_back(std::exp2(-8.0 * static_cast<double>(h) / static_cast<double>(power)));
  for (std::int64_t h = 1; static_cast<std::int64_t>(slopes.size()) < heads; h += 2)
    slopes.push_back(std::exp2(-4.0 * static_cast<double>(h) / static_cast<double>(power)));
  return slopes;
}

// [H, 2 C - 1]: minus slope times how far away.
std::vector<float> alibi_table(std::int64_t heads, std::int64_t context) {
  std::vector<float> table;
  for (const double slope : alibi_slopes(heads))
    for (std::int64_t distance = 1 - context; distance < context; ++distance)
      table.push_back(static_cast<float>(-slope * std::abs(static_cast<double>(distance))));
  return table;
}

}  // namespace

std::vector<float> sinusoidal_encoding(std::int64_t positions, std::int64_t width) {
  const auto w = static_cast<std::size_t>(width);
  std::vector<float> table(static_cast<std::size_t>(positions) * w);
  for (std::size_t n = 0; n < static_cast<std::size_t>(positions); ++n)
    for (std::size_t i = 0; i < w; ++i) {
      const double angle = frequency(i / 2, w) * static_cast<double>(n);
      table[n * w + i] = static_cast<float>(i % 2 == 0 ? std::sin(angle) : std::cos(angle));
    }
  return table;
}

RotaryTable::RotaryTable(std::int64_t positions, std::int64_t head_width)
    : half_(static_cast<std::size_t>(head_width / 2)) {
  for (std::int64_t n = 0; n < positions; ++n)
    for (std::size_t i = 0; i < half_; ++i) {
      const double angle = frequency(i, 2 * half_) * static_cast<double>(n);
      cosines_.push_back(static_cast<float>(std::cos(angle)));
      sines_.push_back(static_cast<float>(std::sin(angle)));
    }
}

RotaryAngles RotaryTable::angles(std::int64_t first, std::int64_t count) const {
  const std::size_t at = static_cast<std::size_t>(first) * half_;
  const std::size_t numbers = static_cast<std::size_t>(count) * half_;
  return {std::span(cosines_).subspan(at, numbers), std::span(sines_).subspan(at, numbers)};
}

Positions::Positions(const Scope& scope, const PositionOptions& options) : options_(options) {
  const std::int64_t context = options.context;
  const Initialiser start = Initialiser::normal(options.deviation);
  switch (options.kind) {
    case PositionKind::none:
      break;
    case PositionKind::learned:
      learned_ = scope.add("", {context, options.width}, start);
      break;
    case PositionKind::sinusoidal:
      fixed_ = sinusoidal_encoding(context, options.width);
      break;
    case PositionKind::rotary:
      rotary_ = std::make_shared<RotaryTable>(context, options.width / options.heads);
      break;
    case PositionKind::alibi:
      fixed_ = alibi_table(options.heads, context);
      break;
    case PositionKind::relative:
      learned_ = scope.add("", {options.heads, options.causal ? context : 2 * context - 1}, start);
      break;
  }
}

Tensor Positions::table(Pass& pass) const {
  if (learned_) return pass.parameter(learned_);
  const std::int64_t rows =
      options_.kind == PositionKind::alibi ? options_.heads : options_.context;
  // A tensor's numbers can be written; no operation writes to those of a leaf.
  return pass.tape().variable({rows, static_cast<std::int64_t>(fixed_.size()) / rows},
                              const_cast<float*>(fixed_.data()), nullptr);
}

Tensor Positions::add_to(Tensor x, std::span<const std::uint8_t> keys, Pass& pass) const {
  const std::int64_t rows = x.shape()[0], added = x.shape()[1];
  const std::int64_t first = pass.cache ? pass.cache->length() : 0, all = first + added;
  if (all > options_.context)
    throw Error(ExitCode::usage, fmt::format("{}: {} positions, but its context is {}",
                                             options_.owner, all, options_.context));
  if (!keys.empty() && static_cast<std::int64_t>(keys.size()) != rows * all)
    throw Error(ExitCode::usage,
                fmt::format("{}: the mask has {} marks, but there are {} x {} positions",
                            options_.owner, keys.size(), rows, all));
  if (options_.kind != PositionKind::learned && options_.kind != PositionKind::sinusoidal) return x;
  if (keys.empty()) return add_positions(x, table(pass), first);
  auto* ids = static_cast<std::int32_t*>(
      pass.tape().arena().take(static_cast<std::size_t>(rows * added) * sizeof(std::int32_t)));
  for (std::int64_t row = 0; row < rows; ++row) {
    std::int32_t real = 0;
    for (std::int64_t n = 0; n < all; ++n) {
      const bool is_real = keys[static_cast<std::size_t>(row * all + n)] != 0;
      if (n >= first) ids[row * added + n - first] = is_real ? real : -1;
      real += is_real;
    }
  }
  const std::span<const std::int32_t> positions = {ids, static_cast<std::size_t>(rows * added)};
  return add(x, embedding(table(pass), positions, {rows, added}));
}

AttentionPositions Positions::for_attention(Pass& pass) const {
  AttentionPositions told;
  told.rotary = rotary_.get();
  if (options_.kind != PositionKind::alibi && options_.kind != PositionKind::relative) return told;
  told.bias.values = table(pass);
  told.bias.first = told.bias.values.shape()[1] == options_.context ? 0 : 1 - options_.context;
  return told;
}

}  // namespace assay
