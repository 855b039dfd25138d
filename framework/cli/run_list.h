// Runs that verbs choose from by expressions: read from their summaries where those suffice.
//
//   RunList list({"results"});
//   list.read_for("at(val/loss, 300) < 2", "--filter");   // needs whole files
//   list.load();
//   for (const LoadedRun* run : list.filtered("at(val/loss, 300) < 2", "--filter")) ...
#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "results/run_set.h"

namespace assay {

/// Whether a comes before b: NaN and what is missing come last, whatever the order of the others.
bool before(const Outcome& a, const Outcome& b);

/// Stable.
template <class T, class KeyOf>
void sort_by_outcome(std::vector<T>& items, KeyOf key_of) {
  std::vector<std::pair<Outcome, T>> keyed;
  for (T& item : items) {
    Outcome key = key_of(item);
    keyed.emplace_back(std::move(key), std::move(item));
  }
  std::stable_sort(keyed.begin(), keyed.end(),
                   [](const auto& a, const auto& b) { return before(a.first, b.first); });
  for (std::size_t i = 0; i < items.size(); ++i) items[i] = std::move(keyed[i].second);
}

class RunList {
 public:
  explicit RunList(std::vector<std::string> paths) : paths_(std::move(paths)) {}
  /// Says what will be asked; expressions separated by commas.
  void read_for(const std::string& expressions, const std::string& what);
  void load();

  const std::vector<std::string>& problems() const { return set_.problems; }
  const KnownNames& names() const { return names_; }
  std::vector<const LoadedRun*> runs() const;
  std::vector<const LoadedRun*> filtered(const std::string& condition,
                                         const std::string& what) const;
  void sort(std::vector<const LoadedRun*>& runs, const std::string& by,
            const std::string& what) const;

 private:
  std::vector<std::string> paths_;
  bool whole_files_ = false;
  RunSet set_;
  KnownNames names_;
};

}  // namespace assay
