// Records as bytes, one field after the other: the Io of layout.h where no other program has to
// read them (summaries, journals of packs, what a helper process hands over).
//
//   FlatWriter flat(Checkpoints::included);
//   run_layout(flat, record);                 // flat.bytes
//   FlatReader reader("pack.journal: is damaged", bytes, kLayout, Checkpoints::included);
//   run_layout(reader, again);
//
// The bytes have no checksum of their own: whoever keeps them adds one. Errors: Error(data) with
// the reader's message where they do not fit the layout.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "base/error.h"
#include "results/layout.h"

namespace assay {

enum class Checkpoints { included, left_out };

class FlatWriter {
 public:
  explicit FlatWriter(Checkpoints checkpoints) : checkpoints_(checkpoints) {}
  std::string bytes;

  bool with_checkpoints() const { return checkpoints_ == Checkpoints::included; }
  bool with_trajectories() const { return with_checkpoints(); }
  std::int64_t layout() const { return kLayout; }
  void text(const std::string&, const std::string& value) {
    number(value.size());
    bytes += value;
  }
  void status(const std::string&, RunStatus value) { number(value); }
  void integer(const std::string&, std::int64_t value) { number(value); }
  void unsigned_integer(const std::string&, std::uint64_t value) { number(value); }
  void real(const std::string&, double value) { number(value); }
  void integers(const std::string&, const std::vector<std::int64_t>& values) { numbers(values); }
  void rows(const std::string&, const std::vector<std::int64_t>& values, std::size_t, std::size_t) {
    numbers(values);
  }
  void reals(const std::string&, const std::vector<double>& values) { numbers(values); }
  void array(const std::string&, const StateArray& array) {
    numbers(array.shape);
    number(array.data.index());
    std::visit([&](const auto& values) { numbers(values); }, array.data);
  }
  template <class Rows, class Cells>
  void table(const std::string& path, const Rows& rows, Cells cells) {
    number(rows.size());
    for (const auto& row : rows)
      std::apply([&](const auto&... cell) { (text(path, cell), ...); }, cells(row));
  }
  template <class Rows, class Number>
  void column(const std::string&, const Rows& rows, Number number_of) {
    for (const auto& row : rows) number(number_of(row));
  }
  template <class Map, class Use>
  void each(const std::string& group, const Map& entries, Use use) {
    number(entries.size());
    for (const auto& [name, entry] : entries) {
      text(group, name);
      use(group, entry);
    }
  }

 private:
  template <class T>
  void number(T value) {
    bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  template <class Values>
  void numbers(const Values& values) {
    number(values.size());
    bytes.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof values[0]);
  }

  Checkpoints checkpoints_;
};

class FlatReader {
 public:
  /// message is the error where the bytes are not what they should be.
  FlatReader(std::string message, std::string_view bytes, std::int64_t layout,
             Checkpoints checkpoints)
      : message_(std::move(message)), rest_(bytes), layout_(layout), checkpoints_(checkpoints) {}

  bool at_end() const { return rest_.empty(); }
  bool with_checkpoints() const { return checkpoints_ == Checkpoints::included; }
  bool with_trajectories() const { return with_checkpoints(); }
  std::int64_t layout() const { return layout_; }
  void text(const std::string&, std::string& value) { numbers(value); }
  void status(const std::string&, RunStatus& value) {
    number(value);
    if (value < RunStatus::done || value > RunStatus::pruned) fail();
  }
  void integer(const std::string&, std::int64_t& value) { number(value); }
  void unsigned_integer(const std::string&, std::uint64_t& value) { number(value); }
  void real(const std::string&, double& value) { number(value); }
  void integers(const std::string&, std::vector<std::int64_t>& values) { numbers(values); }
  void rows(const std::string&, std::vector<std::int64_t>& values, std::size_t rows,
            std::size_t columns) {
    numbers(values);
    if (values.size() != rows * columns) fail();
  }
  void reals(const std::string&, std::vector<double>& values) { numbers(values); }
  void array(const std::string&, StateArray& array) {
    numbers(array.shape);
    std::size_t kind = 0;
    number(kind);
    take_kind(array.data, kind, std::make_index_sequence<std::variant_size_v<ArrayData>>());
    std::visit([&](auto& values) { numbers(values); }, array.data);
  }
  template <class Rows, class Cells>
  void table(const std::string& path, Rows& rows, Cells cells) {
    rows.resize(count(1));
    for (auto& row : rows) std::apply([&](auto&... cell) { (text(path, cell), ...); }, cells(row));
  }
  template <class Rows, class Number>
  void column(const std::string&, Rows& rows, Number number_of) {
    for (auto& row : rows) number(number_of(row));
  }
  template <class Map, class Use>
  void each(const std::string& group, Map& entries, Use use) {
    const std::size_t size = count(1);
    std::string name;
    for (std::size_t i = 0; i < size; ++i) {
      text(group, name);
      use(group, entries[name]);
    }
  }

 private:
  using ArrayData = decltype(StateArray::data);

  [[noreturn]] void fail() const { throw Error(ExitCode::data, message_); }
  /// A number of entries, each of at least so many bytes.
  std::size_t count(std::size_t least) {
    std::size_t size = 0;
    number(size);
    if (size > rest_.size() / least) fail();
    return size;
  }
  void copy(void* to, std::size_t size) {
    if (size > rest_.size()) fail();
    if (size > 0) std::memcpy(to, rest_.data(), size);
    rest_.remove_prefix(size);
  }
  template <class T>
  void number(T& value) {
    copy(&value, sizeof value);
  }
  template <class Values>
  void numbers(Values& values) {
    values.resize(count(sizeof values[0]));
    copy(values.data(), values.size() * sizeof values[0]);
  }
  template <std::size_t... Kinds>
  void take_kind(ArrayData& data, std::size_t kind, std::index_sequence<Kinds...>) {
    if (kind >= sizeof...(Kinds)) fail();
    ((kind == Kinds ? static_cast<void>(data.template emplace<Kinds>()) : void()), ...);
  }

  std::string message_;
  std::string_view rest_;
  std::int64_t layout_;
  Checkpoints checkpoints_;
};

}  // namespace assay
