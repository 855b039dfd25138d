// The tape: memory and memory-of-what-was-done of one forward and backward pass (define by run).
//
//   Tape tape;
//   Tensor w = tape.variable({64, 65}, weights, gradient);    // numbers owned elsewhere
//   Tensor loss = cross_entropy(linear(x, w), targets);       // operations record how to go back
//   tape.backward(loss);                                      // fills gradients, newest first
//   tape.reset();                                             // invalidates every tensor; keeps
//   the memory
//
// One thread uses a tape at a time; different tapes are independent. An operation may split its own
// work with parallel_for, into tiles of fixed size with disjoint outputs.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <new>
#include <span>
#include <type_traits>

#include "base/api.h"
#include "tensor/arena.h"
#include "tensor/kernels/workspace.h"
#include "tensor/tensor.h"

namespace assay {

class ASSAY_API Tape {
 public:
  /// recording = false: forward only, nothing is kept for going back.
  explicit Tape(bool recording = true);
  ~Tape();
  Tape(const Tape&) = delete;
  Tape& operator=(const Tape&) = delete;

  bool recording() const { return recording_; }
  void set_recording(bool recording) { recording_ = recording; }

  /// A tensor without gradient, copied from values. REQUIRES values.size() == shape.elements().
  Tensor constant(const Shape& shape, std::span<const float> values);
  /// A leaf whose numbers and gradient live elsewhere and outlive the pass (a parameter). A null
  /// gradient: not trained. The first gradient overwrites the buffer, later ones add: it need not
  /// be cleared before.
  Tensor variable(const Shape& shape, float* values, float* gradient);

  // ---- for authors of operations ----
  /// Uninitialised result; needs a gradient if one of its inputs does and the tape records.
  Tensor result(const Shape& shape, std::initializer_list<Tensor> inputs);
  /// The same, on numbers that are there already (another tensor's).
  Tensor view(const Shape& shape, float* values, std::initializer_list<Tensor> inputs);
  float* floats(std::int64_t count) { return arena_.floats(count); }
  Arena& arena() { return arena_; }
  Workspace& workspace() { return workspace_; }
  /// backward() runs f() in reverse order of recording, if result.has_gradient then. F must be
  /// trivially destructible (capture tensors, pointers and numbers): it is stored in the arena, and
  /// never destroyed.
  template <class F>
  void record(Tensor result, const F& f) {
    static_assert(std::is_trivially_destructible_v<F>);
    if (!result.needs_gradient()) return;
    void* memory = arena_.take(sizeof(Step<F>));
    push(new (memory) Step<F>(&result.slot(), f));
  }
  /// The gradient buffer of x, and whether to overwrite it (false: add to it). Marks it as filled.
  struct GradientTarget {
    float* data;
    bool accumulate;
  };
  GradientTarget gradient_of(Tensor x);
  /// Where dx = dy: x takes the gradient buffer of y (which is then without), or adds it to its
  /// own. Of a result that backward has gone through: once, after all other uses of its gradient.
  void pass_on_gradient(Tensor y, Tensor x);

  /// Fills the gradients of everything that the one-element loss depends on; seed is
  /// d(objective)/d(loss). Goes back through each operation once. The gradient of an inner tensor
  /// may be passed on to an input of its operation (add, reshape); those of variables stay.
  void backward(Tensor loss, float seed = 1.0F);
  void reset();

  /// Floating-point operations counted by the operations since the last reset (2 per multiply-add).
  double flops() const { return flops_; }
  void count_flops(double flops) { flops_ += flops; }

 private:
  struct StepBase {
    TensorSlot* result;
    StepBase* previous;
    void (*run)(StepBase*);
  };
  template <class F>
  struct Step : StepBase {
    Step(TensorSlot* r, const F& function)
        : StepBase{r, nullptr, [](StepBase* s) { static_cast<Step*>(s)->f(); }}, f(function) {}
    F f;
  };
  void push(StepBase* step) {
    step->previous = last_;
    last_ = step;
  }

  bool recording_;
  Arena arena_;
  Workspace workspace_;
  StepBase* last_ = nullptr;
  double flops_ = 0;
};

}  // namespace assay
