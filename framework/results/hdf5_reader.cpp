#include <fmt/format.h>

#include <bit>

#include "base/error.h"
#include "results/hdf5_session.h"

namespace assay {
namespace {

static_assert(std::endian::native == std::endian::little,
              "arrays are stored as they lie in memory");

constexpr int kMostExtents = 8;
constexpr std::size_t kMostDeflate = 1032;  // what deflate can shrink at most
constexpr Element kElements[] = {Element::float32, Element::float64, Element::int64,
                                 Element::uint64, Element::bytes};

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

}  // namespace

struct ImageReader::Impl {
  Impl(std::string file_name, std::string_view image)
      : name(std::move(file_name)),
        image_size(image.size()),
        file(open_file(image), session->H5Fclose) {}

  std::string name;
  std::size_t image_size;
  Session session;
  Id file;
  OpenGroups groups;

  [[noreturn]] void fail(const std::string& path, const std::string& what) const {
    throw Error(ExitCode::data, fmt::format("{}: {}: {}", name, path, what));
  }

  hid_t open_file(std::string_view image) {
    const Id access = in_memory(*session);
    H5FD_file_image_callbacks_t callbacks = without_copies(image);
    // An image opened for reading is not written to; HDF5's interface has no const.
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
    return groups.get(file, path, [&](hid_t above, const std::string& leaf, const std::string& at) {
      check_link(above, leaf, at);
      Id opened(session->H5Gopen2(above, leaf.c_str(), H5P_DEFAULT), session->H5Gclose);
      if (!opened.valid()) fail(at, session.reason());
      return opened;
    });
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
