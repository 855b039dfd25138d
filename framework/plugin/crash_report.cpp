#include "plugin/crash_report.h"

#include <dlfcn.h>
#include <execinfo.h>
#include <link.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <string_view>

#include "base/error.h"

namespace assay {
namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kSanitized = true;
#elif defined(__has_feature)
constexpr bool kSanitized = __has_feature(address_sanitizer) || __has_feature(thread_sanitizer);
#else
constexpr bool kSanitized = false;
#endif

constexpr std::array kCrashes = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
constexpr std::size_t kMostPlugins = 64;  // later ones go unnamed
constexpr int kDeepestStack = 256;
constexpr int kMostThreads = 512;

struct Range {
  std::uintptr_t begin = 0, end = 0;
  std::array<char, 512> plugin{};
};
std::array<Range, kMostPlugins> ranges;
std::atomic<std::size_t> known_count = 0;
std::atomic<bool> watching = false;
std::atomic<pid_t> reporter = 0;     // the thread that has the word
std::atomic<pid_t> terminating = 0;  // the thread whose exception ends the program
std::atomic<int> listener = -1;      // a descriptor; -1: standard error, for people
std::atomic<std::terminate_handler> runtime_terminate = nullptr;
alignas(16) std::array<char, 64 * 1024> signal_stack;  // a crash may be one of no stack left

/// The first plugin on the stack, or null.
const char* plugin_on_stack() {
  std::array<void*, kDeepestStack> frames{};
  const int depth = ::backtrace(frames.data(), kDeepestStack);
  for (int i = 0; i < depth; ++i) {
    const auto at = reinterpret_cast<std::uintptr_t>(frames[static_cast<std::size_t>(i)]);
    for (std::size_t k = 0; k < known_count.load(); ++k)
      if (ranges[k].begin <= at && at < ranges[k].end) return ranges[k].plugin.data();
  }
  return nullptr;
}

/// In one piece: other threads that end may be writing their own last words. Nothing here may
/// allocate: the crash may have been in malloc.
void write_error(std::initializer_list<std::string_view> parts) {
  std::array<char, 1024> line;
  std::size_t size = 0;
  const int to = listener.load() < 0 ? STDERR_FILENO : listener.load();
  for (const std::string_view part : parts)
    size += part.copy(line.data() + size, line.size() - size);
  for (std::size_t at = 0; at < size;) {
    const ssize_t written = ::write(to, line.data() + at, size - at);
    if (written <= 0) return;
    at += static_cast<std::size_t>(written);
  }
}

[[noreturn]] void blame(const char* plugin, const char* what, const char* detail) {
  if (listener.load() >= 0)
    write_error({plugin, " ", what, detail, "\n"});
  else
    write_error({"\nerror: ", plugin, " ", what, detail,
                 "; runs in flight are not finished; try: assay plugins test FILE.so\n"});
  ::_exit(static_cast<int>(ExitCode::plugin));
}

/// Whether this thread is to report. Threads of one model crash at the same time: the others wait
/// until the first has ended the program.
bool takes_the_word() {
  const pid_t self = ::gettid();
  pid_t holder = 0;
  if (!watching) return false;
  if (reporter.compare_exchange_strong(holder, self)) return true;
  while (holder != self) ::pause();
  return false;  // it crashed while it reported
}

const char* describe_crash(int signal) {
  switch (signal) {
    case SIGSEGV:
      return "11 (Segmentation fault)";
    case SIGBUS:
      return "7 (Bus error)";
    case SIGFPE:
      return "8 (Floating point exception)";
    case SIGILL:
      return "4 (Illegal instruction)";
    default:
      return "6 (Aborted)";
  }
}

void on_crash(int signal) {
  if (takes_the_word())
    if (const char* plugin = plugin_on_stack())
      blame(plugin, "crashes with signal ", describe_crash(signal));
  ::signal(signal, SIG_DFL);
  ::raise(signal);
}

// The runtime says which exception it was. Only of the first: another thread's words could follow
// the report.
void on_terminate() {
  const pid_t self = ::gettid();
  pid_t holder = 0;
  if (!watching || terminating.compare_exchange_strong(holder, self) || holder == self)
    runtime_terminate.load()();
  while (true) ::pause();
}

void on_exit() {
  if (!takes_the_word()) return;
  if (const char* plugin = plugin_on_stack()) blame(plugin, "ends the program by calling exit", "");
  write_error({"\nerror: internal: the program was ended by a call of exit\n"});
  ::_exit(static_cast<int>(ExitCode::failed));
}

/// From the lowest to the highest address of the library that was loaded at `base`.
int find_extent(dl_phdr_info* info, std::size_t, void* data) {
  auto& range = *static_cast<Range*>(data);
  if (info->dlpi_addr != range.begin) return 0;
  for (int i = 0; i < info->dlpi_phnum; ++i)
    if (info->dlpi_phdr[i].p_type == PT_LOAD)
      range.end = std::max<std::uintptr_t>(
          range.end, range.begin + info->dlpi_phdr[i].p_vaddr + info->dlpi_phdr[i].p_memsz);
  return 1;
}

}  // namespace

void watch_for_crashes() {
  void* frame = nullptr;
  ::backtrace(&frame, 1);  // the first call loads a library, which a signal handler must not
  watching = true;
  runtime_terminate = std::set_terminate(on_terminate);
  // Each thread that calls exit takes one of these, and the process ends with the first that finds
  // none left.
  for (int i = 0; i < kMostThreads; ++i) std::atexit(on_exit);
  if (kSanitized) return;
  stack_t stack{};
  stack.ss_sp = signal_stack.data();
  stack.ss_size = signal_stack.size();
  ::sigaltstack(&stack, nullptr);
  struct sigaction action {};
  action.sa_handler = on_crash;
  action.sa_flags = SA_ONSTACK;
  for (const int crash : kCrashes) ::sigaction(crash, &action, nullptr);
}

void report_crashes_to(int descriptor) {
  listener = descriptor;
}

void stop_watching() {
  watching = false;
}

void note_plugin(const std::string& plugin, void* library) {
  const std::size_t next = known_count.load();
  link_map* map = nullptr;
  if (next == kMostPlugins || ::dlinfo(library, RTLD_DI_LINKMAP, &map) != 0) return;
  Range& range = ranges[next];
  range.begin = map->l_addr;
  ::dl_iterate_phdr(find_extent, &range);
  std::copy_n(plugin.begin(), std::min(plugin.size(), range.plugin.size() - 1),
              range.plugin.begin());
  known_count = next + 1;
  // The plugin's static objects are destroyed before what was registered earlier: be asked before
  // them.
  if (watching) std::atexit(on_exit);
}

}  // namespace assay
