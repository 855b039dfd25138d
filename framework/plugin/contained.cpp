#include "plugin/contained.h"

#include <fmt/format.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>

#include "plugin/crash_report.h"

namespace assay {
namespace {

/// Shared by parent and child.
struct Report {
  bool finished = false;
  int code = 0;
  std::array<char, 256> during{};
  std::array<char, 8192> thrown{};
};

template <std::size_t Size>
void put(std::array<char, Size>& into, std::string_view text) {
  into.fill('\0');
  std::copy_n(text.begin(), std::min(text.size(), Size - 1), into.begin());
}

void work_in_child(const std::function<ExitCode(const Said&)>& work, Report& report) {
  const rlimit no_core{};
  ::setrlimit(RLIMIT_CORE, &no_core);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  stop_watching();
  try {
    report.code = static_cast<int>(work([&](std::string_view what) { put(report.during, what); }));
  } catch (const Error& error) {
    report.code = static_cast<int>(error.code());
    put(report.thrown, error.what());
  } catch (const std::exception& error) {
    report.code = static_cast<int>(ExitCode::failed);
    put(report.thrown, error.what());
  }
  report.finished = true;
}

}  // namespace

std::string how_it_ended(int status) {
  if (WIFSIGNALED(status))
    return fmt::format("crashes with signal {} ({})", WTERMSIG(status),
                       ::strsignal(WTERMSIG(status)));
  return fmt::format("ends the program with exit code {}", WEXITSTATUS(status));
}

Ending run_contained(const std::function<ExitCode(const Said&)>& work) {
  void* shared =
      ::mmap(nullptr, sizeof(Report), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (shared == MAP_FAILED) throw std::bad_alloc();
  auto* report = new (shared) Report;
  std::fflush(nullptr);  // or it would be written by both
  const pid_t child = ::fork();
  if (child < 0)
    throw Error(ExitCode::failed,
                fmt::format("cannot start a process to test in: {}", std::strerror(errno)));
  if (child == 0) {
    work_in_child(work, *report);
    ::_exit(0);  // destructors are the parent's
  }
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  const Ending ending = {report->finished, static_cast<ExitCode>(report->code),
                         report->thrown.data(), report->during.data(),
                         report->finished ? "" : how_it_ended(status)};
  ::munmap(shared, sizeof(Report));
  return ending;
}

}  // namespace assay
