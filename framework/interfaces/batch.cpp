#include "interfaces/batch.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>

#include "base/error.h"

namespace assay {
namespace {

template <class T>
constexpr const char* kTypeName = "ids";
template <>
constexpr const char* kTypeName<float> = "reals";
template <>
constexpr const char* kTypeName<std::uint8_t> = "marks";

// Numbers that one row of a field has.
std::size_t row_size(const Shape& shape) {
  std::int64_t size = 1;
  for (int i = 1; i < shape.rank(); ++i) size *= shape[i];
  return static_cast<std::size_t>(size);
}

Shape with_rows(const Shape& shape, std::int64_t rows) {
  Shape result = {rows};
  for (int i = 1; i < shape.rank(); ++i) result = result.appended(shape[i]);
  return result;
}

}  // namespace

template <class T>
std::span<T> Batch::add(std::string name, const Shape& shape) {
  assert(shape.rank() >= 1 && shape[0] == size() && first_ == 0);
  if (!arrays_) arrays_ = std::make_shared<Arrays>();
  std::vector<T> zeros(static_cast<std::size_t>(shape.elements()));
  Array& array = (*arrays_)[std::move(name)];
  array = {shape, std::move(zeros)};
  return std::get<std::vector<T>>(array.values);
}

template <class T>
Field<T> Batch::field(std::string_view name) const {
  const auto found = arrays_ ? arrays_->find(name) : Arrays::iterator();
  const bool there = arrays_ && found != arrays_->end();
  const auto* values = there ? std::get_if<std::vector<T>>(&found->second.values) : nullptr;
  if (!values) {
    std::string names;
    if (arrays_)
      for (const auto& [other, array] : *arrays_) {
        const char* const types[] = {kTypeName<std::int32_t>, kTypeName<float>,
                                     kTypeName<std::uint8_t>};
        names +=
            fmt::format("{}{} ({})", names.empty() ? "" : ", ", other, types[array.values.index()]);
      }
    throw Error(ExitCode::usage, fmt::format("the batch has no {} '{}': it has {}", kTypeName<T>,
                                             name, names.empty() ? "nothing" : names));
  }
  const std::size_t per_row = row_size(found->second.shape);
  return {std::span<const T>(*values).subspan(static_cast<std::size_t>(first_) * per_row,
                                              static_cast<std::size_t>(size()) * per_row),
          with_rows(found->second.shape, size())};
}

std::span<std::int32_t> Batch::add_ids(std::string name, const Shape& shape) {
  return add<std::int32_t>(std::move(name), shape);
}
std::span<float> Batch::add_reals(std::string name, const Shape& shape) {
  return add<float>(std::move(name), shape);
}
std::span<std::uint8_t> Batch::add_marks(std::string name, const Shape& shape) {
  return add<std::uint8_t>(std::move(name), shape);
}

bool Batch::has(std::string_view name) const {
  return arrays_ && arrays_->contains(name);
}
Field<std::int32_t> Batch::ids(std::string_view name) const {
  return field<std::int32_t>(name);
}
Field<float> Batch::reals(std::string_view name) const {
  return field<float>(name);
}
Field<std::uint8_t> Batch::marks(std::string_view name) const {
  return field<std::uint8_t>(name);
}
std::span<const std::uint8_t> Batch::marks_or_none(std::string_view name) const {
  return has(name) ? marks(name).values : std::span<const std::uint8_t>();
}

Batch Batch::rows(std::int64_t begin, std::int64_t end) const {
  assert(0 <= begin && begin <= end && end <= size());
  Batch part = *this;
  part.first_ = first_ + begin;
  part.last_ = first_ + end;
  return part;
}

const FieldSpec* DataSpec::find(std::string_view name) const {
  const auto found = std::find_if(fields.begin(), fields.end(),
                                  [&](const FieldSpec& field) { return field.name == name; });
  return found == fields.end() ? nullptr : &*found;
}

const FieldSpec& DataSpec::field(std::string_view name) const {
  if (const FieldSpec* found = find(name)) return *found;
  std::string names;
  for (const FieldSpec& field : fields) names += (names.empty() ? "" : ", ") + field.name;
  throw Error(ExitCode::usage, fmt::format("the dataset has no '{}' (it has {})", name,
                                           names.empty() ? "nothing" : names));
}

}  // namespace assay
