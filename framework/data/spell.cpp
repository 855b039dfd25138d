#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <numeric>
#include <unordered_map>

#include "base/error.h"
#include "data/unifilar.h"

namespace assay {
namespace {

// What may still be written within a phrase, and the node that it leads to.
struct Rest {
  std::string_view text;
  std::int64_t weight;
  std::int32_t node;
};
using Rests = std::vector<Rest>;

// A state is a set of rests: places from which the same can follow, equally often, are one state.
// That keeps a source small, since many words end alike.
class Speller {
 public:
  explicit Speller(const PhraseTable& table) {
    std::unordered_map<std::string_view, std::int32_t> ids;
    for (const auto& [name, phrases] : table) ids.emplace(name, static_cast<int>(ids.size()));
    for (const auto& [name, phrases] : table) nodes_.push_back(read(name, phrases, ids));
    node_states_.assign(nodes_.size(), -1);
  }

  UnifilarSource spell(std::int32_t start) {
    state_of_node(start);
    for (; !open_.empty(); open_.pop_front())
      expand(open_.front().state, std::move(open_.front().rests));
    return UnifilarSource(std::move(states_));
  }

 private:
  struct Open {
    std::int32_t state;
    Rests rests;
  };

  static Rests read(const std::string& name, const std::vector<Phrase>& phrases,
                    const std::unordered_map<std::string_view, std::int32_t>& ids) {
    const auto refuse = [&](std::string_view what) {
      throw Error(ExitCode::plugin, fmt::format("phrase table: node '{}' {}", name, what));
    };
    if (phrases.empty()) refuse("has no phrases");
    Rests rests;
    std::int64_t divisor = 0;
    for (const auto& [text, weight, next] : phrases) {
      if (text.empty()) refuse("has an empty phrase");
      if (weight < 1) refuse("has a weight below 1");
      const auto found = ids.find(next);
      if (found == ids.end()) refuse(fmt::format("leads to '{}', which is no node", next));
      rests.push_back({text, weight, found->second});
      divisor = std::gcd(divisor, weight);
    }
    std::sort(rests.begin(), rests.end(),
              [](const Rest& a, const Rest& b) { return a.text < b.text; });
    for (std::size_t i = 1; i < rests.size(); ++i)
      if (rests[i].text.starts_with(rests[i - 1].text))
        refuse(fmt::format("has '{}', with which '{}' begins: which it was could not be told",
                           rests[i - 1].text, rests[i].text));
    return rests;
  }

  std::int32_t state_of_node(std::int32_t node) {
    const auto at = static_cast<std::size_t>(node);
    if (node_states_[at] < 0) node_states_[at] = state_of(nodes_[at]);
    return node_states_[at];
  }

  std::int32_t state_of(Rests rests) {
    std::int64_t divisor = 0;
    for (const Rest& rest : rests) divisor = std::gcd(divisor, rest.weight);
    std::string key;
    for (Rest& rest : rests) {
      rest.weight /= divisor;
      const std::int64_t numbers[] = {static_cast<std::int64_t>(rest.text.size()), rest.weight,
                                      rest.node};
      key.append(reinterpret_cast<const char*>(numbers), sizeof numbers);
      key.append(rest.text);
    }
    const auto [found, is_new] =
        state_by_rests_.try_emplace(std::move(key), static_cast<std::int32_t>(states_.size()));
    if (is_new) {
      states_.emplace_back();
      open_.push_back({found->second, std::move(rests)});
    }
    return found->second;
  }

  // rests are sorted: those with the same first character stand together.
  void expand(std::int32_t state, const Rests& rests) {
    for (auto begin = rests.begin(); begin != rests.end();) {
      const char symbol = begin->text.front();
      std::int64_t weight = 0;
      Rests after;
      for (; begin != rests.end() && begin->text.front() == symbol; ++begin) {
        weight += begin->weight;
        after.push_back({begin->text.substr(1), begin->weight, begin->node});
      }
      const bool ends = after.front().text.empty();
      const std::int32_t next =
          ends ? state_of_node(after.front().node) : state_of(std::move(after));
      states_[static_cast<std::size_t>(state)].push_back({symbol, next, weight});
    }
  }

  std::vector<Rests> nodes_;  // in the order of their names
  std::vector<std::int32_t> node_states_;
  std::vector<std::vector<Transition>> states_;
  std::unordered_map<std::string, std::int32_t> state_by_rests_;
  std::deque<Open> open_;
};

}  // namespace

UnifilarSource spell(const PhraseTable& table, const std::string& start) {
  const auto found = table.find(start);
  if (found == table.end())
    throw Error(ExitCode::plugin, fmt::format("phrase table: no node '{}' to begin at", start));
  return Speller(table).spell(static_cast<std::int32_t>(std::distance(table.begin(), found)));
}

}  // namespace assay
