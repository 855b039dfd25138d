// The Io of layout.h that takes a run out of an HDF5 image. Only paths that the layout or the index
// names are looked at.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "results/hdf5.h"
#include "results/layout.h"

namespace assay {

class Loading {
 public:
  /// sealed: the bytes of a file, trailer and all; they must outlive this.
  Loading(const std::string& file, std::string_view sealed, bool with_checkpoints);
  bool with_checkpoints() const { return with_checkpoints_; }
  std::int64_t layout() const { return layout_; }

  void text(const std::string& path, std::string& value);
  void status(const std::string& path, RunStatus& value);
  void integer(const std::string& path, std::int64_t& value) {
    single(path, Element::int64, std::as_writable_bytes(std::span(&value, 1)));
  }
  void unsigned_integer(const std::string& path, std::uint64_t& value) {
    single(path, Element::uint64, std::as_writable_bytes(std::span(&value, 1)));
  }
  void real(const std::string& path, double& value) {
    single(path, Element::float64, std::as_writable_bytes(std::span(&value, 1)));
  }
  void integers(const std::string& path, std::vector<std::int64_t>& values);
  void reals(const std::string& path, std::vector<double>& values);
  void array(const std::string& path, StateArray& array);

  template <class Rows, class Cells>
  void table(const std::string& path, Rows& rows, Cells cells) {
    using Row = typename Rows::value_type;
    constexpr std::size_t columns = std::tuple_size_v<decltype(cells(std::declval<Row&>()))>;
    const std::vector<std::string> texts = cells_of(path, columns);
    rows.resize(texts.size() / columns);
    auto next = texts.begin();
    for (auto& row : rows) std::apply([&](auto&... cell) { ((cell = *next++), ...); }, cells(row));
  }
  template <class Rows, class Number>
  void column(const std::string& path, Rows& rows, Number number) {
    std::vector<std::int64_t> values;
    integers(path, values);
    if (values.size() != rows.size())
      reader_.fail(path, "has another number of rows than its table");
    for (std::size_t i = 0; i < rows.size(); ++i) number(rows[i]) = values[i];
  }

  template <class Map, class Use>
  void each(const std::string& group, Map& entries, Use use) {
    const auto names = index_.find(group);
    if (names == index_.end()) return;
    for (const std::string& name : names->second)
      use(group + "/" + encode_name(name), entries[name]);
  }

 private:
  void single(const std::string& path, Element element, std::span<std::byte> value);
  std::vector<std::string> cells_of(const std::string& path, std::size_t columns);

  std::int64_t layout_;
  ImageReader reader_;
  bool with_checkpoints_;
  std::map<std::string, std::vector<std::string>> index_;  // group -> names
};

}  // namespace assay
