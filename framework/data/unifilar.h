// Probabilistic sources of text whose entropy is known exactly.
//
//   PhraseTable table;                                   // choices at a node: text, weight, where
//   it leads table["start"] = {{"yes ", 2, "start"}, {"no ", 1, "start"}}; UnifilarSource source =
//   spell(table, "start"); std::string text = source.generate(seed, 1000); double least =
//   source.entropy_rate();                // nats per character, seeing all of the past
//   ConditionalEntropies given(source);
//   given.at(3);                                         // seeing just 3 characters
//
// A source is unifilar if state and character determine the next state (Shannon, 1948, section 7:
// what he calls the residue of influence): who has seen everything knows the state, and the entropy
// rate is the mean, over states, of the entropy of the next character. Who sees only k characters
// has a belief, a distribution over states; how beliefs change is itself such a source (the mixed
// states of Crutchfield, 1994, "The calculi of emergence").
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/api.h"

namespace assay {

/// From a state: with probability weight / (weights of the state), write symbol and go to next.
struct Transition {
  char symbol = 0;
  std::int32_t next = 0;
  std::int64_t weight = 1;
};

class ASSAY_API UnifilarSource {
 public:
  /// states[i]: the transitions from state i; texts begin in state 0. Throws Error(plugin) unless
  /// each state has one, symbols differ within a state, weights are positive and each state can be
  /// reached from each other one.
  explicit UnifilarSource(std::vector<std::vector<Transition>> states);

  std::int64_t states() const { return static_cast<std::int64_t>(first_.size()) - 1; }
  std::span<const Transition> from(std::int32_t state) const;
  std::int64_t total_weight(std::int32_t state) const {
    return total_[static_cast<std::size_t>(state)];
  }

  /// The first characters of the one endless text of this seed: a longer text begins with every
  /// shorter one.
  std::string generate(std::uint64_t seed, std::int64_t length) const;
  /// Natural logarithm of the probability of text from state 0 on; -infinity if it cannot be
  /// written.
  double log_probability(std::string_view text) const;

  /// How often each state is visited in the long run; sums to 1.
  std::vector<double> stationary() const;
  /// Nats per character: H(next character | all before).
  double entropy_rate() const;
  /// H(next character | state), in nats.
  double entropy(std::int32_t state) const;

 private:
  void check() const;
  std::vector<std::size_t> order() const;

  std::vector<Transition> transitions_;  // of all states, one after the other
  std::vector<std::size_t> first_;       // state i has transitions first_[i] ... first_[i + 1] - 1
  std::vector<std::int64_t> total_;
};

/// h_k = H(X_{k+1} | X_1 ... X_k) in nats, of a text that began long ago and of which one sees k
/// characters. Beliefs that agree to 9 digits count as one. Cheap where characters soon tell the
/// state, or leave it open in few ways; the number of beliefs may grow exponentially in k where
/// they never do. Not thread-safe.
class ASSAY_API ConditionalEntropies {
 public:
  explicit ConditionalEntropies(const UnifilarSource& source);  // source outlives it
  ~ConditionalEntropies();
  ConditionalEntropies(const ConditionalEntropies&) = delete;
  ConditionalEntropies& operator=(const ConditionalEntropies&) = delete;

  double at(std::int64_t k);
  /// Mean of h_first ... h_last.
  double mean(std::int64_t first, std::int64_t last);
  /// Distinct beliefs met so far.
  std::int64_t beliefs() const;

 private:
  class Walk;
  const UnifilarSource& source_;
  std::unique_ptr<Walk> walk_;  // made when first asked
  std::vector<double> known_;   // h_0, h_1, ...
};

/// A choice at a node of a phrase table: write text, then go on at node `next`.
struct Phrase {
  std::string text;
  std::int64_t weight = 1;
  std::string next;
};
using PhraseTable = std::map<std::string, std::vector<Phrase>>;

/// The source that writes phrases character by character, beginning at node start: the phrases of a
/// node, which share their first letters, become a tree of states. Throws Error(plugin) if a phrase
/// begins another one of its node (one could not tell which it was), is empty, or leads nowhere.
ASSAY_API UnifilarSource spell(const PhraseTable& table, const std::string& start);

}  // namespace assay
