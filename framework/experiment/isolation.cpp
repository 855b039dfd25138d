#include "experiment/isolation.h"

#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "base/parallel.h"
#include "base/stop.h"
#include "plugin/contained.h"
#include "plugin/crash_report.h"
#include "results/run_file.h"

namespace assay {
namespace {

// What a child says: lines of a letter and its fields. What starts with none of these letters and a
// tab is the report of a crash.
constexpr char kNote = 'n', kStarted = 's', kProgress = 'p', kRefused = 'r', kFinished = 'f';

std::string one_line(std::string text) {
  std::replace(text.begin(), text.end(), '\n', '\v');
  return text;
}
std::string several_lines(std::string text) {
  std::replace(text.begin(), text.end(), '\v', '\n');
  return text;
}

class Teller final : public Reporter {
 public:
  explicit Teller(int descriptor) : descriptor_(descriptor) {}

  void say(char what, const std::string& fields) {
    const std::string line = std::string(1, what) + '\t' + fields + '\n';
    const std::lock_guard lock(mutex_);
    for (std::string_view rest = line; !rest.empty();) {
      const ssize_t written = ::write(descriptor_, rest.data(), rest.size());
      if (written < 0 && errno == EINTR) continue;
      if (written <= 0) return;  // nobody listens any more
      rest.remove_prefix(static_cast<std::size_t>(written));
    }
  }
  void note(const std::string&, const std::string& text) override { say(kNote, one_line(text)); }
  void started(const std::string&, std::int64_t steps) override {
    say(kStarted, fmt::format("{}", steps));
  }
  void progress(const std::string&, const Progress& p) override {
    say(kProgress,
        fmt::format("{} {} {} {} {} {}", p.step, p.steps, p.loss, p.tokens_per_second,
                    p.seconds_left, p.validation ? fmt::format("{}", *p.validation) : ""));
  }
  void finished(const std::string&, const RunRecord&, const std::string&, bool) override {}

