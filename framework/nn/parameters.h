// All trainable numbers of a model, by path ("layer0/attention/q"), in one contiguous buffer.
//
//   Parameters parameters;
//   ParameterId w = parameters.add("head/weight", {64, 65}, Initialiser::uniform(0.125));
//   parameters.initialise(seed);
//
// A parameter that is used twice (tied weights) is added once and has one id: one update, one
// decay, one dataset. Each parameter starts on a 64-byte boundary; the gap after it stays 0. Built
// on one thread; while a step runs, many may read.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/aligned.h"
#include "base/api.h"
#include "base/state.h"
#include "nn/initialise.h"
#include "tensor/shape.h"

namespace assay {

struct ParameterId {
  std::int32_t index = -1;
  explicit operator bool() const { return index >= 0; }
};

struct ParameterInfo {
  std::string path;
  Shape shape;
  std::int64_t offset = 0;  // in floats, within the buffer
  Initialiser initialiser;
  bool trainable = true;
};

/// Low-rank adapters (Hu et al., 2022, "LoRA"): beside the matrix of each linear layer whose path
/// matches, x A B scale is added, A [I, rank] random and B [rank, O] zero at first.
struct AdapterOptions {
  std::int64_t rank = 0;  // 0: none
  double scale = 1;
  std::vector<std::string> on;  // patterns of paths
};

/// Whether a path matches a pattern, in which * stands for any text and ? for one character.
ASSAY_API bool matches_path(const std::string& pattern, const std::string& path);

class ASSAY_API Parameters {
 public:
  /// For the layers that are made afterwards.
  void adapt(AdapterOptions options) { adapters_ = std::move(options); }
  const AdapterOptions& adapters() const { return adapters_; }

  /// Throws Error(plugin) if the path is taken. REQUIRES initialise() was not called yet.
  ParameterId add(std::string path, const Shape& shape, const Initialiser& initialiser);

  /// Allocates the buffer and draws the numbers.
  void initialise(std::uint64_t seed);

  std::int32_t size() const { return static_cast<std::int32_t>(infos_.size()); }
  const ParameterInfo& info(ParameterId id) const {
    return infos_[static_cast<std::size_t>(id.index)];
  }
  const std::vector<ParameterInfo>& infos() const { return infos_; }
  ParameterId find(std::string_view path) const;  // without value if absent
  void set_trainable(ParameterId id, bool trainable);

  /// Numbers, padding not counted.
  std::int64_t count() const;
  /// Length of the buffer in floats, padding counted: what a gradient buffer must have.
  std::int64_t buffer_size() const { return size_; }
  std::span<float> buffer() { return {values_.data(), static_cast<std::size_t>(size_)}; }
  std::span<const float> buffer() const {
    return {values_.data(), static_cast<std::size_t>(size_)};
  }
  std::span<float> values(ParameterId id);
  std::span<const float> values(ParameterId id) const;
  /// The part of a buffer laid out like this one (a gradient, a moment) that belongs to a
  /// parameter.
  std::span<float> slice(std::span<float> buffer, ParameterId id) const;

  /// Saves or restores every parameter under its path, with its shape.
  void state(StateIo& io);

 private:
  AdapterOptions adapters_;
  std::vector<ParameterInfo> infos_;
  AlignedFloats values_;  // empty until initialise()
  std::int64_t size_ = 0;
};

/// Where a layer puts its parameters: a prefix of paths.
class ASSAY_API Scope {
 public:
  explicit Scope(Parameters& parameters, std::string prefix = "")
      : parameters_(&parameters), prefix_(std::move(prefix)) {}

  /// scope / "attention": the scope "layer0/attention" from "layer0".
  Scope operator/(std::string_view name) const;
  ParameterId add(std::string_view name, const Shape& shape, const Initialiser& initialiser) const;
  std::string path(std::string_view name) const;
  /// Of a linear layer in this scope; rank 0 where none are wanted.
  AdapterOptions adapters() const;

 private:
  Parameters* parameters_;
  std::string prefix_;
};

}  // namespace assay
