#include "results/loading.h"

#include <fmt/format.h>

#include "base/error.h"
#include "results/trailer.h"

namespace assay {
namespace {

std::string text_of(const ArrayKind& kind) {
  return fmt::format("{} [{}]", name(kind.element), fmt::join(kind.shape, ","));
}

/// Makes values as long as the array and gives their bytes.
template <class Values>
std::span<std::byte> resized(Values& values, const ArrayKind& kind) {
  values.resize(kind.count());
  return std::as_writable_bytes(std::span(values.data(), values.size()));
}

template <class Values>
void vector_of(ImageReader& reader, const std::string& path, Element element, Values& values) {
  reader.get(path, [&](const ArrayKind& kind) {
    if (kind.element != element || kind.shape.size() != 1)
      reader.fail(path, fmt::format("wanted {} [n], got {}", name(element), text_of(kind)));
    return resized(values, kind);
  });
}

}  // namespace

void Piecewise::attempt(const std::string& path, const std::function<void()>& read) {
  const std::size_t number = attempts_++;
  if (skipped.contains(number)) {
    lost.emplace_back(path, "crashes the reader");
    return;
  }
  if (attempting) attempting(number);
  try {
    read();
  } catch (const Error& error) {
    lost.emplace_back(path, error.what());
  }
}

Loading::Loading(const std::string& file, std::string_view sealed, bool with_checkpoints)
    : layout_(sealed_layout(sealed)),
      own_(std::in_place, file, unseal(file, sealed, kPackLayout)),
      reader_(*own_),
      with_checkpoints_(with_checkpoints) {
  read_index();
}

Loading::Loading(ImageReader& reader, std::int64_t layout, std::string prefix,
                 bool with_checkpoints, Piecewise* piecewise)
    : layout_(layout),
      reader_(reader),
      prefix_(std::move(prefix)),
      with_checkpoints_(with_checkpoints),
      piecewise_(piecewise) {
  if (piecewise_) index_ = piecewise_->names;
  read_index();
}

void Loading::read_index() {
  Facts rows;
  table(kIndex, rows, [](auto& row) { return std::tie(row.first, row.second); });
  if (!rows.empty()) index_.clear();
  for (auto& [group, name] : rows) index_[group].push_back(std::move(name));
}

void Loading::text(const std::string& path, std::string& value) {
  attempt(path, [&] {
    std::string read;
    vector_of(reader_, prefix_ + path, Element::bytes, read);
    value = std::move(read);
  });
}

void Loading::status(const std::string& path, RunStatus& value) {
  std::string stored;
  text(path, stored);
  if (piecewise_ && stored.empty()) return;
  attempt(path, [&] {
    for (const RunStatus status :
         {RunStatus::done, RunStatus::stopped, RunStatus::failed, RunStatus::running, RunStatus::pruned})
      if (stored == name(status)) {
        value = status;
        return;
      }
    reader_.fail(prefix_ + path, "wanted done, stopped, failed, running or pruned");
  });
}

void Loading::read_integers(const std::string& path, std::vector<std::int64_t>& values) {
  vector_of(reader_, prefix_ + path, Element::int64, values);
}

void Loading::integers(const std::string& path, std::vector<std::int64_t>& values) {
  attempt(path, [&] {
    std::vector<std::int64_t> read;
    read_integers(path, read);
    values = std::move(read);
  });
}

void Loading::rows(const std::string& path, std::vector<std::int64_t>& values, std::size_t rows,
                   std::size_t columns) {
  const ArrayKind wanted = {Element::int64,
                            {static_cast<std::int64_t>(rows), static_cast<std::int64_t>(columns)}};
  attempt(path, [&] {
    std::vector<std::int64_t> read;
    reader_.get(prefix_ + path, [&](const ArrayKind& kind) {
      if (kind != wanted)
        reader_.fail(prefix_ + path,
                     fmt::format("wanted {}, got {}", text_of(wanted), text_of(kind)));
      return resized(read, kind);
    });
    values = std::move(read);
  });
}

void Loading::reals(const std::string& path, std::vector<double>& values) {
  attempt(path, [&] {
    std::vector<double> read;
    vector_of(reader_, prefix_ + path, Element::float64, read);
    values = std::move(read);
  });
}

void Loading::single(const std::string& path, Element element, std::span<std::byte> value) {
  attempt(path, [&] {
    reader_.get(prefix_ + path, [&](const ArrayKind& kind) {
      if (kind != ArrayKind{element, {}})
        reader_.fail(prefix_ + path,
                     fmt::format("wanted one {}, got {}", name(element), text_of(kind)));
      return value;
    });
  });
}

void Loading::array(const std::string& path, StateArray& array) {
  attempt(path, [&] {
    StateArray read;
    reader_.get(prefix_ + path, [&](const ArrayKind& kind) -> std::span<std::byte> {
      read.shape = kind.shape;
      switch (kind.element) {
        case Element::float32:
          return resized(read.data.emplace<std::vector<float>>(), kind);
        case Element::float64:
          return resized(read.data.emplace<std::vector<double>>(), kind);
        case Element::int64:
          return resized(read.data.emplace<std::vector<std::int64_t>>(), kind);
        case Element::bytes:
          return resized(read.data.emplace<std::string>(), kind);
        case Element::uint64:
          break;
      }
      reader_.fail(prefix_ + path, "wanted float32, float64, int64 or bytes, got " + text_of(kind));
    });
    array = std::move(read);
  });
}

std::vector<std::string> Loading::cells_of(const std::string& path, std::size_t columns) {
  std::string bytes;
  std::vector<std::int64_t> ends;
  vector_of(reader_, prefix_ + path + "/bytes", Element::bytes, bytes);
  const std::string ends_path = prefix_ + path + "/ends";
  reader_.get(ends_path, [&](const ArrayKind& kind) {
    if (kind.element != Element::int64 || kind.shape.size() != 2 ||
        kind.shape[1] != static_cast<std::int64_t>(columns))
      reader_.fail(ends_path, fmt::format("wanted int64 [n,{}], got {}", columns, text_of(kind)));
    return resized(ends, kind);
  });
  std::vector<std::string> cells;
  std::int64_t start = 0;
  for (const std::int64_t end : ends) {
    if (end < start || end > static_cast<std::int64_t>(bytes.size()))
      reader_.fail(ends_path, "does not cut its texts into pieces");
    cells.push_back(
        bytes.substr(static_cast<std::size_t>(start), static_cast<std::size_t>(end - start)));
    start = end;
  }
  return cells;
}

}  // namespace assay
