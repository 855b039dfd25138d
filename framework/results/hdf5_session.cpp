#include "results/hdf5_session.h"

#include <fmt/format.h>

#include "base/error.h"

namespace assay {
namespace {

constexpr std::size_t kImageIncrement = std::size_t{1} << 20;
// With each dataset that is closed HDF5 looks through all of its metadata cache: with 2 MB (its
// default) a run in a pack of 256 takes 6 ms more than in a file of its own, with this 2 ms.
constexpr std::size_t kCache = std::size_t{1} << 19;

}  // namespace

Hdf5::Hdf5() {
  H5dont_atexit();
  unsigned major = 0, minor = 0, release = 0;
  if (H5open() < 0 || H5get_libversion(&major, &minor, &release) < 0 || major != H5_VERS_MAJOR ||
      minor != H5_VERS_MINOR)
    throw Error(ExitCode::failed,
                fmt::format("{}: wanted HDF5 {}.{}, got {}.{}.{}", ASSAY_HDF5_LIBRARY,
                            H5_VERS_MAJOR, H5_VERS_MINOR, major, minor, release));
  H5PLset_loading_state(0);
}

hid_t Hdf5::type(Element element) const {
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

Session::Session() : lock_(mutex()), hdf5_(library()) {
  // A library built for threads has one error stack for each thread: silence it every time.
  hdf5_.H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  hdf5_.H5Eclear2(H5E_DEFAULT);
}

std::string Session::reason() const {
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

std::mutex& Session::mutex() {
  static std::mutex one;
  return one;
}

const Hdf5& Session::library() {
  static const Hdf5 one;
  return one;
}

Id property_list(const Hdf5& hdf5, const char* kind) {
  return {hdf5.H5Pcreate(hdf5.id(kind)), hdf5.H5Pclose};
}

Id in_memory(const Hdf5& hdf5) {
  Id access = property_list(hdf5, "H5P_CLS_FILE_ACCESS_ID_g");
  hdf5.H5Pset_fapl_core(access, kImageIncrement, false);
  hdf5.H5Pset_file_locking(access, false, true);
  hdf5.H5Pset_libver_bounds(access, H5F_LIBVER_LATEST, H5F_LIBVER_LATEST);
  H5AC_cache_config_t cache{};
  cache.version = H5AC__CURR_CACHE_CONFIG_VERSION;
  if (hdf5.H5Pget_mdc_config(access, &cache) >= 0) {
    cache.set_initial_size = true;
    cache.initial_size = cache.max_size = cache.min_size = kCache;
    cache.decr_mode = H5C_decr__off;
    hdf5.H5Pset_mdc_config(access, &cache);
  }
  return access;
}

std::pair<std::string, std::string> split(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  if (slash == std::string::npos) return {"", path};
  return {path.substr(0, slash), path.substr(slash + 1)};
}

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

}  // namespace assay
