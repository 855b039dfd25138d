#include "results/hdf5.h"

#include <fmt/format.h>
#include <hdf5.h>

#include <bit>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <mutex>
#include <set>
#include <utility>

#include "base/error.h"
#include "io/lazy_library.h"

// HDF5's constants call these functions, which would link the library; Session does it instead.
#undef H5CHECK
#undef H5OPEN
#define H5CHECK
#define H5OPEN

namespace assay {
namespace {

static_assert(std::endian::native == std::endian::little,
              "arrays are stored as they lie in memory");

constexpr std::size_t kLargestChunk = std::size_t{1} << 20;
constexpr std::size_t kImageIncrement = std::size_t{1} << 20;
constexpr unsigned kLinksWithoutIndex = 64;  // groups up to this size cost no tree
constexpr int kMostExtents = 8;
constexpr std::size_t kMostDeflate = 1032;  // what deflate can shrink at most
constexpr Element kElements[] = {Element::float32, Element::float64, Element::int64,
                                 Element::uint64, Element::bytes};

/// The functions of the library that are used; opened at the first use (io/lazy_library.h).
struct Hdf5 {
  Hdf5() {
    H5dont_atexit();
    unsigned major = 0, minor = 0, release = 0;
    if (H5open() < 0 || H5get_libversion(&major, &minor, &release) < 0 || major != H5_VERS_MAJOR ||
        minor != H5_VERS_MINOR)
      throw Error(ExitCode::failed,
                  fmt::format("{}: wanted HDF5 {}.{}, got {}.{}.{}", ASSAY_HDF5_LIBRARY,
                              H5_VERS_MAJOR, H5_VERS_MINOR, major, minor, release));
    H5PLset_loading_state(0);
  }

  LazyLibrary library{ASSAY_HDF5_LIBRARY, "libhdf5-103-1"};
#define ASSAY_USE(api) decltype(&::api) api = library.function<decltype(::api)>(#api)
  ASSAY_USE(H5dont_atexit);
  ASSAY_USE(H5open);
  ASSAY_USE(H5get_libversion);
  ASSAY_USE(H5PLset_loading_state);
  ASSAY_USE(H5Eset_auto2);
  ASSAY_USE(H5Eclear2);
  ASSAY_USE(H5Ewalk2);
  ASSAY_USE(H5Fcreate);
  ASSAY_USE(H5Fopen);
  ASSAY_USE(H5Fclose);
  ASSAY_USE(H5Pcreate);
  ASSAY_USE(H5Pclose);
  ASSAY_USE(H5Pset_fapl_core);
  ASSAY_USE(H5Pset_file_image);
  ASSAY_USE(H5Pset_file_image_callbacks);
  ASSAY_USE(H5Pset_file_locking);
  ASSAY_USE(H5Pset_libver_bounds);
  ASSAY_USE(H5Pset_obj_track_times);
  ASSAY_USE(H5Pset_link_phase_change);
  ASSAY_USE(H5Pset_chunk);
  ASSAY_USE(H5Pget_chunk);
  ASSAY_USE(H5Pset_fletcher32);
  ASSAY_USE(H5Pget_layout);
  ASSAY_USE(H5Pget_nfilters);
  ASSAY_USE(H5Pget_filter2);
  ASSAY_USE(H5Pget_external_count);
  ASSAY_USE(H5Screate);
  ASSAY_USE(H5Screate_simple);
  ASSAY_USE(H5Sclose);
  ASSAY_USE(H5Sget_simple_extent_type);
  ASSAY_USE(H5Sget_simple_extent_ndims);
  ASSAY_USE(H5Sget_simple_extent_dims);
  ASSAY_USE(H5Tequal);
  ASSAY_USE(H5Tcommitted);
  ASSAY_USE(H5Tclose);
  ASSAY_USE(H5Dcreate2);
  ASSAY_USE(H5Dopen2);
  ASSAY_USE(H5Dwrite);
  ASSAY_USE(H5Dread);
  ASSAY_USE(H5Dget_type);
  ASSAY_USE(H5Dget_space);
  ASSAY_USE(H5Dget_create_plist);
  ASSAY_USE(H5Dget_storage_size);
  ASSAY_USE(H5Dclose);
  ASSAY_USE(H5Gcreate2);
  ASSAY_USE(H5Gopen2);
  ASSAY_USE(H5Gclose);
  ASSAY_USE(H5Lget_info);
  ASSAY_USE(H5Lcreate_hard);
#undef ASSAY_USE

