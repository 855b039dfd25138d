#include "nn/parameters.h"

#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>
#include <cassert>

#include "base/error.h"

namespace assay {
namespace {

constexpr std::int64_t kAlignment = 64;  // bytes: a cache line, and an AVX-512 register
constexpr std::int64_t kAlignedFloats = kAlignment / static_cast<std::int64_t>(sizeof(float));

std::size_t begin_of(const ParameterInfo& info) {
  return static_cast<std::size_t>(info.offset);
}
std::size_t count_of(const ParameterInfo& info) {
  return static_cast<std::size_t>(info.shape.elements());
}

}  // namespace

bool matches_path(const std::string& pattern, const std::string& path) {
  return ::fnmatch(pattern.c_str(), path.c_str(), 0) == 0;
}

ParameterId Parameters::add(std::string path, const Shape& shape, const Initialiser& initialiser) {
  assert(values_.empty());
  if (find(path))
    throw Error(ExitCode::plugin,
                fmt::format("parameter '{}' exists already: give each layer its own scope", path));
  ParameterInfo info;
  info.path = std::move(path);
  info.shape = shape;
  info.offset = size_;
  info.initialiser = initialiser;
  infos_.push_back(std::move(info));
  size_ += (shape.elements() + kAlignedFloats - 1) / kAlignedFloats * kAlignedFloats;
  return {size() - 1};
}

void Parameters::initialise(std::uint64_t seed) {
  if (values_.empty()) values_.resize(static_cast<std::size_t>(std::max(size_, kAlignedFloats)));
  const Random random(seed, "initialise");
  for (const ParameterInfo& info : infos_)
    info.initialiser.fill(buffer().subspan(begin_of(info), count_of(info)), random.with(info.path));
}

ParameterId Parameters::find(std::string_view path) const {
  for (std::int32_t i = 0; i < size(); ++i)
    if (infos_[static_cast<std::size_t>(i)].path == path) return {i};
  return {};
}

void Parameters::set_trainable(ParameterId id, bool trainable) {
  infos_[static_cast<std::size_t>(id.index)].trainable = trainable;
}

std::int64_t Parameters::count() const {
  std::int64_t count = 0;
  for (const ParameterInfo& info : infos_) count += info.shape.elements();
  return count;
}

std::span<float> Parameters::values(ParameterId id) {
  return slice(buffer(), id);
}

std::span<const float> Parameters::values(ParameterId id) const {
  return buffer().subspan(begin_of(info(id)), count_of(info(id)));
}

std::span<float> Parameters::slice(std::span<float> buffer, ParameterId id) const {
  return buffer.subspan(begin_of(info(id)), count_of(info(id)));
}

void Parameters::state(StateIo& io) {
  for (const ParameterInfo& info : infos_) {
    std::vector<std::int64_t> shape;
    for (int i = 0; i < info.shape.rank(); ++i) shape.push_back(info.shape[i]);
    io.reals(info.path, buffer().subspan(begin_of(info), count_of(info)), std::move(shape));
  }
}

Scope Scope::operator/(std::string_view name) const {
  return Scope(*parameters_, path(name));
}

ParameterId Scope::add(std::string_view name, const Shape& shape,
                       const Initialiser& initialiser) const {
  return parameters_->add(path(name), shape, initialiser);
}

AdapterOptions Scope::adapters() const {
  const AdapterOptions& all = parameters_->adapters();
  for (const std::string& pattern : all.on)
    if (matches_path(pattern, prefix_) || matches_path(pattern, path("weight"))) return all;
  return {};
}

std::string Scope::path(std::string_view name) const {
  if (prefix_.empty() || name.empty()) return prefix_ + std::string(name);
  return prefix_ + "/" + std::string(name);
}

}  // namespace assay
