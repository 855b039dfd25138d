// The Io of layout.h that puts a run into an HDF5 image.
#pragma once

#include <cstring>
#include <map>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "results/hdf5.h"
#include "results/layout.h"

namespace assay {

/// Equal bits: NaN equals NaN, and 0 is not -0.
bool same(const State& a, const State& b);
bool same(const Checkpoint& a, const Checkpoint& b);

class Saving {
 public:
  bool with_checkpoints() const { return true; }
  std::int64_t layout() const { return kLayout; }

  void text(const std::string& path, const std::string& value) {
    put<char>(path, Element::bytes, {extent(value.size())}, value);
  }
  void status(const std::string& path, RunStatus value) { text(path, std::string(name(value))); }
  void integer(const std::string& path, std::int64_t value) {
    put<std::int64_t>(path, Element::int64, {}, std::span(&value, 1));
  }
  void unsigned_integer(const std::string& path, std::uint64_t value) {
    put<std::uint64_t>(path, Element::uint64, {}, std::span(&value, 1));
  }
  void real(const std::string& path, double value) {
    put<double>(path, Element::float64, {}, std::span(&value, 1));
  }
  void integers(const std::string& path, const std::vector<std::int64_t>& values) {
    put<std::int64_t>(path, Element::int64, {extent(values.size())}, values);
  }
  void reals(const std::string& path, const std::vector<double>& values) {
    put<double>(path, Element::float64, {extent(values.size())}, values);
  }
  void array(const std::string& path, const StateArray& array);

  /// All cells run together in `bytes`; where each ends, row by row, in `ends`.
  template <class Rows, class Cells>
  void table(const std::string& path, const Rows& rows, Cells cells) {
    std::string bytes;
    std::vector<std::int64_t> ends;
    for (const auto& row : rows)
      std::apply(
          [&](const auto&... cell) {
            ((bytes += cell, ends.push_back(extent(bytes.size()))), ...);
          },
          cells(row));
    using Row = typename Rows::value_type;
    constexpr std::size_t columns = std::tuple_size_v<decltype(cells(std::declval<Row&>()))>;
    text(path + "/bytes", bytes);
    put<std::int64_t>(path + "/ends", Element::int64, {extent(rows.size()), extent(columns)}, ends);
  }
  template <class Rows, class Number>
  void column(const std::string& path, const Rows& rows, Number number) {
    std::vector<std::int64_t> values;
    for (const auto& row : rows) values.push_back(number(row));
    integers(path, values);
  }

  template <class Map, class Use>
  void each(const std::string& group, const Map& entries, Use use) {
    for (auto entry = entries.begin(); entry != entries.end(); ++entry) {
      const std::string path = group + "/" + encode_name(entry->first);
      index_.emplace_back(group, entry->first);
      const bool was_linked = linked_;
      if constexpr (std::is_same_v<typename Map::mapped_type, Checkpoint>)
        for (auto earlier = entries.begin(); earlier != entry && !linked_; ++earlier)
          if (same(earlier->second, entry->second)) {
            writer_.link(group + "/" + encode_name(earlier->first), path);
            linked_ = true;
          }
      use(path, entry->second);
      linked_ = was_linked;
    }
  }

  /// The image, which is then complete.
  Image finish();

 private:
  static std::int64_t extent(std::size_t size) { return static_cast<std::int64_t>(size); }
  template <class T>
  void put(const std::string& path, Element element, std::vector<std::int64_t> shape,
           std::span<const T> values) {
    if (!linked_) writer_.put(path, {element, std::move(shape)}, std::as_bytes(values));
  }

  ImageWriter writer_;
  Facts index_;
  bool linked_ = false;  // within a checkpoint that is stored already
};

}  // namespace assay
