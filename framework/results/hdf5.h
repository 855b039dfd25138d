// HDF5 without HDF5's ways to lose or leak data: files are built in memory and read from memory,
// and nothing else of the library is reachable. (Appending to a live file, walking an unknown one,
// external storage, plugins and locks each broke something when tried.) Only hdf5*.cpp sees the
// library, through hdf5_session.h.
//
//   ImageWriter writer;
//   writer.put("metrics/loss/step", {Element::int64, {3}}, bytes);
//   Image image = writer.finish();                 // verified: read back and compared
//   ImageReader reader("run.h5", image.bytes());
//   reader.get("metrics/loss/step", [&](const ArrayKind& kind) { return room_for(kind); });
//
// Datasets only; groups appear as paths need them. The same calls give the same bytes.
// Threads: a writer or reader holds the one HDF5 lock for its lifetime: one at a time in the
// process, so keep it short and never create a second one in the same thread.
// Errors: Error(failed) from the writer, Error(data) from the reader.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/function_ref.h"

namespace assay {

/// What a dataset holds, little-endian.
enum class Element { float32, float64, int64, uint64, bytes };
std::string_view name(Element element);
std::size_t size_of(Element element);

struct ArrayKind {
  Element element;
  std::vector<std::int64_t> shape;  // no extents: a single value
  std::size_t count() const;
  bool operator==(const ArrayKind&) const = default;
};

/// A whole HDF5 file in memory.
class Image {
 public:
  explicit Image(std::shared_ptr<const char> memory, std::size_t size)
      : memory_(std::move(memory)), size_(size) {}
  std::string_view bytes() const { return {memory_.get(), size_}; }

 private:
  std::shared_ptr<const char> memory_;
  std::size_t size_;
};

class ImageWriter {
 public:
  ImageWriter();
  ~ImageWriter();
  ImageWriter(const ImageWriter&) = delete;
  ImageWriter& operator=(const ImageWriter&) = delete;

  /// REQUIRES bytes.size() = count * size_of(element), and a path that is new.
  void put(const std::string& path, const ArrayKind& kind, std::span<const std::byte> bytes);
  /// Makes these groups, and those above them, and gives them their place in the image now.
  void make_groups(std::span<const std::string> paths);
  /// Makes the group `existing` visible as `alias` too (a hard link).
  void link(const std::string& existing, const std::string& alias);
  /// The file. Reads it back and compares every dataset with what was put. Call once, last.
  Image finish();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

class ImageReader {
 public:
  /// file is its name in messages. The image must outlive the reader.
  ImageReader(std::string file, std::string_view image);
  ~ImageReader();
  ImageReader(const ImageReader&) = delete;
  ImageReader& operator=(const ImageReader&) = delete;

  /// Reads one dataset into the place that `place` gives for it: exactly count * size_of(element)
  /// bytes. Accepted are the five kinds, hard links, contiguous or chunked storage inside the
  /// image, the filters deflate, shuffle, fletcher32, and sizes that the stored bytes can fill.
  void get(const std::string& path, FunctionRef<std::span<std::byte>(const ArrayKind&)> place);
  /// Throws Error(data): file, dataset, what.
  [[noreturn]] void fail(const std::string& path, const std::string& what) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace assay
