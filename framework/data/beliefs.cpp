// ConditionalEntropies: a walk over beliefs. Each distinct belief is expanded once; after that a
// step further is a product with a sparse matrix.
#include <algorithm>
#include <array>
#include <cmath>
#include <unordered_map>
#include <utility>

#include "data/unifilar.h"

namespace assay {
namespace {

struct Likelihood {
  std::int32_t state;
  double probability;
};

struct Successor {
  std::size_t belief;
  double probability;
};

struct Belief {
  double entropy = 0;                // of the next character
  std::size_t first = 0, count = 0;  // its successors; count 0: not expanded yet
};

// Beliefs that differ by rounding only get the same key. The factor is no multiple of a power of
// two, so that simple fractions do not lie where rounding flips.
std::uint64_t quantised(double probability) {
  constexpr double kDigits = 1e9 * 1.0471975511965976;
  return static_cast<std::uint64_t>(std::llround(probability * kDigits));
}

struct Key {
  std::uint64_t low = 0x9E3779B97F4A7C15u, high = 0xC2B2AE3D27D4EB4Fu;
  void add(std::uint64_t value) {
    low = (low ^ value) * 0xFF51AFD7ED558CCDu;
    low ^= low >> 32;
    high = (high + value) * 0xC4CEB9FE1A85EC53u;
    high ^= high >> 29;
  }
  bool operator==(const Key&) const = default;
};
struct KeyHash {
  std::size_t operator()(const Key& key) const { return key.low; }
};

constexpr std::size_t kSymbols = 256;

}  // namespace

class ConditionalEntropies::Walk {
 public:
  explicit Walk(const UnifilarSource& source) : source_(source) {
    const std::vector<double> frequency = source.stationary();
    std::vector<Likelihood> over;
    for (std::size_t state = 0; state < frequency.size(); ++state)
      over.push_back({static_cast<std::int32_t>(state), frequency[state]});
    intern(over);
    weight_ = {1};
  }

  /// h of the present depth, and one character further.
  double next() {
    double entropy = 0;
    std::vector<double> ahead(beliefs_.size());
    for (std::size_t id = 0; id < weight_.size(); ++id) {
      const double weight = weight_[id];
      if (weight == 0) continue;
      if (beliefs_[id].count == 0) {
        expand(id);
        ahead.resize(beliefs_.size());
      }
      const Belief& here = beliefs_[id];
      entropy += weight * here.entropy;
      for (std::size_t i = here.first; i < here.first + here.count; ++i)
        ahead[successors_[i].belief] += weight * successors_[i].probability;
    }
    weight_ = std::move(ahead);
    return entropy;
  }

  std::int64_t beliefs() const { return static_cast<std::int64_t>(beliefs_.size()); }

 private:
  std::size_t intern(const std::vector<Likelihood>& over) {
    Key key;
    for (const Likelihood& likelihood : over) {
      key.add(static_cast<std::uint64_t>(likelihood.state));
      key.add(quantised(likelihood.probability));
    }
    const auto [found, is_new] = ids_.try_emplace(key, beliefs_.size());
    if (is_new) {
      beliefs_.emplace_back();
      over_.push_back(over);
    }
    return found->second;
  }

  // What each next character would make of the belief (Bayes).
  void expand(std::size_t id) {
    const std::vector<Likelihood> over = std::exchange(over_[id], {});
    for (const Likelihood& here : over) {
      const auto total = static_cast<double>(source_.total_weight(here.state));
      for (const Transition& transition : source_.from(here.state)) {
        const auto symbol = static_cast<unsigned char>(transition.symbol);
        if (branches_[symbol].empty()) symbols_.push_back(symbol);
        branches_[symbol].push_back(
            {transition.next, here.probability * static_cast<double>(transition.weight) / total});
      }
    }
    std::sort(symbols_.begin(), symbols_.end());
    double entropy = 0;
    const std::size_t first = successors_.size();
    for (const unsigned char symbol : symbols_) {
      const double probability = gather(branches_[symbol]);
      entropy -= probability * std::log(probability);
      successors_.push_back({intern(branches_[symbol]), probability});
      branches_[symbol].clear();
    }
    symbols_.clear();
    beliefs_[id] = {entropy, first, successors_.size() - first};
  }

  // Adds up what leads to the same state and divides by the sum, which it returns.
  static double gather(std::vector<Likelihood>& over) {
    std::sort(over.begin(), over.end(),
              [](const Likelihood& a, const Likelihood& b) { return a.state < b.state; });
    double sum = 0;
    std::size_t kept = 0;
    for (const Likelihood& likelihood : over) {
      sum += likelihood.probability;
      if (kept > 0 && over[kept - 1].state == likelihood.state)
        over[kept - 1].probability += likelihood.probability;
      else
        over[kept++] = likelihood;
    }
    over.resize(kept);
    for (Likelihood& likelihood : over) likelihood.probability /= sum;
    return sum;
  }

  const UnifilarSource& source_;
  std::vector<Belief> beliefs_;
  std::vector<std::vector<Likelihood>> over_;  // of beliefs not expanded yet: by state, sums to 1
  std::vector<Successor> successors_;
  std::unordered_map<Key, std::size_t, KeyHash> ids_;
  std::vector<double> weight_;  // probability of each belief at the present depth
  std::array<std::vector<Likelihood>, kSymbols> branches_;  // empty between calls
  std::vector<unsigned char> symbols_;
};

ConditionalEntropies::ConditionalEntropies(const UnifilarSource& source) : source_(source) {}
ConditionalEntropies::~ConditionalEntropies() = default;

double ConditionalEntropies::at(std::int64_t k) {
  if (!walk_) walk_ = std::make_unique<Walk>(source_);
  while (static_cast<std::int64_t>(known_.size()) <= k) known_.push_back(walk_->next());
  return known_[static_cast<std::size_t>(k)];
}

double ConditionalEntropies::mean(std::int64_t first, std::int64_t last) {
  double sum = 0;
  for (std::int64_t k = first; k <= last; ++k) sum += at(k);
  return sum / static_cast<double>(last - first + 1);
}

std::int64_t ConditionalEntropies::beliefs() const {
  return walk_ ? walk_->beliefs() : 0;
}

}  // namespace assay
