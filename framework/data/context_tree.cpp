#include "data/context_tree.h"

#include <algorithm>
#include <numeric>
#include <string>

#include "base/error.h"

namespace assay {
namespace {

constexpr int kTokenBits = 32;

std::uint64_t key_of(ContextTree::Node node, std::int32_t token) {
  return (static_cast<std::uint64_t>(node) << kTokenBits) | static_cast<std::uint32_t>(token);
}

ContextTree::Node node_of(std::uint64_t key) {
  return static_cast<ContextTree::Node>(key >> kTokenBits);
}

std::int32_t token_of(std::uint64_t key) {
  return static_cast<std::int32_t>(key & 0xFFFFFFFFU);
}

}  // namespace

ContextTree::Node ContextTree::child(Node node, std::int32_t token) const {
  const auto at = static_cast<std::size_t>(node);
  const auto begin = tokens_.begin() + (first_children_[at] - 1);
  const auto end = tokens_.begin() + (first_children_[at + 1] - 1);
  const auto found = std::lower_bound(begin, end, token);
  if (found == end || *found != token) return kNone;
  return static_cast<Node>(found - tokens_.begin()) + 1;
}

ContextTree::Successors ContextTree::successors(Node node) const {
  const auto first = static_cast<std::size_t>(derived_.firsts[static_cast<std::size_t>(node)]);
  const auto last = static_cast<std::size_t>(derived_.firsts[static_cast<std::size_t>(node) + 1]);
  return {std::span(derived_.tokens).subspan(first, last - first),
          std::span(derived_.counts).subspan(first, last - first)};
}

std::pair<ContextTree::Node, ContextTree::Node> ContextTree::level(std::int64_t length) const {
  const auto at = static_cast<std::size_t>(length);
  if (at + 1 >= levels_.size()) return {0, 0};
  return {levels_[at], levels_[at + 1]};
}

void ContextTree::index() {
  const std::size_t nodes = parents_.size() + 1;
  first_children_.assign(nodes + 1, static_cast<Node>(nodes));
  for (std::size_t n = nodes - 1; n > 0; --n)
    first_children_[static_cast<std::size_t>(parents_[n - 1])] = static_cast<Node>(n);
  for (std::size_t n = nodes; n-- > 0;)  // a node without children: where the next one's begin
    first_children_[n] = std::min(first_children_[n], first_children_[n + 1]);
  levels_ = {0, 1};
  while (levels_.back() < static_cast<Node>(nodes))
    levels_.push_back(first_children_[static_cast<std::size_t>(levels_.back())]);
}

// From the longest contexts to the shortest; a node's list is gathered token by token.
void ContextTree::derive(Shorter shorter, std::int64_t longest) {
  const std::size_t nodes = parents_.size() + 1;
  const std::int32_t tokens =
      counted_.tokens.empty()
          ? 0
          : *std::max_element(counted_.tokens.begin(), counted_.tokens.end()) + 1;
  const Node whole = level(longest).second > 0 ? level(longest).first : static_cast<Node>(nodes);
  std::vector<std::int64_t> sum(static_cast<std::size_t>(tokens));
  std::vector<std::int32_t> met;
  Lists backwards;  // of the last node first
  backwards.firsts = {0};
  std::vector<std::size_t> place(nodes);  // of a node's list within backwards
  for (std::size_t node = nodes; node-- > 0;) {
    const bool is_whole = static_cast<Node>(node) >= whole;
    const auto gather = [&](const Lists& lists, std::size_t list) {
      for (auto i = static_cast<std::size_t>(lists.firsts[list]);
           i < static_cast<std::size_t>(lists.firsts[list + 1]); ++i) {
        auto& count = sum[static_cast<std::size_t>(lists.tokens[i])];
        if (count == 0) met.push_back(lists.tokens[i]);
        count += shorter == Shorter::sums || is_whole ? lists.counts[i] : 1;
      }
    };
    gather(counted_, node);
    for (Node c = first_children_[node]; c < first_children_[node + 1]; ++c)
      gather(backwards, place[static_cast<std::size_t>(c)]);
    std::sort(met.begin(), met.end());
    place[node] = backwards.firsts.size() - 1;
    for (const std::int32_t token : met) {
      backwards.tokens.push_back(token);
      backwards.counts.push_back(std::exchange(sum[static_cast<std::size_t>(token)], 0));
    }
    met.clear();
    backwards.firsts.push_back(static_cast<std::int64_t>(backwards.tokens.size()));
  }
  derived_ = {};
  derived_.firsts.pop_back();
  for (std::size_t node = 0; node < nodes; ++node) {
    const auto first = backwards.firsts[place[node]], last = backwards.firsts[place[node] + 1];
    derived_.tokens.insert(derived_.tokens.end(), backwards.tokens.begin() + first,
                           backwards.tokens.begin() + last);
    derived_.counts.insert(derived_.counts.end(), backwards.counts.begin() + first,
                           backwards.counts.begin() + last);
    derived_.firsts.push_back(static_cast<std::int64_t>(derived_.tokens.size()));
  }
}

void ContextTree::state(StateIo& io, const char* owner, std::int64_t vocabulary,
                        std::int64_t longest) {
  std::vector<std::int64_t> parents(parents_.begin(), parents_.end());
  std::vector<std::int64_t> tokens(tokens_.begin(), tokens_.end());
  std::vector<std::int64_t> followers(counted_.tokens.begin(), counted_.tokens.end());
  io.integers("parents", parents);
  io.integers("tokens", tokens);
  io.integers("firsts", counted_.firsts);
  io.integers("followers", followers);
  io.integers("counts", counted_.counts);
  if (!io.restores()) return;
  const auto require = [&](bool holds) {
    if (!holds) throw Error(ExitCode::data, std::string(owner) + ": the saved counts are damaged");
  };
  const auto are_tokens = [&](const std::vector<std::int64_t>& ids) {
    return std::all_of(ids.begin(), ids.end(),
                       [&](std::int64_t id) { return id >= 0 && id < vocabulary; });
  };
  const std::size_t nodes = parents.size() + 1;
  require(tokens.size() == parents.size() && are_tokens(tokens) && are_tokens(followers));
  for (std::size_t i = 0; i < parents.size(); ++i)
    require(parents[i] >= 0 && parents[i] <= static_cast<std::int64_t>(i) &&
            (i == 0 || parents[i] > parents[i - 1] ||
             (parents[i] == parents[i - 1] && tokens[i] > tokens[i - 1])));
  const auto& firsts = counted_.firsts;
  require(firsts.size() == nodes + 1 && firsts.front() == 0 &&
          firsts.back() == static_cast<std::int64_t>(followers.size()) &&
          std::is_sorted(firsts.begin(), firsts.end()) &&
          counted_.counts.size() == followers.size());
  require(std::all_of(counted_.counts.begin(), counted_.counts.end(),
                      [](std::int64_t count) { return count > 0; }));
  for (std::size_t n = 0; n < nodes; ++n)
    for (std::int64_t i = firsts[n] + 1; i < firsts[n + 1]; ++i)
      require(followers[static_cast<std::size_t>(i)] > followers[static_cast<std::size_t>(i) - 1]);
  parents_.assign(parents.begin(), parents.end());
  tokens_.assign(tokens.begin(), tokens.end());
  counted_.tokens.assign(followers.begin(), followers.end());
  index();
  require(static_cast<std::int64_t>(levels_.size()) - 2 <= longest);
}

std::size_t ContextCounter::KeyNumbers::place(std::uint64_t key) const {
  const std::size_t mask = table_.size() - 1;
  std::size_t at = (key * 0x9E3779B97F4A7C15U) >> shift_;  // Fibonacci hashing (Knuth, 6.4)
  while (table_[at] >= 0 && keys_[static_cast<std::size_t>(table_[at])] != key)
    at = (at + 1) & mask;
  return at;
}

std::int32_t ContextCounter::KeyNumbers::number(std::uint64_t key) {
  if (2 * (keys_.size() + 1) > table_.size()) {
    --shift_;
    table_.assign(std::size_t{1} << (64 - shift_), -1);
    for (std::size_t i = 0; i < keys_.size(); ++i)
      table_[place(keys_[i])] = static_cast<std::int32_t>(i);
  }
  std::int32_t& number = table_[place(key)];
  if (number < 0) {
    number = static_cast<std::int32_t>(keys_.size());
    keys_.push_back(key);
  }
  return number;
}

void ContextCounter::add(std::span<const std::int32_t> context, std::int32_t token) {
  const std::size_t length = std::min(context.size(), static_cast<std::size_t>(longest_));
  ContextTree::Node node = ContextTree::kRoot;
  for (std::size_t back = 1; back <= length; ++back)
    node = nodes_.number(key_of(node, context[context.size() - back])) + 1;
  const auto event = static_cast<std::size_t>(events_.number(key_of(node, token)));
  if (event == counts_.size()) counts_.push_back(0);
  ++counts_[event];
}

ContextTree ContextCounter::tree() const {
  const std::vector<std::uint64_t>& keys = nodes_.keys();
  // A parent was met before its children, so the lengths are known in one sweep.
  std::vector<std::int64_t> length(keys.size() + 1);
  for (std::size_t i = 0; i < keys.size(); ++i)
    length[i + 1] = length[static_cast<std::size_t>(node_of(keys[i]))] + 1;
  std::vector<std::vector<ContextTree::Node>> levels;
  for (std::size_t n = 0; n < length.size(); ++n) {
    levels.resize(std::max(levels.size(), static_cast<std::size_t>(length[n]) + 1));
    levels[static_cast<std::size_t>(length[n])].push_back(static_cast<ContextTree::Node>(n));
  }
  ContextTree tree;
  std::vector<ContextTree::Node> renumbered(length.size(), ContextTree::kRoot);
  for (std::size_t l = 1; l < levels.size(); ++l) {
    std::vector<std::pair<std::uint64_t, ContextTree::Node>> sorted;
    for (const ContextTree::Node n : levels[l]) {
      const std::uint64_t key = keys[static_cast<std::size_t>(n) - 1];
      sorted.emplace_back(key_of(renumbered[static_cast<std::size_t>(node_of(key))], token_of(key)),
                          n);
    }
    std::sort(sorted.begin(), sorted.end());
    for (const auto& [key, n] : sorted) {
      tree.parents_.push_back(node_of(key));
      tree.tokens_.push_back(token_of(key));
      renumbered[static_cast<std::size_t>(n)] =
          static_cast<ContextTree::Node>(tree.parents_.size());
    }
  }
  tree.index();

  std::vector<std::pair<std::uint64_t, std::int64_t>> events;
  for (std::size_t i = 0; i < counts_.size(); ++i) {
    const std::uint64_t key = events_.keys()[i];
    events.emplace_back(key_of(renumbered[static_cast<std::size_t>(node_of(key))], token_of(key)),
                        counts_[i]);
  }
  std::sort(events.begin(), events.end());
  std::vector<std::int64_t>& firsts = tree.counted_.firsts;
  firsts.assign(length.size() + 1, 0);
  for (const auto& [key, count] : events) {
    ++firsts[static_cast<std::size_t>(node_of(key)) + 1];
    tree.counted_.tokens.push_back(token_of(key));
    tree.counted_.counts.push_back(count);
  }
  std::partial_sum(firsts.begin(), firsts.end(), firsts.begin());
  return tree;
}

}  // namespace assay
