#include "data/context_tree.h"

#include <gtest/gtest.h>

#include <map>
#include <vector>

#include "base/random.h"

namespace assay {
namespace {

using Ids = std::vector<std::int32_t>;
using Counts = std::map<std::int32_t, std::int64_t>;

Counts after(const ContextTree& tree, const Ids& context) {
  ContextTree::Node node = ContextTree::kRoot;
  for (std::size_t back = 1; back <= context.size(); ++back) {
    node = tree.child(node, context[context.size() - back]);
    if (node == ContextTree::kNone) return {};
  }
  const auto [tokens, counts] = tree.successors(node);
  Counts result;
  for (std::size_t i = 0; i < tokens.size(); ++i) result[tokens[i]] = counts[i];
  return result;
}

ContextTree counted(const Ids& ids, std::int64_t longest, ContextTree::Shorter shorter) {
  ContextCounter counter(longest);
  for (std::size_t i = 1; i < ids.size(); ++i) counter.add({ids.data(), i}, ids[i]);
  ContextTree tree = counter.tree();
  tree.derive(shorter, longest);
  return tree;
}

TEST(ContextTree, CountsWhatFollowedContextsOfEveryLength) {
  const ContextTree tree = counted({0, 1, 2, 0, 1, 0, 1, 2}, 2, ContextTree::Shorter::sums);
  EXPECT_EQ(after(tree, {0, 1}), (Counts{{2, 2}, {0, 1}}));
  EXPECT_EQ(after(tree, {1}), (Counts{{2, 2}, {0, 1}}));
  EXPECT_EQ(after(tree, {0}), (Counts{{1, 3}}));  // once with nothing before
  EXPECT_EQ(after(tree, {2, 1}), Counts{});
  EXPECT_EQ(after(tree, {}), (Counts{{0, 2}, {1, 3}, {2, 2}}));
}

TEST(ContextTree, CountsDifferentTokensBeforeBelowTheLongestContext) {
  const ContextTree tree = counted({0, 1, 2, 1, 2, 1, 0, 1}, 2, ContextTree::Shorter::distinct);
  EXPECT_EQ(after(tree, {2, 1}), (Counts{{2, 1}, {0, 1}}));
  EXPECT_EQ(after(tree, {1}), (Counts{{2, 2}, {0, 1}}));  // 0 1 2, 2 1 2; 2 1 0
  EXPECT_EQ(after(tree, {0}), (Counts{{1, 2}}));          // the beginning is one, and 1 0 1
  EXPECT_EQ(after(tree, {}), (Counts{{0, 1}, {1, 2}, {2, 1}}));
}

TEST(ContextTree, AgreesWithAPlainTable) {
  Ids ids;
  for (std::uint64_t i = 0; i < 3000; ++i)
    ids.push_back(
        static_cast<std::int32_t>(Random(1, "a").below(i, 3) * Random(1, "b").below(i, 4)));
  const ContextTree tree = counted(ids, 4, ContextTree::Shorter::sums);
  for (std::size_t length = 0; length <= 4; ++length) {
    std::map<Ids, Counts> plain;
    for (std::size_t i = std::max<std::size_t>(1, length); i < ids.size(); ++i) {
      const auto end = ids.begin() + static_cast<std::ptrdiff_t>(i);
      ++plain[Ids(end - static_cast<std::ptrdiff_t>(length), end)][ids[i]];
    }
    for (const auto& [context, counts] : plain) EXPECT_EQ(after(tree, context), counts);
    const auto [first, last] = tree.level(static_cast<std::int64_t>(length));
    EXPECT_EQ(static_cast<std::size_t>(last - first), plain.size());
  }
  EXPECT_EQ(tree.level(5), std::pair(0, 0));
}

TEST(ContextTree, OfNothingHasARoot) {
  ContextTree tree;
  EXPECT_EQ(after(tree, {}), Counts{});
  EXPECT_EQ(after(tree, {1}), Counts{});
  tree.derive(ContextTree::Shorter::sums, 3);
  EXPECT_EQ(after(tree, {}), Counts{});
}

}  // namespace
}  // namespace assay
