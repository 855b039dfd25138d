// The engine of a step: a batch is cut into a fixed number of shards; each runs forward and
// backward on a tape of its own; gradients are folded in a fixed tree as shards finish. The number
// of threads changes nothing but the time.
//
//   Shards shards(model, objective, parameters, 8);
//   BatchSum sum = shards.gradient(batch, random, gradient);   // gradient = d(sum of
//   losses)/d(parameters) BatchSum seen = shards.evaluate(batch, random);
//
// One thread calls at a time; the work spreads over the pool it is called in. Gradient buffers
// number threads + depth of the tree, not shards.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "autograd/tape.h"
#include "base/aligned.h"
#include "base/api.h"
#include "base/random.h"
#include "interfaces/model.h"
#include "interfaces/objective.h"

namespace assay {

/// Sums over the targets of a batch; the mean loss is loss / weight. penalty: what training
/// minimises beside it (Pass::penalise).
struct BatchSum {
  double loss = 0, weight = 0;
  std::optional<double> penalty;
  double flops = 0;
  std::map<std::string, Objective::Figure> figures;  // by name

  BatchSum& operator+=(const BatchSum& other);
};

class ASSAY_API Shards {
 public:
  /// count: shards per batch (fewer if it has fewer rows). All references outlive the object.
  Shards(const Model& model, const Objective& objective, const Parameters& parameters, int count);
  ~Shards();

  /// Overwrites gradient (laid out like the parameters' buffer) with the summed gradient of the
  /// summed loss.
  BatchSum gradient(const Batch& batch, const Random& random, std::span<float> gradient);
  /// Forward only; shards of kEvaluationRows rows whatever `count` is, so that the sum depends on
  /// the rows alone.
  BatchSum evaluate(const Batch& batch, const Random& random);
  /// Bytes of the largest tape so far, and tapes in use.
  std::size_t tape_bytes() const;

  static constexpr std::int64_t kEvaluationRows = 16;

 private:
  struct Folded;
  Folded fold(const Batch& batch, const Random& random, std::int64_t first, std::int64_t last);
  BatchSum run_shard(const Batch& rows, const Random& random, std::span<float> gradient);

  template <class T>
  class FreeList;

  const Model& model_;
  const Objective& objective_;
  const Parameters& parameters_;
  std::int64_t count_;
  std::unique_ptr<FreeList<Tape>> tapes_;
  std::unique_ptr<FreeList<AlignedFloats>> buffers_;
};

}  // namespace assay
