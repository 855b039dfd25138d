#include "experiment/environment.h"

#include <fmt/format.h>
#include <gnu/libc-version.h>
#include <unistd.h>

#include <fstream>
#include <string>

#include "base/version.h"
#include "tensor/kernels/target.h"

namespace assay {
namespace {

std::string processor() {
  std::ifstream in("/proc/cpuinfo");
  for (std::string line; std::getline(in, line);)
    if (line.rfind("model name", 0) == 0) return line.substr(line.find(':') + 2);
  return "unknown";
}

// Cache sizes are part of the CPU class: the matrix library chooses its blocks by them.
std::string caches() {
  std::string text;
  for (const auto& [name, key] :
       {std::pair("L1d", _SC_LEVEL1_DCACHE_SIZE), std::pair("L2", _SC_LEVEL2_CACHE_SIZE),
        std::pair("L3", _SC_LEVEL3_CACHE_SIZE)}) {
    const long bytes = sysconf(key);
    if (bytes > 0) text += fmt::format("{}{} {} KiB", text.empty() ? "" : ", ", name, bytes / 1024);
  }
  return text.empty() ? "unknown" : text;
}

}  // namespace

Facts environment_facts(int threads) {
  return {{"assay", std::string(version())},
          {"build", build_id()},
          {"compiler", __VERSION__},
          {"matrix library", matrix_library()},
          {"thread library", thread_library()},
          {"C library", std::string("glibc ") + gnu_get_libc_version()},
          {"processor", processor()},
          {"caches", caches()},
          {"kernels", kernel_target()},
          {"threads", std::to_string(threads)}};
}

void note_environment(RunRecord& record, int threads) {
  if (record.environment.empty()) record.environment = environment_facts(threads);
}

}  // namespace assay
