// The Io of layout.h that takes a run out of an HDF5 image. Only paths that the layout or the index
// names are looked at.
//
//   Loading loading("run.h5", bytes, true);            // throws at the first thing that is wrong
//   run_layout(loading, record);
//   Loading one(reader, layout, "runs/seed=1/", true);  // one of several in an image
//   Loading rest(reader, layout, "", true, &piecewise); // of a damaged one: what can be read
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "results/hdf5.h"
#include "results/layout.h"

namespace assay {

/// group -> the names in it
using Names = std::map<std::string, std::vector<std::string>>;

/// Reading dataset by dataset: one that cannot be read keeps its default, and is noted.
struct Piecewise {
  std::function<void(std::size_t)> attempting;  // the n-th is read now, from 0: before a crash
  std::set<std::size_t> skipped;                // those that crash the reader
  Names names;                                  // for groups, where the index cannot be read
  Facts lost;                                   // path, why

  void attempt(const std::string& path, const std::function<void()>& read);

 private:
  std::size_t attempts_ = 0;
};

class Loading {
 public:
  /// sealed: the bytes of a file, trailer and all; they must outlive this.
  Loading(const std::string& file, std::string_view sealed, bool with_checkpoints);
  /// The run below prefix ("" or "runs/seed=1/") of an image that is open. Both must outlive this.
  Loading(ImageReader& reader, std::int64_t layout, std::string prefix, bool with_checkpoints,
          Piecewise* piecewise = nullptr);
  Loading(const Loading&) = delete;
  Loading& operator=(const Loading&) = delete;
  const Names& index() const { return index_; }
  bool with_checkpoints() const { return with_checkpoints_; }
  bool with_trajectories() const { return true; }
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
  void rows(const std::string& path, std::vector<std::int64_t>& values, std::size_t rows,
            std::size_t columns);
  void reals(const std::string& path, std::vector<double>& values);
  void array(const std::string& path, StateArray& array);

  template <class Rows, class Cells>
  void table(const std::string& path, Rows& rows, Cells cells) {
    using Row = typename Rows::value_type;
    constexpr std::size_t columns = std::tuple_size_v<decltype(cells(std::declval<Row&>()))>;
    attempt(path, [&] {
      const std::vector<std::string> texts = cells_of(path, columns);
      rows.resize(texts.size() / columns);
      auto next = texts.begin();
      for (auto& row : rows)
        std::apply([&](auto&... cell) { ((cell = *next++), ...); }, cells(row));
    });
  }
  template <class Rows, class Number>
  void column(const std::string& path, Rows& rows, Number number) {
    attempt(path, [&] {
      std::vector<std::int64_t> values;
      read_integers(path, values);
      if (values.size() != rows.size())
        reader_.fail(prefix_ + path, "has another number of rows than its table");
      for (std::size_t i = 0; i < rows.size(); ++i) number(rows[i]) = values[i];
    });
  }

  template <class Map, class Use>
  void each(const std::string& group, Map& entries, Use use) {
    const auto names = index_.find(group);
    if (names == index_.end()) return;
    for (const std::string& name : names->second)
      use(group + "/" + encode_name(name), entries[name]);
  }

 private:
  void read_index();
  /// read, which throws where it cannot; then, piecewise, that is noted.
  template <class Read>
  void attempt(const std::string& path, Read read) {
    if (piecewise_)
      piecewise_->attempt(prefix_ + path, read);
    else
      read();
  }
  void read_integers(const std::string& path, std::vector<std::int64_t>& values);
  void single(const std::string& path, Element element, std::span<std::byte> value);
  std::vector<std::string> cells_of(const std::string& path, std::size_t columns);

  std::int64_t layout_;
  std::optional<ImageReader> own_;
  ImageReader& reader_;
  std::string prefix_;
  bool with_checkpoints_;
  Piecewise* piecewise_ = nullptr;
  Names index_;
};

}  // namespace assay
