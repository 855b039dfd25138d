#include "train/shards.h"

#include <algorithm>

#include "autograd/ops_basic.h"
#include "base/parallel.h"
#include "tensor/kernels/update.h"

namespace assay {
namespace {

// Folding is split into parts of this many floats when a gradient is large.
constexpr std::int64_t kFoldPart = std::int64_t{1} << 18;

void fold_into(std::span<float> a, std::span<const float> b) {
  const auto size = static_cast<std::int64_t>(a.size());
  parallel_for((size + kFoldPart - 1) / kFoldPart, [&](std::int64_t part) {
    const auto first = static_cast<std::size_t>(part * kFoldPart);
    const auto count = static_cast<std::size_t>(std::min(kFoldPart, size - part * kFoldPart));
    add_into(a.subspan(first, count), b.subspan(first, count));
  });
}

}  // namespace

BatchSum& BatchSum::operator+=(const BatchSum& other) {
  loss += other.loss;
  weight += other.weight;
  if (other.penalty) penalty = penalty.value_or(0) + *other.penalty;
  flops += other.flops;
  for (const auto& [name, figure] : other.figures) {
    auto& mine =
        figures.try_emplace(name, Objective::Figure{name, 0, 0, figure.total}).first->second;
    mine.sum += figure.sum;
    mine.weight += figure.weight;
  }
  return *this;
}

// Objects that are used by one task at a time and kept between steps. The lock is held for a push
// or a pop only.
template <class T>
class Shards::FreeList {
 public:
  class Lease {
   public:
    Lease() = default;
    Lease(FreeList* list, std::unique_ptr<T> object) : list_(list), object_(std::move(object)) {}
    Lease(Lease&&) = default;
    Lease& operator=(Lease&& other) {
      give_back();
      list_ = other.list_;
      object_ = std::move(other.object_);
      return *this;
    }
    ~Lease() { give_back(); }
    T& operator*() const { return *object_; }
    T* operator->() const { return object_.get(); }

   private:
    void give_back() {
      if (!object_) return;
      std::lock_guard lock(list_->mutex_);
      list_->free_.push_back(std::move(object_));
    }
    FreeList* list_ = nullptr;
    std::unique_ptr<T> object_;
  };

  Lease take() {
    std::unique_lock lock(mutex_);
    if (free_.empty()) {
      lock.unlock();
      return Lease(this, std::make_unique<T>());
    }
    std::unique_ptr<T> object = std::move(free_.back());
    free_.pop_back();
    return Lease(this, std::move(object));
  }

  template <class F>
  void for_each_free(F f) {
    std::lock_guard lock(mutex_);
    for (const auto& object : free_) f(*object);
  }

 private:
  std::mutex mutex_;
  std::vector<std::unique_ptr<T>> free_;
};

struct Shards::Folded {
  BatchSum sum;
  FreeList<AlignedFloats>::Lease gradient;
};

Shards::Shards(const Model& model, const Objective& objective, const Parameters& parameters,
               int count)
    : model_(model),
      objective_(objective),
      parameters_(parameters),
      count_(count),
      tapes_(std::make_unique<FreeList<Tape>>()),
      buffers_(std::make_unique<FreeList<AlignedFloats>>()) {}

Shards::~Shards() = default;

BatchSum Shards::run_shard(const Batch& rows, const Random& random, std::span<float> gradient) {
  const bool training = !gradient.empty();
  auto tape = tapes_->take();
  tape->reset();
  tape->set_recording(training);
  Pass pass(*tape, parameters_, gradient, training ? Mode::train : Mode::evaluate, random);
  pass.set_first_row(rows.first_row());
  const Output output = model_.forward(rows, pass);
  const SummedLoss loss = objective_.loss(output, rows, pass);
  BatchSum sum;
  sum.loss = static_cast<double>(loss.sum.values()[0]);
  sum.weight = loss.weight;
  if (training) {
    Tensor minimised = loss.sum;
    if (pass.penalty() && loss.weight > 0) {
      sum.penalty = static_cast<double>(pass.penalty().values()[0]) * loss.weight;
      minimised = add(minimised, scale(pass.penalty(), static_cast<float>(loss.weight)));
    }
    tape->backward(minimised);
    pass.complete_gradients();
  } else {
    for (const auto& figure : objective_.figures(output, rows)) sum.figures[figure.name] = figure;
  }
  sum.flops = tape->flops();
  return sum;
}

Shards::Folded Shards::fold(const Batch& batch, const Random& random, std::int64_t first,
                            std::int64_t last) {
  Folded result;
  if (last - first == 1) {
    const std::int64_t shards = std::min(count_, batch.size());
    result.gradient = buffers_->take();
    result.gradient->resize(static_cast<std::size_t>(parameters_.buffer_size()));
    result.sum = run_shard(batch.rows(first * batch.size() / shards, last * batch.size() / shards),
                           random, *result.gradient);
    return result;
  }
  Folded right;
  const std::int64_t middle = first + (last - first) / 2;
  parallel_invoke([&] { result = fold(batch, random, first, middle); },
                  [&] { right = fold(batch, random, middle, last); });
  fold_into(*result.gradient, *right.gradient);
  result.sum += right.sum;
  return result;
}

BatchSum Shards::gradient(const Batch& batch, const Random& random, std::span<float> gradient) {
  const Folded folded = fold(batch, random, 0, std::min(count_, batch.size()));
  std::copy(folded.gradient->begin(), folded.gradient->end(), gradient.begin());
  return folded.sum;
}

BatchSum Shards::evaluate(const Batch& batch, const Random& random) {
  const std::int64_t parts = (batch.size() + kEvaluationRows - 1) / kEvaluationRows;
  std::vector<BatchSum> sums(static_cast<std::size_t>(parts));
  parallel_for(parts, [&](std::int64_t part) {
    const std::int64_t first = part * kEvaluationRows;
    const Batch rows = batch.rows(first, std::min(batch.size(), first + kEvaluationRows));
    sums[static_cast<std::size_t>(part)] = run_shard(rows, random, {});
  });
  BatchSum total;
  for (const BatchSum& sum : sums) total += sum;
  return total;
}

std::size_t Shards::tape_bytes() const {
  std::size_t bytes = 0;
  tapes_->for_each_free([&](Tape& tape) { bytes = std::max(bytes, tape.arena().peak_bytes()); });
  return bytes;
}

}  // namespace assay
