#include "base/parallel.h"

#include <sched.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <string>
#include <utility>

#include "base/version.h"

#ifndef ASSAY_THREADS_WITHOUT_TBB
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_invoke.h>
#include <tbb/task_arena.h>
#include <tbb/version.h>
#else
#include <atomic>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>
#include <vector>
#endif

namespace assay {
namespace {

// CPUs that the control group grants (cgroup v2), or infinity.
double cgroup_quota() {
  std::ifstream in("/sys/fs/cgroup/cpu.max");
  std::string quota;
  double period = 0;
  if (!(in >> quota >> period) || quota == "max" || period <= 0) return HUGE_VAL;
  return std::strtod(quota.c_str(), nullptr) / period;
}

}  // namespace

int available_cores() {
  cpu_set_t set;
  int cores = 1;
  if (sched_getaffinity(0, sizeof set, &set) == 0) cores = std::max(1, CPU_COUNT(&set));
  const double quota = std::ceil(cgroup_quota());
  return quota >= 1 && quota < cores ? static_cast<int>(quota) : cores;
}

#ifndef ASSAY_THREADS_WITHOUT_TBB

std::string thread_library() {
  return std::string("oneTBB ") + TBB_runtime_version();
}

struct Pool::Impl {
  explicit Impl(int count)
      : threads(count),
        // TBB starts at most this many threads in all arenas; without it --threads 4 on 2 cores
        // would be 2.
        limit(tbb::global_control::max_allowed_parallelism, static_cast<std::size_t>(count)),
        arena(count) {}
  int threads;
  tbb::global_control limit;
  tbb::task_arena arena;
};

Pool::Pool(int threads) : impl_(std::make_unique<Impl>(std::max(1, threads))) {}
Pool::~Pool() = default;
int Pool::threads() const {
  return impl_->threads;
}

void Pool::run(FunctionRef<void()> body) {
  impl_->arena.execute([&] { body(); });
}

void parallel_for(std::int64_t count, FunctionRef<void(std::int64_t)> body) {
  if (count <= 0) return;
  if (count == 1) return body(0);
  // isolate: while this thread waits it may only take tasks of this loop (DESIGN.md, "One pool").
  tbb::this_task_arena::isolate([&] {
    tbb::parallel_for(
        std::int64_t{0}, count, [&](std::int64_t i) { body(i); }, tbb::simple_partitioner{});
  });
}

void parallel_jobs(std::int64_t count, FunctionRef<void(std::int64_t)> body) {
  // Not isolated: while the caller waits here it has nothing half done, so it may take any task.
  tbb::parallel_for(
      std::int64_t{0}, count, [&](std::int64_t i) { body(i); }, tbb::simple_partitioner{});
}

void parallel_invoke(FunctionRef<void()> first, FunctionRef<void()> second) {
  std::exception_ptr errors[2];
  // Caught inside the tasks: an exception that reaches TBB cancels tasks that have nothing to do
  // with it.
  const auto guarded = [&errors](FunctionRef<void()> body, int i) {
    try {
      body();
    } catch (...) {
      errors[i] = std::current_exception();
    }
  };
  tbb::this_task_arena::isolate(
      [&] { tbb::parallel_invoke([&] { guarded(first, 0); }, [&] { guarded(second, 1); }); });
  for (const auto& error : errors)
    if (error) std::rethrow_exception(error);
}

#else  // A small executor whose synchronisation ThreadSanitizer understands.

std::string thread_library() {
  return "std::thread";
}

namespace {

struct Job {
  FunctionRef<void(std::int64_t)> body;
  std::int64_t count;
  std::atomic<std::int64_t> next{0};
  std::int64_t left;  // guarded by the executor's mutex
  std::exception_ptr error;
};

class Executor {
 public:
  explicit Executor(int threads) {
    for (int i = 1; i < threads; ++i) workers_.emplace_back([this] { work(); });
  }
  ~Executor() {
    {
      std::lock_guard lock(mutex_);
      stop_ = true;
    }
    wake_.notify_all();
    for (auto& worker : workers_) worker.join();
  }

  void loop(std::int64_t count, FunctionRef<void(std::int64_t)> body) {
    Job job{body, count, {0}, count, nullptr};
    {
      std::lock_guard lock(mutex_);
      jobs_.push_back(&job);
    }
    wake_.notify_all();
    take_from(job);
    std::unique_lock lock(mutex_);
    std::erase(jobs_, &job);
    done_.wait(lock, [&] { return job.left == 0; });
    if (job.error) std::rethrow_exception(job.error);
  }

 private:
  void take_from(Job& job) {
    for (std::int64_t i; (i = job.next.fetch_add(1)) < job.count;) run_one(job, i);
  }
  void run_one(Job& job, std::int64_t i) {
    std::exception_ptr error;
    try {
      job.body(i);
    } catch (...) {
      error = std::current_exception();
    }
    std::lock_guard lock(mutex_);
    if (error && !job.error) job.error = error;
    if (--job.left == 0) done_.notify_all();
  }
  void work();

  std::mutex mutex_;
  std::condition_variable wake_, done_;
  std::deque<Job*> jobs_;
  std::vector<std::thread> workers_;
  bool stop_ = false;
};

// Which executor the loops of this thread use. Exists only in this preset; the TBB build keeps no
// such state.
thread_local Executor* current = nullptr;

void Executor::work() {
  current = this;
  std::unique_lock lock(mutex_);
  while (true) {
    Job* job = nullptr;
    std::int64_t index = 0;
    for (Job* candidate : jobs_)
      if ((index = candidate->next.fetch_add(1)) < candidate->count) {
        job = candidate;
        break;
      }
    if (job) {
      lock.unlock();
      run_one(*job, index);
      lock.lock();
    } else if (stop_) {
      return;
    } else {
      wake_.wait(lock);
    }
  }
}

}  // namespace

struct Pool::Impl {
  explicit Impl(int count) : threads(count), executor(count) {}
  int threads;
  Executor executor;
};

Pool::Pool(int threads) : impl_(std::make_unique<Impl>(std::max(1, threads))) {}
Pool::~Pool() = default;
int Pool::threads() const {
  return impl_->threads;
}

void Pool::run(FunctionRef<void()> body) {
  Executor* before = std::exchange(current, &impl_->executor);
  try {
    body();
  } catch (...) {
    current = before;
    throw;
  }
  current = before;
}

void parallel_for(std::int64_t count, FunctionRef<void(std::int64_t)> body) {
  if (current && count > 1) return current->loop(count, body);
  for (std::int64_t i = 0; i < count; ++i) body(i);
}

void parallel_jobs(std::int64_t count, FunctionRef<void(std::int64_t)> body) {
  parallel_for(count, body);
}

void parallel_invoke(FunctionRef<void()> first, FunctionRef<void()> second) {
  const auto both = [&](std::int64_t i) { i == 0 ? first() : second(); };
  if (current) return current->loop(2, both);
  first();
  second();
}

#endif

}  // namespace assay
