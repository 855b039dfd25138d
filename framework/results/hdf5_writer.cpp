#include <fmt/format.h>

#include <cstdlib>
#include <cstring>
#include <set>

#include "base/error.h"
#include "results/hdf5_session.h"

namespace assay {
namespace {

constexpr std::size_t kLargestChunk = std::size_t{1} << 20;
constexpr unsigned kLinksWithoutIndex = 64;  // groups up to this size cost no tree

/// The memory of a file being built, kept when HDF5 closes the file. (H5Fget_file_image of 1.10.8
/// gives a superblock whose checksum is wrong: it clears the mark "being written" and leaves the
/// sum.)
class ImageMemory {
 public:
  ImageMemory() = default;
  ~ImageMemory() { std::free(kept_); }
  ImageMemory(const ImageMemory&) = delete;
  ImageMemory& operator=(const ImageMemory&) = delete;

  H5FD_file_image_callbacks_t callbacks() {
    return {[](std::size_t size, H5FD_file_image_op_t, void*) { return std::malloc(size); },
            [](void* to, const void* from, std::size_t size, H5FD_file_image_op_t, void*) {
              return std::memcpy(to, from, size);
            },
            [](void* memory, std::size_t size, H5FD_file_image_op_t, void*) {
              return std::realloc(memory, size);
            },
            release,
            [](void* self) { return self; },
            [](void*) -> herr_t { return 0; },
            this};
  }

  /// After the file was closed: as many bytes as the superblock (version 3) says; null if nothing
  /// was kept.
  Image take() {
    constexpr std::size_t end_of_file_at = 28;
    std::uint64_t size = 0;
    if (kept_ != nullptr) std::memcpy(&size, kept_ + end_of_file_at, sizeof size);
    return Image(std::shared_ptr<const char>(std::exchange(kept_, nullptr), std::free), size);
  }

 private:
  static herr_t release(void* memory, H5FD_file_image_op_t operation, void* self) {
    if (operation == H5FD_FILE_IMAGE_OP_FILE_CLOSE)
      static_cast<ImageMemory*>(self)->kept_ = static_cast<char*>(memory);
    else
      std::free(memory);
    return 0;
  }

