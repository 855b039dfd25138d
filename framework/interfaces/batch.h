// What a dataset hands to a model: named arrays that share their first dimension, the rows.
//
//   batch.ids("input")     int32  [B, N]     token ids
//   batch.ids("target")    int32  [B, N]     what to predict; negative = ignored (or [B]: a class)
//   batch.reals("patches") float  [B, N, P]  real-valued inputs (images, audio)
//   batch.marks("mask")    uint8  [B, N]     1 = real, 0 = padding; absent = all real
//
// Names in use: input, target, weight (float, per target), mask, history (the ids before the
// window, -1 where there are none), source and source_mask (encoder side), segment; of objectives:
// candidates (int32 [B, P, M], the classes that are to be scored, in place of all; negative =
// none), context (int32 [B, P, C], what each of the P stands beside) and label (float [B, P, M];
// negative = ignored). A dataset says which it makes in its DataSpec. A Batch owns its arrays;
// rows(b, e) is a view of some rows, valid while the batch lives.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/api.h"
#include "tensor/shape.h"

namespace assay {

template <class T>
struct Field {
  std::span<const T> values;
  Shape shape;  // first extent: the rows
};

class ASSAY_API Batch {
 public:
  Batch() = default;
  explicit Batch(std::int64_t rows) : last_(rows) {}

  std::int64_t size() const { return last_ - first_; }
  /// Number of row 0 of this view within the whole batch.
  std::int64_t first_row() const { return first_; }

  /// Makes a field: shape[0] must be the number of rows. Returns its numbers, zeroed. REQUIRES a
  /// whole batch.
  std::span<std::int32_t> add_ids(std::string name, const Shape& shape);
  std::span<float> add_reals(std::string name, const Shape& shape);
  std::span<std::uint8_t> add_marks(std::string name, const Shape& shape);

  bool has(std::string_view name) const;
  /// Throws Error(usage) naming the fields there are, if there is none of this name and type.
  Field<std::int32_t> ids(std::string_view name) const;
  Field<float> reals(std::string_view name) const;
  Field<std::uint8_t> marks(std::string_view name) const;
  /// Nothing where there is no field of this name.
  std::span<const std::uint8_t> marks_or_none(std::string_view name) const;

  /// Rows [begin, end) of this batch.
  Batch rows(std::int64_t begin, std::int64_t end) const;

 private:
  struct Array {
    Shape shape;
    std::variant<std::vector<std::int32_t>, std::vector<float>, std::vector<std::uint8_t>> values;
  };
  using Arrays = std::map<std::string, Array, std::less<>>;
  template <class T>
  Field<T> field(std::string_view name) const;
  template <class T>
  std::span<T> add(std::string name, const Shape& shape);

  std::shared_ptr<Arrays> arrays_;
  std::int64_t first_ = 0, last_ = 0;
};

/// One field as a dataset describes it before there is any batch.
struct FieldSpec {
  std::string name;
  std::int64_t vocabulary = 0;  // ids are in [0, vocabulary); 0 for reals and marks
  std::int64_t length = 0;      // N: positions per row; 0: one value per row
  std::int64_t width = 0;       // reals: numbers per position
  /// Ids: how often each occurs in training, lent by the dataset; empty if it does not say.
  std::span<const std::int64_t> occurrences = {};
  /// Ids of classes: what each is called, lent by the dataset; empty if they have no names.
  std::span<const std::string> names = {};
};

struct ASSAY_API DataSpec {
  std::vector<FieldSpec> fields;
  /// Throws Error(usage) naming what there is: "the dataset has no 'patches' (it has input,
  /// target)".
  const FieldSpec& field(std::string_view name) const;
  const FieldSpec* find(std::string_view name) const;
};

}  // namespace assay
