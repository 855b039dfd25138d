// Everything that is wrong with a configuration, collected so that a user sees all of it at once.
#pragma once

#include <string>
#include <vector>

#include "base/api.h"
#include "config/value.h"

namespace assay {

struct Problem {
  std::string where;    // "gpt.yaml:6:13", or "argument 'model.widht=8':7"
  std::string message;  // "model.widht: unknown option of model 'gpt'; did you mean 'width'?"
  Location at;          // where, to sort by
};

class ASSAY_API Problems {
 public:
  void add(const Location& at, std::string message);
  void add(std::string where, std::string message);
  bool empty() const { return list_.empty(); }
  /// In the order of their places: sources as they first appear, then lines and columns.
  const std::vector<Problem>& list() const { return list_; }
  /// One line each; where there are very many, the first ones and how many more.
  std::string text() const;
  /// Throws Error(usage) with text() unless empty.
  void raise() const;

 private:
  std::vector<std::string> sources_;
  std::vector<Problem> list_;
};

}  // namespace assay
