// For the kernels alone: the functions of oneDNN that are used, opened at the first use
// (base/lazy_library.h), and its objects, which destroy themselves.
#pragma once

#include <dnnl.h>

#include <utility>

#include "base/lazy_library.h"

namespace assay {

struct OneDnn {
  LazyLibrary library{"libdnnl.so.2", "libdnnl2"};
#define ASSAY_USE(api) decltype(&::api) api = library.function<decltype(::api)>(#api)
  ASSAY_USE(dnnl_set_max_cpu_isa);
  ASSAY_USE(dnnl_get_effective_cpu_isa);
  ASSAY_USE(dnnl_version);
  ASSAY_USE(dnnl_engine_create);
  ASSAY_USE(dnnl_engine_destroy);
  ASSAY_USE(dnnl_stream_create);
  ASSAY_USE(dnnl_stream_destroy);
  ASSAY_USE(dnnl_memory_desc_init_by_strides);
  ASSAY_USE(dnnl_memory_desc_get_size);
  ASSAY_USE(dnnl_memory_create);
  ASSAY_USE(dnnl_memory_destroy);
  ASSAY_USE(dnnl_memory_set_data_handle);
  ASSAY_USE(dnnl_post_ops_create);
  ASSAY_USE(dnnl_post_ops_destroy);
  ASSAY_USE(dnnl_post_ops_append_sum);
  ASSAY_USE(dnnl_post_ops_append_binary);
  ASSAY_USE(dnnl_post_ops_append_eltwise);
  ASSAY_USE(dnnl_primitive_attr_create);
  ASSAY_USE(dnnl_primitive_attr_destroy);
  ASSAY_USE(dnnl_primitive_attr_set_post_ops);
  ASSAY_USE(dnnl_primitive_attr_set_scratchpad_mode);
  ASSAY_USE(dnnl_matmul_desc_init);
  ASSAY_USE(dnnl_primitive_desc_create);
  ASSAY_USE(dnnl_primitive_desc_destroy);
  ASSAY_USE(dnnl_primitive_desc_query_md);
  ASSAY_USE(dnnl_primitive_create);
  ASSAY_USE(dnnl_primitive_destroy);
  ASSAY_USE(dnnl_primitive_execute);
#undef ASSAY_USE
  /// oneDNN's own threads are OpenMP's, and are counted for each thread that calls.
  void (*omp_set_num_threads)(int) = library.function<void(int)>("omp_set_num_threads");
};

/// An object of oneDNN and the function that destroys it.
template <class T>
class OneDnnObject {
 public:
  OneDnnObject() = default;
  OneDnnObject(T object, dnnl_status_t (*destroy)(T)) : object_(object), destroy_(destroy) {}
  OneDnnObject(OneDnnObject&& other) noexcept
      : object_(std::exchange(other.object_, nullptr)), destroy_(other.destroy_) {}
  OneDnnObject& operator=(OneDnnObject&& other) noexcept {
    std::swap(object_, other.object_);
    std::swap(destroy_, other.destroy_);
    return *this;
  }
  ~OneDnnObject() {
    if (object_ != nullptr) destroy_(object_);
  }
  T get() const { return object_; }

 private:
  T object_ = nullptr;
  dnnl_status_t (*destroy_)(T) = nullptr;
};

}  // namespace assay
