// Parallel loops on one pool. The only place that includes TBB is parallel.cpp.
//
//   Pool pool(4);
//   pool.run([&] { parallel_for(rows, [&](std::int64_t r) { normalise(row(r)); }); });
//
// Results never depend on the number of threads: a loop body writes only what belongs to its index,
// and sums are folded in a fixed tree (fold). Loops nest; a thread that waits inside a loop runs
// only tasks of that loop, never another run's. The first exception that a body throws is rethrown
// to the caller.
#pragma once

#include <cstdint>
#include <memory>

#include "base/api.h"
#include "base/function_ref.h"

namespace assay {

/// Cores this process may use: affinity mask and cgroup CPU quota are honoured. At least 1.
ASSAY_API int available_cores();

/// A set of worker threads. run() executes body with its loops spread over them, and waits.
class ASSAY_API Pool {
 public:
  explicit Pool(int threads);  // REQUIRES threads >= 1
  ~Pool();
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;
  int threads() const;
  void run(FunctionRef<void()> body);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// body(0) ... body(count - 1), in any order, possibly at once.
ASSAY_API void parallel_for(std::int64_t count, FunctionRef<void(std::int64_t)> body);

/// The same for the outermost loop, whose bodies are whole runs: a thread that has no body left
/// helps the loops inside the others. REQUIRES not called from within a loop.
ASSAY_API void parallel_jobs(std::int64_t count, FunctionRef<void(std::int64_t)> body);

/// Both, possibly at once. If one throws, the other still completes before the exception is
/// rethrown.
ASSAY_API void parallel_invoke(FunctionRef<void()> first, FunctionRef<void()> second);

}  // namespace assay
