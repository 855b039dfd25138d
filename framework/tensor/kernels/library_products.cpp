#include "tensor/kernels/library_products.h"

#include <fmt/format.h>

#include <mutex>
#include <unordered_map>
#include <vector>

#include "base/error.h"
#include "tensor/kernels/onednn.h"
#include "tensor/kernels/workspace_impl.h"

namespace assay {
namespace {

/// All that a primitive is made for.
struct Key {
  std::int64_t m, n, k, lda, ldb, ldc;
  bool transpose_a, transpose_b, accumulate, bias, addend, gelu;
  friend bool operator==(const Key&, const Key&) = default;
};
struct KeyHash {
  std::size_t operator()(const Key& key) const {
    std::uint64_t h = 0;
    for (std::int64_t x : {key.m, key.n, key.k, key.lda, key.ldb, key.ldc})
      h = (h ^ static_cast<std::uint64_t>(x)) * 0x9E3779B97F4A7C15U, h ^= h >> 29;
    const int flags = key.transpose_a | key.transpose_b << 1 | key.accumulate << 2 | key.bias << 3 |
                      key.addend << 4 | key.gelu << 5;
    return static_cast<std::size_t>(h ^ static_cast<std::uint64_t>(flags));
  }
};

Key key_of(const Matmul& p) {
  return {p.m,
          p.n,
          p.k,
          p.lda ? p.lda : (p.transpose_a ? p.m : p.k),
          p.ldb ? p.ldb : (p.transpose_b ? p.k : p.n),
          p.ldc ? p.ldc : p.n,
          p.transpose_a,
          p.transpose_b,
          p.accumulate,
          p.bias != nullptr,
          p.addend != nullptr,
          p.gelu};
}

// The library, and what every primitive needs of it.
struct Library {
  Library() {
    dnnl_engine_t made_engine = nullptr;
    check(api.dnnl_engine_create(&made_engine, dnnl_cpu, 0));
    engine = {made_engine, api.dnnl_engine_destroy};
    dnnl_stream_t made_stream = nullptr;
    check(api.dnnl_stream_create(&made_stream, made_engine, dnnl_stream_default_flags));
    stream = {made_stream, api.dnnl_stream_destroy};
  }
  static void check(dnnl_status_t status) {
    if (status == dnnl_success) return;
    throw Error(ExitCode::failed,
                fmt::format("[matmul] oneDNN fails with status {}", static_cast<int>(status)));
  }

  /// A view of rows x columns numbers; stored transposed, the columns are `stride` apart.
  dnnl_memory_desc_t view(std::int64_t rows, std::int64_t columns, std::int64_t stride,
                          bool transposed) const {
    const dnnl_dims_t extents = {rows, columns};
    const dnnl_dims_t strides = {transposed ? 1 : stride, transposed ? stride : 1};
    dnnl_memory_desc_t description;
    check(api.dnnl_memory_desc_init_by_strides(&description, 2, extents, dnnl_f32, strides));
    return description;
  }

  OneDnn api;
  OneDnnObject<dnnl_engine_t> engine;
  OneDnnObject<dnnl_stream_t> stream;
};

/// A primitive for one shape.
class Primitive {
 public:
  Primitive(const Key& key, const Library& library)
      : a_(library.view(key.m, key.k, key.lda, key.transpose_a)),
        b_(library.view(key.k, key.n, key.ldb, key.transpose_b)),
        c_(library.view(key.m, key.n, key.ldc, false)),
        bias_(library.view(1, key.n, key.n, false)) {
    const OneDnn& api = library.api;
    dnnl_primitive_attr_t made_attributes = nullptr;
    Library::check(api.dnnl_primitive_attr_create(&made_attributes));
    const OneDnnObject attributes(made_attributes, api.dnnl_primitive_attr_destroy);
    add_post_operations(key, api, made_attributes);
    Library::check(
        api.dnnl_primitive_attr_set_scratchpad_mode(made_attributes, dnnl_scratchpad_mode_user));

    dnnl_matmul_desc_t product;
    Library::check(api.dnnl_matmul_desc_init(&product, &a_, &b_, key.bias ? &bias_ : nullptr, &c_));
    dnnl_primitive_desc_t made_description = nullptr;
    Library::check(api.dnnl_primitive_desc_create(&made_description, &product, made_attributes,
                                                  library.engine.get(), nullptr));
    const OneDnnObject description(made_description, api.dnnl_primitive_desc_destroy);
    scratch_ = *api.dnnl_primitive_desc_query_md(made_description, dnnl_query_scratchpad_md, 0);
    scratch_bytes_ = api.dnnl_memory_desc_get_size(&scratch_);
    dnnl_primitive_t made = nullptr;
    Library::check(api.dnnl_primitive_create(&made, made_description));
    primitive_ = {made, api.dnnl_primitive_destroy};
  }

