#include "tensor/kernels/library_products.h"

#include <fmt/format.h>

#include <dnnl.hpp>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "base/error.h"
#include "tensor/kernels/workspace_impl.h"

// oneDNN's own threads are OpenMP's; its header need not be there.
extern "C" void omp_set_num_threads(int count);

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

/// A view of rows x columns numbers; stored transposed, the columns are `stride` apart.
dnnl::memory::desc view(std::int64_t rows, std::int64_t columns, std::int64_t stride,
                        bool transposed) {
  return {{rows, columns},
          dnnl::memory::data_type::f32,
          transposed ? dnnl::memory::dims{1, stride} : dnnl::memory::dims{stride, 1}};
}

/// A primitive for one shape.
class Primitive {
 public:
  Primitive(const Key& key, const dnnl::engine& engine)
      : a_(view(key.m, key.k, key.lda, key.transpose_a)),
        b_(view(key.k, key.n, key.ldb, key.transpose_b)),
        c_(view(key.m, key.n, key.ldc, false)),
        bias_(view(1, key.n, key.n, false)) {
    dnnl::post_ops after;
    if (key.accumulate) after.append_sum(1.0F);
    if (key.addend) after.append_binary(dnnl::algorithm::binary_add, c_);
    if (key.gelu) after.append_eltwise(1.0F, dnnl::algorithm::eltwise_gelu_erf, 0, 0);
    dnnl::primitive_attr attributes;
    attributes.set_post_ops(after);
    attributes.set_scratchpad_mode(dnnl::scratchpad_mode::user);
    const auto description =
        key.bias ? dnnl::matmul::desc(a_, b_, bias_, c_) : dnnl::matmul::desc(a_, b_, c_);
    const dnnl::matmul::primitive_desc made(description, attributes, engine);
    scratch_ = made.scratchpad_desc();
    primitive_ = dnnl::matmul(made);
  }

  /// The memory handles of one call at a time, and its scratch memory.
  class Call {
   public:
    Call(const Primitive& product, const Key& key, const dnnl::engine& engine) {
      add(DNNL_ARG_SRC, product.a_, engine);
      add(DNNL_ARG_WEIGHTS, product.b_, engine);
      add(DNNL_ARG_DST, product.c_, engine);
      add(DNNL_ARG_SCRATCHPAD, product.scratch_, engine);
      if (key.bias) add(DNNL_ARG_BIAS, product.bias_, engine);
      // The sum, if there is one, is the first post-operation; it never comes with an addend.
      if (key.addend) add(DNNL_ARG_ATTR_MULTIPLE_POST_OP(0) | DNNL_ARG_SRC_1, product.c_, engine);
      for (std::size_t i = 0; i < handles_.size(); ++i) arguments_[i].memory = handles_[i].get();
      set(3, scratch_.bytes(product.scratch_.get_size()));
    }
    void run(const Primitive& product, const Matmul& p, const dnnl::stream& stream) {
      set(0, p.a);
      set(1, p.b);
      set(2, p.c);
      std::size_t next = 4;
      if (p.bias) set(next++, p.bias);
      if (p.addend) set(next++, p.addend);
      const dnnl_status_t status =
          dnnl_primitive_execute(product.primitive_.get(), stream.get(),
                                 static_cast<int>(arguments_.size()), arguments_.data());
      if (status != dnnl_success)
        throw Error(ExitCode::failed,
                    fmt::format("[matmul] ({}, {}) x ({}, {}): oneDNN fails with status {}", p.m,
                                p.k, p.k, p.n, static_cast<int>(status)));
    }

   private:
    void add(int argument, const dnnl::memory::desc& description, const dnnl::engine& engine) {
      handles_.emplace_back(description, engine, static_cast<void*>(nullptr));
      arguments_.push_back({argument, nullptr});
    }
    void set(std::size_t i, const void* data) {
      dnnl_memory_set_data_handle(handles_[i].get(), const_cast<void*>(data));
    }
    std::vector<dnnl::memory> handles_;
    std::vector<dnnl_exec_arg_t> arguments_;
    Scratch scratch_;
  };

 private:
  dnnl::memory::desc a_, b_, c_, bias_, scratch_;
  dnnl::matmul primitive_;
};

}  // namespace

// The products of one workspace. A product that is cut into tiles is called by several threads at
// once: each takes a free set of handles.
class LibraryProducts::Impl {
 public:
  Impl() : engine_(dnnl::engine::kind::cpu, 0), stream_(engine_) {}

  void run(const Matmul& p) {
    omp_set_num_threads(1);
    Entry& entry = find(key_of(p));
    Primitive::Call& call = entry.calls.take(
        [&] { return std::make_unique<Primitive::Call>(entry.product, entry.key, engine_); });
    call.run(entry.product, p, stream_);
    entry.calls.give_back(call);
  }

 private:
  struct Entry {
    Entry(const Key& k, const dnnl::engine& engine) : key(k), product(k, engine) {}
    const Key key;
    const Primitive product;
    Pooled<Primitive::Call> calls;
  };

  Entry& find(const Key& key) {
    std::lock_guard lock(mutex_);
    auto at = entries_.find(key);
    if (at == entries_.end())
      at = entries_.try_emplace(key, std::make_unique<Entry>(key, engine_)).first;
    return *at->second;
  }

  dnnl::engine engine_;
  dnnl::stream stream_;
  std::mutex mutex_;
  std::unordered_map<Key, std::unique_ptr<Entry>, KeyHash> entries_;
};

LibraryProducts::LibraryProducts() = default;
LibraryProducts::~LibraryProducts() = default;
void LibraryProducts::run(const Matmul& product) {
  std::call_once(made_, [this] { impl_ = std::make_unique<Impl>(); });
  impl_->run(product);
}

}  // namespace assay
