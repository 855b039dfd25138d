// How often each token followed each context, for contexts of every length up to the longest.
//
//   ContextCounter counter(2);
//   counter.add(context, token);          // context: the tokens before it, the latest last
//   ContextTree tree = counter.tree();
//   tree.derive(ContextTree::Shorter::sums);
//   auto [tokens, counts] = tree.successors(tree.child(ContextTree::kRoot, latest));
//
// A tree of contexts by their latest token, the one before that, and so on: a child is the context
// of its parent with one token more in front. What was counted stands at the nodes of the contexts
// it was counted with; derive() says what shorter contexts have from the longer ones that end in
// them.
// Threads: const functions, any.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "base/api.h"
#include "base/state.h"

namespace assay {

class ASSAY_API ContextTree {
 public:
  using Node = std::int32_t;
  static constexpr Node kRoot = 0, kNone = -1;

  /// What a context has of those that are longer by one: their counts, or in how many of them a
  /// token followed at all (the continuation counts of Kneser and Ney, 1995, where a beginning
  /// counts as one token that may stand before). Its own counts are treated alike.
  enum class Shorter { sums, distinct };
  void derive(Shorter shorter, std::int64_t longest);

  /// The context with `token` in front; kNone if it was never met.
  Node child(Node node, std::int32_t token) const;
  struct Successors {
    std::span<const std::int32_t> tokens;  // ascending
    std::span<const std::int64_t> counts;
  };
  /// REQUIRES derive.
  Successors successors(Node node) const;
  /// The nodes of contexts of this length: from .first to before .second.
  std::pair<Node, Node> level(std::int64_t length) const;

  /// Saves and restores what was counted; derive() is needed again. Throws Error(data), naming
  /// owner, for what no counting over `vocabulary` tokens and contexts of `longest` gives.
  void state(StateIo& io, const char* owner, std::int64_t vocabulary, std::int64_t longest);

 private:
  friend class ContextCounter;
  struct Lists {  // one list for each node, run together
    std::vector<std::int64_t> firsts = {0, 0};
    std::vector<std::int32_t> tokens;
    std::vector<std::int64_t> counts;
  };
  void index();

  // Of each node but the root, in the order of level, parent, token: so children are neighbours.
  std::vector<Node> parents_;
  std::vector<std::int32_t> tokens_;
  std::vector<Node> first_children_ = {1, 1};  // of each node and one more
  std::vector<Node> levels_ = {0, 1};          // the first node of each length and one more
  Lists counted_, derived_;
};

/// Counts; not for several threads at once.
class ASSAY_API ContextCounter {
 public:
  explicit ContextCounter(std::int64_t longest) : longest_(longest) {}
  /// context: as much as is known; no more than the longest counts. REQUIRES ids >= 0.
  void add(std::span<const std::int32_t> context, std::int32_t token);
  ContextTree tree() const;

 private:
  // Numbers keys in the order in which they come, by open addressing.
  class KeyNumbers {
   public:
    std::int32_t number(std::uint64_t key);
    const std::vector<std::uint64_t>& keys() const { return keys_; }

   private:
    std::size_t place(std::uint64_t key) const;
    std::vector<std::uint64_t> keys_;
    std::vector<std::int32_t> table_;  // -1: free
    int shift_ = 55;                   // of the hash: the table has 2^(64 - shift) places
  };

  std::int64_t longest_;
  KeyNumbers nodes_, events_;  // (parent or node) 2^32 + token; node n is key n - 1
  std::vector<std::int64_t> counts_;
};

}  // namespace assay