  hid_t id(const char* variable) const {
    return library.variable<hid_t>(variable);
  }
  hid_t type(Element element) const {
    switch (element) {
      case Element::float32:
        return id("H5T_IEEE_F32LE_g");
      case Element::float64:
        return id("H5T_IEEE_F64LE_g");
      case Element::int64:
        return id("H5T_STD_I64LE_g");
      case Element::uint64:
        return id("H5T_STD_U64LE_g");
      case Element::bytes:
        break;
    }
    return id("H5T_STD_U8LE_g");
  }
};

/// The one lock, and the library behind it: every use of HDF5 in the process goes through here.
class Session {
 public:
  Session() : lock_(mutex()), hdf5_(library()) {
    // Without threads the library has one error stack; with threads, one for each: set it every
    // time.
    hdf5_.H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
    hdf5_.H5Eclear2(H5E_DEFAULT);
  }
  const Hdf5& operator*() const { return hdf5_; }
  const Hdf5* operator->() const { return &hdf5_; }

  /// What HDF5 says went wrong, in its innermost words.
  std::string reason() const {
    std::string text = "HDF5 gives no reason";
    hdf5_.H5Ewalk2(
        H5E_DEFAULT, H5E_WALK_UPWARD,
        [](unsigned level, const H5E_error2_t* error, void* to) -> herr_t {
          if (level == 0 && error->desc != nullptr)
            *static_cast<std::string*>(to) =
                fmt::format("{}: {}", error->func_name ? error->func_name : "HDF5", error->desc);
          return 0;
        },
        &text);
    return text;
  }

 private:
  static std::mutex& mutex() {
    static std::mutex one;
    return one;
  }
  static const Hdf5& library() {
    static const Hdf5 one;
    return one;
  }

  std::unique_lock<std::mutex> lock_;
  const Hdf5& hdf5_;
};

/// An HDF5 identifier that is closed with its owner.
class Id {
 public:
  using Close = herr_t (*)(hid_t);
  Id(hid_t id, Close function) : id_(id), close_(function) {}
  ~Id() {
    if (id_ >= 0) close_(id_);
  }
  Id(Id&& other) noexcept : id_(std::exchange(other.id_, -1)), close_(other.close_) {}
  Id& operator=(Id&& other) noexcept {
    std::swap(id_, other.id_);
    std::swap(close_, other.close_);
    return *this;
  }
  operator hid_t() const { return id_; }  // NOLINT: stands for the number everywhere
  bool valid() const { return id_ >= 0; }
  herr_t close() { return close_(std::exchange(id_, -1)); }