  /// The memory handles of one call at a time, and its scratch memory.
  class Call {
   public:
    Call(const Primitive& product, const Key& key, const Library& library) {
      add(DNNL_ARG_SRC, product.a_, library);
      add(DNNL_ARG_WEIGHTS, product.b_, library);
      add(DNNL_ARG_DST, product.c_, library);
      add(DNNL_ARG_SCRATCHPAD, product.scratch_, library);
      if (key.bias) add(DNNL_ARG_BIAS, product.bias_, library);
      // The sum, if there is one, is the first post-operation; it never comes with an addend.
      if (key.addend) add(DNNL_ARG_ATTR_MULTIPLE_POST_OP(0) | DNNL_ARG_SRC_1, product.c_, library);
      set(3, scratch_.bytes(product.scratch_bytes_), library);
    }
    void run(const Primitive& product, const Matmul& p, const Library& library) {
      set(0, p.a, library);
      set(1, p.b, library);
      set(2, p.c, library);
      std::size_t next = 4;
      if (p.bias) set(next++, p.bias, library);
      if (p.addend) set(next++, p.addend, library);
      const dnnl_status_t status = library.api.dnnl_primitive_execute(
          product.primitive_.get(), library.stream.get(), static_cast<int>(arguments_.size()),
          arguments_.data());
      if (status != dnnl_success)
        throw Error(ExitCode::failed,
                    fmt::format("[matmul] ({}, {}) x ({}, {}): oneDNN fails with status {}", p.m,
                                p.k, p.k, p.n, static_cast<int>(status)));
    }

    std::size_t scratch_bytes() const { return scratch_.size(); }

   private:
    void add(int argument, const dnnl_memory_desc_t& description, const Library& library) {
      dnnl_memory_t made = nullptr;
      Library::check(
          library.api.dnnl_memory_create(&made, &description, library.engine.get(), nullptr));
      handles_.emplace_back(made, library.api.dnnl_memory_destroy);
      arguments_.push_back({argument, made});
    }
    void set(std::size_t i, const void* data, const Library& library) {
      library.api.dnnl_memory_set_data_handle(handles_[i].get(), const_cast<void*>(data));
    }
    std::vector<OneDnnObject<dnnl_memory_t>> handles_;
    std::vector<dnnl_exec_arg_t> arguments_;
    Scratch scratch_;
  };

 private:
  void add_post_operations(const Key& key, const OneDnn& api,
                           dnnl_primitive_attr_t attributes) const {
    dnnl_post_ops_t made = nullptr;
    Library::check(api.dnnl_post_ops_create(&made));
    const OneDnnObject after(made, api.dnnl_post_ops_destroy);
    if (key.accumulate) Library::check(api.dnnl_post_ops_append_sum(made, 1.0F));
    if (key.addend) Library::check(api.dnnl_post_ops_append_binary(made, dnnl_binary_add, &c_));
    if (key.gelu)
      Library::check(api.dnnl_post_ops_append_eltwise(made, 1.0F, dnnl_eltwise_gelu_erf, 0, 0));
    Library::check(api.dnnl_primitive_attr_set_post_ops(attributes, made));
  }

  dnnl_memory_desc_t a_, b_, c_, bias_, scratch_ = {};
  std::size_t scratch_bytes_ = 0;
  OneDnnObject<dnnl_primitive_t> primitive_;
};

}  // namespace

// The products of one workspace. A product that is cut into tiles is called by several threads at
// once: each takes a free set of handles.
class LibraryProducts::Impl {
 public:
  void run(const Matmul& p) {
    library_.api.omp_set_num_threads(1);
    Entry& entry = find(key_of(p));
    Primitive::Call& call = entry.calls.take(
        [&] { return std::make_unique<Primitive::Call>(entry.product, entry.key, library_); });
    call.run(entry.product, p, library_);
    entry.calls.give_back(call);
  }

  std::size_t scratch_bytes() const {
    std::size_t bytes = 0;
    for (const auto& [key, entry] : entries_)
      for (const auto& call : entry->calls.all()) bytes += call->scratch_bytes();
    return bytes;
  }

 private:
  struct Entry {
    Entry(const Key& k, const Library& library) : key(k), product(k, library) {}
    const Key key;
    const Primitive product;
    Pooled<Primitive::Call> calls;
  };

  Entry& find(const Key& key) {
    std::lock_guard lock(mutex_);
    auto at = entries_.find(key);
    if (at == entries_.end())
      at = entries_.try_emplace(key, std::make_unique<Entry>(key, library_)).first;
    return *at->second;
  }

  Library library_;
  std::mutex mutex_;
  std::unordered_map<Key, std::unique_ptr<Entry>, KeyHash> entries_;
};

LibraryProducts::LibraryProducts() = default;
LibraryProducts::~LibraryProducts() = default;
void LibraryProducts::run(const Matmul& product) {
  std::call_once(made_, [this] { impl_ = std::make_unique<Impl>(); });
  impl_->run(product);
}

std::size_t LibraryProducts::scratch_bytes() const {
  return impl_ ? impl_->scratch_bytes() : 0;
}

}  // namespace assay
