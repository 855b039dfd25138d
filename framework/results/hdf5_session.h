// For hdf5*.cpp alone: the HDF5 library as it is used here, its one lock, and identifiers that
// close themselves.
#pragma once

#include <hdf5.h>

#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "base/lazy_library.h"
#include "results/hdf5.h"

// HDF5's constants call these functions, which would link the library; Session does it instead.
#undef H5CHECK
#undef H5OPEN
#define H5CHECK
#define H5OPEN

namespace assay {

/// The functions of the library that are used; opened at the first use (base/lazy_library.h).
struct Hdf5 {
  Hdf5();

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
  ASSAY_USE(H5Fflush);
  ASSAY_USE(H5Fopen);
  ASSAY_USE(H5Fclose);
  ASSAY_USE(H5Pcreate);
  ASSAY_USE(H5Pclose);
  ASSAY_USE(H5Pset_fapl_core);
  ASSAY_USE(H5Pset_file_image);
  ASSAY_USE(H5Pset_file_image_callbacks);
  ASSAY_USE(H5Pset_file_locking);
  ASSAY_USE(H5Pset_libver_bounds);
  ASSAY_USE(H5Pget_mdc_config);
  ASSAY_USE(H5Pset_mdc_config);
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
  hid_t type(Element element) const;
};

/// The one lock, and the library behind it: every use of HDF5 in the process goes through here.
class Session {
 public:
  Session();
  const Hdf5& operator*() const { return hdf5_; }
  const Hdf5* operator->() const { return &hdf5_; }

  /// What HDF5 says went wrong, in its innermost words.
  std::string reason() const;

 private:
  static std::mutex& mutex();
  static const Hdf5& library();

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

/// A new property list; kind is the name of HDF5's variable for its class.
Id property_list(const Hdf5& hdf5, const char* kind);
/// Access to a file in memory, without one on a disk behind it.
Id in_memory(const Hdf5& hdf5);

/// "a/b/c" -> "a/b" and "c".
std::pair<std::string, std::string> split(const std::string& path);

/// The group that was used last and those above it, kept open: the next dataset is mostly its
/// neighbour.
class OpenGroups {
 public:
  /// The group of this path, "" being root. open gives what is not open yet, by the group above,
  /// the name in it, and the path.
  template <class Open>
  hid_t get(hid_t root, const std::string& path, Open open) {
    if (path.empty()) return root;
    while (!groups_.empty() && !is_at_or_below(path, groups_.back().first)) groups_.pop_back();
    if (!groups_.empty() && groups_.back().first == path) return groups_.back().second;
    const auto [parent, leaf] = split(path);
    const hid_t above = get(root, parent, open);
    groups_.emplace_back(path, open(above, leaf, path));
    return groups_.back().second;
  }
  void close() { groups_.clear(); }

 private:
  static bool is_at_or_below(const std::string& path, const std::string& group) {
    return path.starts_with(group) && (path.size() == group.size() || path[group.size()] == '/');
  }

  std::vector<std::pair<std::string, Id>> groups_;
};

}  // namespace assay
