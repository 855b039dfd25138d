// Everything that is wrong with a configuration, collected so that a user sees all of it at once.
#pragma once

#include <string>
#include <unordered_map>
#include <unordered_set>
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
  /// The same mistake at the same place (in every run of a sweep) is one problem.
  void add(const Location& at, std::string message);
  void add(std::string where, std::string message);
  bool empty() const { return found_.empty(); }
  std::size_t size() const { return found_.size(); }
  /// In the order of their places: sources as they first appear, then lines and columns.
  std::vector<Problem> list() const;
  /// A line each, with what stands there (excerpt) below; where there are very many, the first ones
  /// and how many more.
  std::string text() const;
  /// Throws Error(usage) with text() unless empty.
  void raise() const;

 private:
  struct Found {
    Problem problem;
    std::size_t source;  // its rank
  };
  std::vector<Found> found_;
  std::unordered_map<std::string, std::size_t> sources_;  // by name: in the order of appearance
  std::unordered_set<std::string> known_;                 // place and message
};

/// The line at a place and a caret below its column, indented, each with a line end before it;
/// empty where the text is not known. Of a long line what stands around the column. Tabs are shown
/// as spaces, and the caret stands right under wide characters and marks.
///
///   train: {steps: 1_000}
///                  ^
ASSAY_API std::string excerpt(const Location& at);

/// One line: "gpt.yaml:6:13: message", and the excerpt.
ASSAY_API std::string problem_text(const Location& at, const std::string& message);

}  // namespace assay
