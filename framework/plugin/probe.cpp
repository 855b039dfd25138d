#include "plugin/probe.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "base/text.h"
#include "io/descriptor.h"
#include "plugin/contained.h"
#include "plugin/loader.h"
#include "plugin/probe_cache.h"

namespace assay {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kAnswer = 3;                  // the descriptor that the helper answers on
constexpr int kAboveStandard = 10;          // so that no pipe of ours is one of 0 to 3
constexpr std::size_t kLongestText = 4000;  // of an answer, and of what a plugin printed

struct Pipe {
  Descriptor from, to;
};

Descriptor raised(Descriptor descriptor) {
  return Descriptor(::fcntl(descriptor.get(), F_DUPFD_CLOEXEC, kAboveStandard));
}

/// Empty descriptors on failure.
Pipe make_pipe() {
  std::array<int, 2> ends = {-1, -1};
  Pipe pipe{Descriptor(), Descriptor()};
  if (::pipe2(ends.data(), O_CLOEXEC) == 0)
    pipe = {raised(Descriptor(ends[0])), raised(Descriptor(ends[1]))};
  return pipe;
}

/// Cannot be guessed by code that prints and exits by accident.
std::string make_nonce() {
  std::array<std::uint64_t, 2> bits{};
  while (::getrandom(bits.data(), sizeof(bits), 0) != static_cast<ssize_t>(sizeof(bits))) {
  }
  return fmt::format("{:016x}{:016x}", bits[0], bits[1]);
}

/// What became of the helper.
struct Outcome {
  std::string answer;   // what it wrote to kAnswer
  std::string printed;  // what the plugin printed
  int status = 0;       // as waitpid gives it
  bool in_time = true;
};

/// Takes what is there; false at the end of the pipe.
bool drain(const Descriptor& from, std::string& into) {
  std::array<char, 4096> block{};
  const ssize_t got = ::read(from.get(), block.data(), block.size());
  if (got < 0) return errno == EINTR || errno == EAGAIN;
  if (into.size() < kLongestText) into.append(block.data(), static_cast<std::size_t>(got));
  return got > 0;
}

/// Reads both pipes until the helper has ended, or kills it at the deadline.
Outcome watch(pid_t helper, const Descriptor& answers, const Descriptor& prints,
              Clock::time_point deadline) {
  for (const Descriptor* pipe : {&answers, &prints}) ::fcntl(pipe->get(), F_SETFL, O_NONBLOCK);
  Outcome outcome;
  bool answering = true, printing = true;
  while (true) {
    const bool late = Clock::now() >= deadline;
    if (late && outcome.in_time) {
      ::kill(helper, SIGKILL);
      outcome.in_time = false;
    }
    std::array<pollfd, 2> pipes = {pollfd{answering ? answers.get() : -1, POLLIN, 0},
                                   pollfd{printing ? prints.get() : -1, POLLIN, 0}};
    // With both pipes at their end the helper is about to end: no pipe will wake us.
    ::poll(pipes.data(), pipes.size(), answering || printing ? 20 : 1);
    if (pipes[0].revents != 0) answering = drain(answers, outcome.answer);
    if (pipes[1].revents != 0) printing = drain(prints, outcome.printed);
    const pid_t ended = ::waitpid(helper, &outcome.status, WNOHANG);
    if (ended == helper || (ended < 0 && errno == ECHILD)) break;
  }
  if (answering) drain(answers, outcome.answer);
  if (printing) drain(prints, outcome.printed);
  return outcome;
}

/// " (it printed: ...)", with white space collapsed, or nothing.
std::string quote_printed(const std::string& printed) {
  std::string words;
  for (const char c : printed) {
    const bool space = c == ' ' || c == '\n' || c == '\t' || c == '\r';
    if (!space)
      words += c;
    else if (!words.empty() && words.back() != ' ')
      words += ' ';
  }
  while (words.ends_with(' ')) words.pop_back();
  return words.empty() ? "" : fmt::format("; it printed {}", quote(words, 300));
}

std::string judge(const Outcome& outcome, const std::string& nonce,
                  std::chrono::milliseconds limit) {
  const bool answered = outcome.answer.starts_with(nonce + "\n");
  const std::string_view when = answered ? "when the program ends" : "when it is opened";
  if (!outcome.in_time)
    return fmt::format("hangs {}: a test in a process of its own did not end within {}{}", when,
                       human_duration(static_cast<double>(limit.count()) / 1000),
                       quote_printed(outcome.printed));
  if (answered) {
    std::string refused = outcome.answer.substr(nonce.size() + 1);
    if (!refused.empty()) return refused;
    if (outcome.status == 0) return "";
  }
  return fmt::format("{} {}{}", how_it_ended(outcome.status), when, quote_printed(outcome.printed));
}

}  // namespace

std::string probe_plugin(const std::filesystem::path& file, std::chrono::milliseconds limit) {
  const std::filesystem::path program = library_file().parent_path() / "assay" / "assay-probe";
  const std::string nonce = make_nonce();
  Pipe answers = make_pipe(), prints = make_pipe();
  if (!answers.to || !prints.to)
    return fmt::format("cannot be tested before it is opened: {}", std::strerror(errno));

  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_adddup2(&actions, prints.to.get(), STDOUT_FILENO);
  ::posix_spawn_file_actions_adddup2(&actions, prints.to.get(), STDERR_FILENO);
  ::posix_spawn_file_actions_adddup2(&actions, answers.to.get(), kAnswer);
  std::string name = program.string(), plugin = file.string(), reply = nonce;
  std::array<char*, 4> arguments = {name.data(), plugin.data(), reply.data(), nullptr};
  pid_t helper = 0;
  const Clock::time_point deadline = Clock::now() + limit;
  const int failed =
      ::posix_spawn(&helper, name.c_str(), &actions, nullptr, arguments.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  if (failed != 0)
    return fmt::format("cannot be tested before it is opened: {}: {}; install Assay again", name,
                       std::strerror(failed));
  answers.to = Descriptor();
  prints.to = Descriptor();
  return judge(watch(helper, answers.from, prints.from, deadline), nonce, limit);
}

std::string probe_plugin_once(const std::filesystem::path& file, const std::string& sha256) {
  const ProbeCache cache(file, sha256);
  if (cache.passed()) return "";
  std::string refused = probe_plugin(file);
  if (refused.empty()) cache.remember();
  return refused;
}

int answer_probe(int count, char** arguments) {
  if (count != 3) return 2;
  // The plugin may crash on purpose of the test: leave no core file, and nothing running if the
  // asking program ends.
  const rlimit no_core{};
  ::setrlimit(RLIMIT_CORE, &no_core);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  const std::string refused = load_plugin(arguments[1]).refused;
  const std::string answer =
      fmt::format("{}\n{}", arguments[2], std::string_view(refused).substr(0, kLongestText - 100));
  const ssize_t written = ::write(kAnswer, answer.data(), answer.size());
  // Returning from main runs the plugin's destructors, which are thereby tested too.
  return written == static_cast<ssize_t>(answer.size()) ? 0 : 1;
}

}  // namespace assay
