// Which examples a step or an evaluation uses. Pure functions: nothing to save, and a resumed run
// draws what an uninterrupted one would have drawn.
//
//   const std::int64_t examples = dataset.examples(Split::train, request);
//   auto drawn = training_examples(false, examples, seed, step, 32);
//   Batch batch = dataset.batch(Split::train, drawn, request);
#pragma once

#include <cstdint>
#include <vector>

#include "base/api.h"
#include "interfaces/dataset.h"

namespace assay {

/// `windows: random`: example i is output i of std::mt19937(seed) modulo max(1, examples - 1). (The
/// last example is never drawn: the published figures were made that way, and stay comparable.)
/// REQUIRES examples >= 1.
ASSAY_API std::vector<Example> evaluation_windows(std::int64_t examples, std::uint32_t seed,
                                                  std::int64_t count);

/// The next `count` examples of the order that a run trains in.
/// Not shuffled: independent draws, with replacement.
/// Shuffled: each example once per epoch, every epoch in another order; a step goes on across the
/// end of an epoch where they do not divide. The order is a permutation that can be evaluated
/// anywhere: a Feistel network (Luby and Rackoff, 1988) on the next power of four, walked until it
/// lands inside (Black and Rogaway, 2002).
ASSAY_API std::vector<Example> training_examples(bool shuffled, std::int64_t examples,
                                                 std::uint64_t seed, std::int64_t step,
                                                 std::int64_t count);

}  // namespace assay