 private:
  hid_t id_;
  Close close_;
};

Id property_list(const Hdf5& hdf5, const char* kind) {
  return {hdf5.H5Pcreate(hdf5.id(kind)), hdf5.H5Pclose};
}

/// Access to a file in memory, without one on a disk behind it.
Id in_memory(const Hdf5& hdf5) {
  Id access = property_list(hdf5, "H5P_CLS_FILE_ACCESS_ID_g");
  hdf5.H5Pset_fapl_core(access, kImageIncrement, false);
  hdf5.H5Pset_file_locking(access, false, true);
  hdf5.H5Pset_libver_bounds(access, H5F_LIBVER_LATEST, H5F_LIBVER_LATEST);
  return access;
}

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

/// For reading an image where it lies: HDF5 asks for memory and copies, and gets the image itself.
H5FD_file_image_callbacks_t without_copies(std::string_view image) {
  return {[](std::size_t, H5FD_file_image_op_t, void* self) { return self; },
          [](void* to, const void*, std::size_t, H5FD_file_image_op_t, void*) { return to; },
          [](void*, std::size_t, H5FD_file_image_op_t, void*) -> void* { return nullptr; },
          [](void*, H5FD_file_image_op_t, void*) -> herr_t { return 0; },
          [](void* self) { return self; },
          [](void*) -> herr_t { return 0; },
          const_cast<char*>(image.data())};
}

std::size_t hash_of(std::span<const std::byte> bytes) {
  return std::hash<std::string_view>()({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

/// "a/b/c" -> "a/b" and "c".
std::pair<std::string, std::string> split(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  if (slash == std::string::npos) return {"", path};
  return {path.substr(0, slash), path.substr(slash + 1)};
}

/// The group that was used last, kept open: the next dataset is mostly its neighbour.
struct OpenGroup {
  std::string path;
  Id id;
};

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

std::string_view name(Element element) {
  constexpr std::string_view names[] = {"float32", "float64", "int64", "uint64", "bytes"};
  return names[static_cast<int>(element)];
}

std::size_t size_of(Element element) {
  constexpr std::size_t sizes[] = {4, 8, 8, 8, 1};
  return sizes[static_cast<int>(element)];
}

std::size_t ArrayKind::count() const {
  std::size_t product = 1;
  for (const std::int64_t extent : shape) product *= static_cast<std::size_t>(extent);
  return product;
}

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
  std::set<std::string, std::less<>> groups;
  OpenGroup open{"", Id(-1, session->H5Gclose)};
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
    if (path.empty()) return file;
    if (open.path == path) return open.id;
    for (std::size_t end = 0; end != std::string::npos;) {
      end = path.find('/', end + 1);
      const std::string prefix = path.substr(0, end);
      if (!groups.insert(prefix).second) continue;
      const Id created(
          session->H5Gcreate2(file, prefix.c_str(), H5P_DEFAULT, of_groups, H5P_DEFAULT),
          session->H5Gclose);
      if (!created.valid()) fail(prefix);
    }
    open = {path, Id(session->H5Gopen2(file, path.c_str(), H5P_DEFAULT), session->H5Gclose)};
    if (!open.id.valid()) fail(path);
    return open.id;
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

void ImageWriter::link(const std::string& existing, const std::string& alias) {
  const auto [parent, leaf] = split(alias);
  if (impl_->session->H5Lcreate_hard(impl_->file, existing.c_str(), impl_->group(parent),
                                     leaf.c_str(), H5P_DEFAULT, H5P_DEFAULT) < 0)
    impl_->fail(alias);
}

Image ImageWriter::finish() {
  impl_->open.id = Id(-1, impl_->session->H5Gclose);
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

struct ImageReader::Impl {
  Impl(std::string file_name, std::string_view image)
      : name(std::move(file_name)),
        image_size(image.size()),
        file(open_file(image), session->H5Fclose) {}

  std::string name;
  std::size_t image_size;
  Session session;
  Id file;
  OpenGroup open{"", Id(-1, session->H5Gclose)};

  [[noreturn]] void fail(const std::string& path, const std::string& what) const {
    throw Error(ExitCode::data, fmt::format("{}: {}: {}", name, path, what));
  }

  hid_t open_file(std::string_view image) {
    const Id access = in_memory(*session);
    H5FD_file_image_callbacks_t callbacks = without_copies(image);
    // Neither HDF5 nor the callbacks write to an image that is opened for reading; the interface
    // has no const.
    if (session->H5Pset_file_image_callbacks(access, &callbacks) < 0 ||
        session->H5Pset_file_image(access, const_cast<char*>(image.data()), image.size()) < 0)
      fail("/", session.reason());
    const hid_t opened = session->H5Fopen("run", H5F_ACC_RDONLY, access);
    if (opened < 0) fail("/", session.reason());
    return opened;
  }

  /// Fails unless this name is a hard link: the others lead to other files, or in circles.
  void check_link(hid_t group, const std::string& leaf, const std::string& path) const {
    H5L_info_t link;
    if (session->H5Lget_info(group, leaf.c_str(), &link, H5P_DEFAULT) < 0) fail(path, "is missing");
    if (link.type != H5L_TYPE_HARD) fail(path, "is no hard link: refused");
  }

  hid_t group(const std::string& path) {
    if (path.empty()) return file;
    if (open.path == path) return open.id;
    const auto [parent, leaf] = split(path);
    const hid_t above = group(parent);
    check_link(above, leaf, path);
    open = {path, Id(session->H5Gopen2(above, leaf.c_str(), H5P_DEFAULT), session->H5Gclose)};
    if (!open.id.valid()) fail(path, session.reason());
    return open.id;
  }

  Element element(hid_t dataset, const std::string& path) const {
    const Id type(session->H5Dget_type(dataset), session->H5Tclose);
    if (!type.valid()) fail(path, session.reason());
    if (session->H5Tcommitted(type) == 0)
      for (const Element candidate : kElements)
        if (session->H5Tequal(type, session->type(candidate)) > 0) return candidate;
    fail(path, "wanted little-endian float32, float64, int64, uint64 or uint8, got another type");
  }

  std::vector<std::int64_t> shape(hid_t dataset, const std::string& path) const {
    const Id space(session->H5Dget_space(dataset), session->H5Sclose);
    if (!space.valid()) fail(path, session.reason());
    const H5S_class_t kind = session->H5Sget_simple_extent_type(space);
    if (kind == H5S_SCALAR) return {};
    const int rank = session->H5Sget_simple_extent_ndims(space);
    if (kind != H5S_SIMPLE || rank < 1 || rank > kMostExtents)
      fail(path, fmt::format("wanted at most {} extents", kMostExtents));
    std::vector<hsize_t> extents(static_cast<std::size_t>(rank));
    session->H5Sget_simple_extent_dims(space, extents.data(), nullptr);
    return {extents.begin(), extents.end()};
  }

  /// Bytes that these extents take, if a file of this size can hold them; shrunk says whether
  /// deflate is allowed to help.
  std::size_t plausible_bytes(std::span<const hsize_t> extents, std::size_t element_size,
                              bool shrunk, const std::string& path) const {
    const std::size_t most = image_size * (shrunk ? kMostDeflate : 1);
    std::size_t bytes = element_size;
    for (const hsize_t extent : extents) {
      if (extent != 0 && bytes > most / extent)
        fail(path, fmt::format("claims more data than a file of {} bytes can hold", image_size));
      bytes *= extent;
    }
    return bytes;
  }

  /// Storage that HDF5 may be asked to read: nothing outside the image, nothing larger than it can
  /// be.
  void check_storage(hid_t dataset, const ArrayKind& kind, const std::string& path) const {
    const Id creation(session->H5Dget_create_plist(dataset), session->H5Pclose);
    if (!creation.valid()) fail(path, session.reason());
    const H5D_layout_t layout = session->H5Pget_layout(creation);
    if (layout != H5D_CONTIGUOUS && layout != H5D_CHUNKED)
      fail(path, "is stored neither contiguous nor chunked: refused");
    if (session->H5Pget_external_count(creation) != 0)
      fail(path, "is stored in another file: refused");
    bool deflated = false;
    const int filters = session->H5Pget_nfilters(creation);
    for (int i = 0; i < filters; ++i) {
      unsigned flags = 0, config = 0;
      std::size_t values = 0;
      const H5Z_filter_t filter = session->H5Pget_filter2(
          creation, static_cast<unsigned>(i), &flags, &values, nullptr, 0, nullptr, &config);
      if (filter != H5Z_FILTER_DEFLATE && filter != H5Z_FILTER_SHUFFLE &&
          filter != H5Z_FILTER_FLETCHER32)
        fail(path, fmt::format("is stored with filter {}: refused", filter));
      deflated = deflated || filter == H5Z_FILTER_DEFLATE;
    }
    const std::size_t width = size_of(kind.element);
    const std::vector<hsize_t> extents(kind.shape.begin(), kind.shape.end());
    const std::size_t bytes = plausible_bytes(extents, width, deflated, path);
    if (layout == H5D_CHUNKED) {
      std::vector<hsize_t> chunk(extents.size());
      if (session->H5Pget_chunk(creation, static_cast<int>(chunk.size()), chunk.data()) < 0)
        fail(path, session.reason());
      plausible_bytes(chunk, width, deflated, path);
    }
    const hsize_t stored = session->H5Dget_storage_size(dataset);
    if (bytes > stored * (deflated ? kMostDeflate : 1))
      fail(path, fmt::format("claims {} bytes, but {} are stored", bytes, stored));
  }
};

ImageReader::ImageReader(std::string file, std::string_view image)
    : impl_(std::make_unique<Impl>(std::move(file), image)) {}
ImageReader::~ImageReader() = default;

void ImageReader::fail(const std::string& path, const std::string& what) const {
  impl_->fail(path, what);
}

void ImageReader::get(const std::string& path,
                      FunctionRef<std::span<std::byte>(const ArrayKind&)> place) {
  const Session& hdf5 = impl_->session;
  const auto [parent, leaf] = split(path);
  const hid_t group = impl_->group(parent);
  impl_->check_link(group, leaf, path);
  const Id dataset(hdf5->H5Dopen2(group, leaf.c_str(), H5P_DEFAULT), hdf5->H5Dclose);
  if (!dataset.valid()) fail(path, hdf5.reason());
  const ArrayKind kind{impl_->element(dataset, path), impl_->shape(dataset, path)};
  impl_->check_storage(dataset, kind, path);
  const std::span<std::byte> to = place(kind);
  if (!to.empty() && hdf5->H5Dread(dataset, hdf5->type(kind.element), H5S_ALL, H5S_ALL, H5P_DEFAULT,
                                   to.data()) < 0)
    fail(path, hdf5.reason());
}

}  // namespace assay
