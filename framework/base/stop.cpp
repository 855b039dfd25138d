#include "base/stop.h"

#include <signal.h>
#include <unistd.h>

#include <atomic>

namespace assay {
namespace {

// One of the two allowed mutable globals (DESIGN.md): a signal handler can reach nothing else.
std::atomic<int> signal_seen{0};
static_assert(std::atomic<int>::is_always_lock_free);

void on_signal(int number) {
  if (signal_seen.exchange(number) != 0) _exit(128 + number);
}

}  // namespace

void catch_stop_signals() {
  struct sigaction action = {};
  action.sa_handler = on_signal;
  action.sa_flags = SA_RESTART;  // a file being written is not cut short
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  // A closed pipe, and a file beyond the size limit, are writes that fail: not a lost run.
  signal(SIGPIPE, SIG_IGN);
  signal(SIGXFSZ, SIG_IGN);
}

bool stop_requested() {
  return signal_seen.load(std::memory_order_relaxed) != 0;
}
int stop_signal() {
  return signal_seen.load(std::memory_order_relaxed);
}

}  // namespace assay