 private:
  std::mutex mutex_;
  int descriptor_;
};

std::optional<Progress> progress_of(const std::string& fields) {
  Progress p;
  long long step = 0, steps = 0;
  double validation = 0;
  const int read = std::sscanf(fields.c_str(), "%lld %lld %lf %lf %lf %lf", &step, &steps, &p.loss,
                               &p.tokens_per_second, &p.seconds_left, &validation);
  if (read < 5) return std::nullopt;
  p.step = step;
  p.steps = steps;
  if (read == 6) p.validation = validation;
  return p;
}

[[noreturn]] void work(const PlannedRun& run, const ExecuteOptions& options, int descriptor) {
  const rlimit no_core{};
  ::setrlimit(RLIMIT_CORE, &no_core);
  ::setpgid(0, 0);  // Ctrl-C is for the parent, which hands it on
  ::prctl(PR_SET_PDEATHSIG, SIGTERM);
  report_crashes_to(descriptor);
  Teller teller(descriptor);
  try {
    Pool pool(options.threads);
    pool.run([&] { execute(run, options, teller); });
    teller.say(kFinished, "");
  } catch (const Error& error) {
    teller.say(kRefused,
               fmt::format("{} {}", static_cast<int>(error.code()), one_line(error.what())));
  } catch (const std::exception& error) {
    teller.say(kRefused,
               fmt::format("{} {}", static_cast<int>(ExitCode::failed), one_line(error.what())));
  }
  ::_exit(0);  // destructors are the parent's
}

[[noreturn]] void fail(const char* what) {
  throw Error(ExitCode::failed, fmt::format("{}: {}", what, std::strerror(errno)));
}

}  // namespace

IsolatedRuns::IsolatedRuns(const std::vector<PlannedRun>& plan, Reporter& reporter,
                           std::function<void()> in_child, Ended ended)
    : plan_(plan), reporter_(reporter), in_child_(std::move(in_child)), ended_(std::move(ended)) {}

void IsolatedRuns::start(std::size_t run, const ExecuteOptions& options) {
  std::array<int, 2> ends{};
  if (::pipe(ends.data()) != 0) fail("cannot make a pipe");
  std::fflush(nullptr);  // or it would be written by both
  const pid_t process = ::fork();
  if (process < 0) fail("cannot start a process for a run");
  if (process == 0) {
    ::close(ends[0]);
    for (const Child& other : children_) ::close(other.descriptor);
    in_child_();
    ExecuteOptions own = options;
    own.packs = nullptr;  // those are open in the parent
    work(plan_[run], own, ends[1]);
  }
  ::close(ends[1]);
  children_.push_back({run, process, ends[0], options, {}, false, {}, {}});
}

void IsolatedRuns::listen() {
  if (stop_requested() && !std::exchange(stopped_, true))
    for (const Child& child : children_) ::kill(child.process, SIGTERM);
  std::vector<pollfd> waiting;
  for (const Child& child : children_) waiting.push_back({child.descriptor, POLLIN, 0});
  if (::poll(waiting.data(), waiting.size(), 100) <= 0) return;
  for (std::size_t i = waiting.size(); i-- > 0;) {
    if (waiting[i].revents == 0 || hear(children_[i])) continue;
    Child child = std::move(children_[i]);
    children_.erase(children_.begin() + static_cast<std::ptrdiff_t>(i));
    end(child);
  }
}

// False at the end.
bool IsolatedRuns::hear(Child& child) {
  std::array<char, 4096> piece;
  const ssize_t size = ::read(child.descriptor, piece.data(), piece.size());
  if (size < 0) return errno == EINTR;
  child.unread.append(piece.data(), static_cast<std::size_t>(size));
  for (std::size_t end; (end = child.unread.find('\n')) != std::string::npos;) {
    const std::string line = child.unread.substr(0, end);
    child.unread.erase(0, end + 1);
    take(child, line);
  }
  return size > 0;
}

void IsolatedRuns::take(Child& child, const std::string& line) {
  const std::string& name = plan_[child.run].run;
  const std::string fields = line.size() < 2 ? "" : several_lines(line.substr(2));
  const char what = line.size() < 2 || line[1] != '\t' ? '\0' : line[0];
  if (what == kNote) {
    reporter_.note(name, fields);
  } else if (what == kStarted) {
    reporter_.started(name, std::strtoll(fields.c_str(), nullptr, 10));
  } else if (what == kProgress) {
    if (const auto progress = progress_of(fields)) reporter_.progress(name, *progress);
  } else if (what == kRefused) {
    child.refused.emplace(static_cast<ExitCode>(std::atoi(fields.c_str())),
                          fields.substr(fields.find(' ') + 1));
  } else if (what == kFinished) {
    child.finished = true;
  } else if (!line.empty()) {
    child.crash = line;
  }
}

void IsolatedRuns::end(Child& child) {
  ::close(child.descriptor);
  int status = 0;
  while (::waitpid(child.process, &status, 0) < 0 && errno == EINTR) {
  }
  const PlannedRun& run = plan_[child.run];
  RunResult result;
  result.run = run.run;
  result.file = run.file.string();
  try {
    if (child.refused) {
      result.refuse(run.setup.name, run.setup.seed, child.refused->first, child.refused->second);
    } else if (child.finished) {
      result.record = read_run(run.file, false);
      if (child.options.packs && result.record.status == RunStatus::done) {
        Executed packed = pack(run, *child.options.packs);
        result.record = std::move(packed.record);
        result.file = std::move(packed.file);
      }
    } else {
      const std::string how =
          child.crash.empty() ? "the process of this run " + how_it_ended(status) : child.crash;
      result.record = record_crash(run, child.options, how);
    }
  } catch (const Error& error) {
    result.refuse(run.setup.name, run.setup.seed, error.code(), error.what());
  }
  ended_(child.run, std::move(result));
}

}  // namespace assay
