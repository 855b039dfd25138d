// What a search chooses from: `sweep.space`.
//
//   space:
//     optimizer.learning_rate: {log_uniform: [1e-5, 1e-1]}    # the logarithm is uniform
//     model.dropout: {uniform: [0, 0.3]}
//     model.width: {uniform: [32, 256], step: 32}             # 32, 64, ..., 256
//     train.batch: {log_uniform: [4, 64], step: 4}            # rounded to multiples of 4
//     tokenizer.type: {choice: [char, bpe]}                   # values without an order
//     model.layers: [1, 2, 4]                                 # numbers that increase have one
//
// Ends are values, not exponents, and belong to it. Drawn numbers are rounded to six digits, so
// that what a run is called is what it was run with.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/api.h"
#include "config/problems.h"
#include "config/value.h"
#include "experiment/sweep_axis.h"
#include "experiment/sweep_block.h"
#include "interfaces/search.h"

namespace assay {

class ASSAY_API SearchSpace {
 public:
  SearchSpace() = default;
  /// path: "sweep.space"; keys whose values come from elsewhere are left out.
  SearchSpace(const std::string& path, const Value& written, const Replaced& replaced,
              const GroupLookup& groups, Problems& problems);

  /// A key is set only where its condition holds: `sweep.when`.
  void add_condition(const std::string& key, Condition condition);
  bool has(const std::string& key) const;
  const std::vector<SearchDimension>& dimensions() const { return dimensions_; }
  /// trial with the settings that a point stands for.
  Trial at(const SearchPoint& point, const Trial& trial, Problems& problems) const;

 private:
  struct Key {
    std::function<Choice(double)> choose;
    std::optional<Condition> when;
  };
  std::vector<SearchDimension> dimensions_;
  std::vector<Key> keys_;  // of each dimension
};

}  // namespace assay
