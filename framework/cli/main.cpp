#include <cstdlib>
#include <exception>
#include <new>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/huge_pages.h"
#include "cli/program.h"
#include "cli/terminal.h"
#include "plugin/crash_report.h"
#include "tensor/kernels/target.h"

namespace {

void say_error(const std::string& message) {
  const assay::Terminal terminal = assay::Terminal::of(stderr);
  assay::write_err(styled(terminal, assay::Style::red, "error:") + " " + message + "\n");
}

}  // namespace

int main(int argc, char** argv) {
  assay::prepare_heap();
  assay::watch_for_crashes();
  assay::ExitCode code = assay::ExitCode::failed;
  try {
    // Lower than the best instruction set, to compare or to reproduce another machine's results.
    if (const char* kernels = std::getenv("ASSAY_KERNELS")) assay::select_kernels(kernels);
    code = assay::run_program(std::vector<std::string>(argv + 1, argv + argc));
  } catch (const assay::Error& error) {
    say_error(error.what());
    code = error.code();
  } catch (const std::bad_alloc&) {
    say_error(
        "out of memory; a smaller batch, context or model, or fewer --jobs, needs less (see assay "
        "check)");
  } catch (const std::exception& error) {
    say_error(std::string("internal: ") + error.what());
  } catch (...) {
    say_error("a plugin threw something that is no std::exception");
    code = assay::ExitCode::plugin;
  }
  assay::stop_watching();
  return static_cast<int>(code);
}