  char* kept_ = nullptr;
};

std::size_t hash_of(std::span<const std::byte> bytes) {
  return std::hash<std::string_view>()({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

/// Halves the first extents until a chunk has at most kLargestChunk bytes.
std::vector<hsize_t> chunk_of(const std::vector<hsize_t>& extents, std::size_t element_size) {
  std::vector<hsize_t> chunk = extents;
  hsize_t bytes = element_size;
  for (const hsize_t extent : extents) bytes *= extent;
  for (std::size_t i = 0; i < chunk.size() && bytes > kLargestChunk;) {
    if (chunk[i] == 1) {
      ++i;
      continue;
    }
    bytes /= chunk[i];
    chunk[i] = (chunk[i] + 1) / 2;
    bytes *= chunk[i];
  }
  return chunk;
}

}  // namespace

struct ImageWriter::Impl {
  struct Put {
    std::string path;
    ArrayKind kind;
    std::size_t hash;
  };

  ImageMemory memory;
  Session session;
  Id of_groups{property_list(*session, "H5P_CLS_GROUP_CREATE_ID_g")};
  Id of_plain{property_list(*session, "H5P_CLS_DATASET_CREATE_ID_g")};
  Id of_chunked{property_list(*session, "H5P_CLS_DATASET_CREATE_ID_g")};
  Id file{create(), session->H5Fclose};
  std::set<std::string, std::less<>> made;
  OpenGroups groups;
  std::vector<Put> puts;

  [[noreturn]] void fail(const std::string& path) const {
    throw Error(ExitCode::failed,
                fmt::format("result file in memory: {}: {}", path, session.reason()));
  }

  hid_t create() {
    session->H5Pset_obj_track_times(of_groups, false);
    session->H5Pset_obj_track_times(of_plain, false);
    session->H5Pset_obj_track_times(of_chunked, false);
    session->H5Pset_fletcher32(of_chunked);
    session->H5Pset_link_phase_change(of_groups, kLinksWithoutIndex, kLinksWithoutIndex / 2);
    const Id access = in_memory(*session);
    H5FD_file_image_callbacks_t callbacks = memory.callbacks();
    session->H5Pset_file_image_callbacks(access, &callbacks);
    const Id of_file = property_list(*session, "H5P_CLS_FILE_CREATE_ID_g");
    session->H5Pset_obj_track_times(of_file, false);
    session->H5Pset_link_phase_change(of_file, kLinksWithoutIndex, kLinksWithoutIndex / 2);
    // The name is never looked at: nothing behind it.
    const hid_t created = session->H5Fcreate("run", H5F_ACC_TRUNC, of_file, access);
    if (created < 0) fail("/");
    return created;
  }

  hid_t group(const std::string& path) {
    return groups.get(file, path, [&](hid_t above, const std::string& leaf, const std::string& at) {
      Id opened(made.insert(at).second
                    ? session->H5Gcreate2(above, leaf.c_str(), H5P_DEFAULT, of_groups, H5P_DEFAULT)
                    : session->H5Gopen2(above, leaf.c_str(), H5P_DEFAULT),
                session->H5Gclose);
      if (!opened.valid()) fail(at);
      return opened;
    });
  }
};

ImageWriter::ImageWriter() : impl_(std::make_unique<Impl>()) {}
ImageWriter::~ImageWriter() = default;

void ImageWriter::put(const std::string& path, const ArrayKind& kind,
                      std::span<const std::byte> bytes) {
  const Session& hdf5 = impl_->session;
  std::vector<hsize_t> extents;
  for (const std::int64_t extent : kind.shape) extents.push_back(static_cast<hsize_t>(extent));
  const Id space(extents.empty() ? hdf5->H5Screate(H5S_SCALAR)
                                 : hdf5->H5Screate_simple(static_cast<int>(extents.size()),
                                                          extents.data(), nullptr),
                 hdf5->H5Sclose);
  const bool chunked = !extents.empty() && !bytes.empty();
  if (chunked) {
    const std::vector<hsize_t> chunk = chunk_of(extents, size_of(kind.element));
    hdf5->H5Pset_chunk(impl_->of_chunked, static_cast<int>(chunk.size()), chunk.data());
  }
  const hid_t type = hdf5->type(kind.element);
  const auto [parent, leaf] = split(path);
  Id dataset(hdf5->H5Dcreate2(impl_->group(parent), leaf.c_str(), type, space, H5P_DEFAULT,
                              chunked ? impl_->of_chunked : impl_->of_plain, H5P_DEFAULT),
             hdf5->H5Dclose);
  if (!dataset.valid()) impl_->fail(path);
  if (!bytes.empty() &&
      hdf5->H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes.data()) < 0)
    impl_->fail(path);
  if (dataset.close() < 0) impl_->fail(path);
  impl_->puts.push_back({path, kind, hash_of(bytes)});
}

void ImageWriter::make_groups(std::span<const std::string> paths) {
  for (const std::string& path : paths) impl_->group(path);
  // Links in a tree have no place before.
  if (impl_->session->H5Fflush(impl_->file, H5F_SCOPE_LOCAL) < 0) impl_->fail("/");
}

void ImageWriter::link(const std::string& existing, const std::string& alias) {
  const auto [parent, leaf] = split(alias);
  if (impl_->session->H5Lcreate_hard(impl_->file, existing.c_str(), impl_->group(parent),
                                     leaf.c_str(), H5P_DEFAULT, H5P_DEFAULT) < 0)
    impl_->fail(alias);
}

Image ImageWriter::finish() {
  impl_->groups.close();
  if (impl_->file.close() < 0) impl_->fail("/");
  const Image image = impl_->memory.take();
  if (image.bytes().empty()) impl_->fail("/");
  const std::vector<Impl::Put> puts = std::move(impl_->puts);
  impl_.reset();  // gives the lock to the reader

  ImageReader reader("result file in memory", image.bytes());
  std::vector<std::byte> bytes;
  for (const auto& put : puts) {
    reader.get(put.path, [&](const ArrayKind& kind) {
      if (kind != put.kind) reader.fail(put.path, "reads back as another kind of array");
      bytes.resize(kind.count() * size_of(kind.element));
      return std::span(bytes);
    });
    if (hash_of(bytes) != put.hash) reader.fail(put.path, "reads back as other values");
  }
  return image;
}

}  // namespace assay
