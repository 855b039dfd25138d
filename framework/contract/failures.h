// What a suite found: failures as sentences, under the checks that it made.
//
//   attempt(failures, "same bits from several threads", [&] { ... failures.push_back("..."); });
//   for (const std::string& failure : failures) ...
//   for (const Failures::Check& check : failures.checks()) ...
//
// A check may hold others; a failure belongs to the innermost that is open.
#pragma once

#include <functional>
#include <initializer_list>
#include <string>
#include <vector>

#include "base/api.h"

namespace assay {

class ASSAY_API Failures {
 public:
  struct Check {
    std::string name;
    std::vector<std::string> failures;
    std::string skipped;  // why it was not made
    bool group = false;   // it holds other checks
  };
  /// Called as the suite goes; a plugin that crashes is then known by the check that it was in.
  struct Watch {
    std::function<void(const Check&)> started, ended;
  };

  Failures() = default;
  Failures(std::initializer_list<std::string> failures) : all_(failures) {}
  explicit Failures(Watch watch) : watch_(std::move(watch)) {}

  void start(std::string name);
  void push_back(std::string failure);
  void finish();
  void skip(std::string name, std::string why);

  /// In the order in which they were started.
  const std::vector<Check>& checks() const { return checks_; }

  using value_type = std::string;
  using const_iterator = std::vector<std::string>::const_iterator;
  using iterator = const_iterator;
  const_iterator begin() const { return all_.begin(); }
  const_iterator end() const { return all_.end(); }
  bool empty() const { return all_.empty(); }
  std::size_t size() const { return all_.size(); }
  const std::string& operator[](std::size_t i) const { return all_[i]; }
  /// The same failures; whatever was checked.
  friend bool operator==(const Failures& a, const Failures& b) { return a.all_ == b.all_; }

 private:
  std::vector<std::string> all_;
  std::vector<Check> checks_;
  std::vector<std::size_t> open_;  // into checks_, outermost first
  Watch watch_;
};

}  // namespace assay
