// The Io of layout.h that puts a run into an HDF5 image, or several.
//
//   Saving saving;
//   saving.save("", [&](auto& io) { run_layout(io, record); });
//   Image image = saving.finish();
//
// The index stands before all else: of a file that is cut short, the names are there still.
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

/// The Io of layout.h that only notes the names in each group.
class Naming {
 public:
  Facts names;  // group, name

  bool with_checkpoints() const { return true; }
  bool with_trajectories() const { return true; }
  std::int64_t layout() const { return kLayout; }
  void text(const std::string&, const std::string&) {}
  void status(const std::string&, RunStatus) {}
  void integer(const std::string&, std::int64_t) {}
  void unsigned_integer(const std::string&, std::uint64_t) {}
  void real(const std::string&, double) {}
  void integers(const std::string&, const std::vector<std::int64_t>&) {}
  void rows(const std::string&, const std::vector<std::int64_t>&, std::size_t, std::size_t) {}
  void reals(const std::string&, const std::vector<double>&) {}
  void array(const std::string&, const StateArray&) {}
  template <class Rows, class Cells>
  void table(const std::string&, const Rows&, Cells) {}
  template <class Rows, class Number>
  void column(const std::string&, const Rows&, Number) {}
  template <class Map, class Use>
  void each(const std::string& group, const Map& entries, Use use) {
    for (const auto& [name, entry] : entries) {
      names.emplace_back(group, name);
      use(group + "/" + encode_name(name), entry);
    }
  }
};

class Saving {
 public:
  /// Saves what layout does with an Io, below this prefix ("" or "runs/seed=1/"), its index first.
  template <class Layout>
  void save(std::string prefix, Layout layout) {
    Naming naming;
    layout(naming);
    save_index(std::move(prefix), naming.names);
    layout(*this);
  }
  /// An index for what is saved below this prefix by other means.
  void save_index(std::string prefix, const Facts& names);
  /// Groups whose place in the file is before that of all that is saved later.
  void make_groups(std::span<const std::string> paths) { writer_.make_groups(paths); }

  bool with_checkpoints() const { return true; }
  bool with_trajectories() const { return true; }
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
  void rows(const std::string& path, const std::vector<std::int64_t>& values, std::size_t rows,
            std::size_t columns) {
    put<std::int64_t>(path, Element::int64, {extent(rows), extent(columns)}, values);
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
      const bool was_linked = linked_;
      if constexpr (std::is_same_v<typename Map::mapped_type, Checkpoint>)
        for (auto earlier = entries.begin(); earlier != entry && !linked_; ++earlier)
          if (same(earlier->second, entry->second)) {
            writer_.link(prefix_ + group + "/" + encode_name(earlier->first), prefix_ + path);
            linked_ = true;
          }
      use(path, entry->second);
      linked_ = was_linked;
    }
  }

  /// The image, which is then complete.
  Image finish() { return writer_.finish(); }

 private:
  static std::int64_t extent(std::size_t size) { return static_cast<std::int64_t>(size); }
  template <class T>
  void put(const std::string& path, Element element, std::vector<std::int64_t> shape,
           std::span<const T> values) {
    if (!linked_) writer_.put(prefix_ + path, {element, std::move(shape)}, std::as_bytes(values));
  }

  ImageWriter writer_;
  std::string prefix_;
  bool linked_ = false;  // within a checkpoint that is stored already
};

}  // namespace assay
