// Shared libraries that are opened when first needed. Linking libcurl or HDF5 costs every process
// start 12 ms on Debian 12 (30 libraries to map and relocate), oneDNN 5 ms; most commands
// need none of them, and a run only those that it comes to.
//
//   LazyLibrary curl("libcurl.so.4", "libcurl4");
//   auto* version = curl.function<char*()>("curl_version");
//
// Never closed again. Errors: Error(failed) saying which package has the library.
#pragma once

#include <string>
#include <string_view>

namespace assay {

class LazyLibrary {
 public:
  LazyLibrary(const char* file, std::string_view package);

  template <class Signature>
  Signature* function(const char* name) const {
    return reinterpret_cast<Signature*>(symbol(name));
  }
  /// A variable that the library exports.
  template <class T>
  const T& variable(const char* name) const {
    return *static_cast<const T*>(symbol(name));
  }

 private:
  void* symbol(const char* name) const;

  std::string file_;
  void* handle_;
};

}  // namespace assay
