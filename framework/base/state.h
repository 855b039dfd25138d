// Named arrays: what a checkpoint holds, and how a plugin says what it must keep.
//
//   void Momentum::state(StateIo& io) {  // saves and restores, so the two cannot drift
//     io.reals("velocity", velocity_);
//     io.integer("updates", updates_);
//   }
//
// Restoring checks that each entry exists with the kind and the size that the object already has
// where that is fixed (spans), and throws Error(data) naming the entry otherwise. Not thread-safe.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/api.h"

namespace assay {

/// One named array. A scalar has no extents; text is bytes (UTF-8 where it is text).
struct StateArray {
  std::vector<std::int64_t> shape;
  std::variant<std::vector<float>, std::vector<double>, std::vector<std::int64_t>, std::string>
      data;
};

/// Entries by name ("layer0/attention/q"), in the order of their names.
using State = std::map<std::string, StateArray, std::less<>>;

class ASSAY_API StateIo {
 public:
  static StateIo saving(State& into) { return StateIo(&into, nullptr); }
  static StateIo restoring(const State& from) { return StateIo(nullptr, &from); }
  bool restores() const { return from_ != nullptr; }

  /// Numbers whose count is fixed before: saved with this shape (default: one dimension).
  void reals(std::string_view name, std::span<float> values, std::vector<std::int64_t> shape = {});
  /// Arrays that take whatever size was saved.
  void reals(std::string_view name, std::vector<double>& values);
  void integers(std::string_view name, std::vector<std::int64_t>& values);
  void integer(std::string_view name, std::int64_t& value);
  void real(std::string_view name, double& value);
  void text(std::string_view name, std::string& value);
  /// Any number of texts, as two entries: name/bytes and, for each, its end there, name/ends.
  void texts(std::string_view name, std::vector<std::string>& values);

 private:
  StateIo(State* into, const State* from) : into_(into), from_(from) {}
  const StateArray& entry(std::string_view name) const;

  State* into_;
  const State* from_;
};

}  // namespace assay
