// For exact_resume_test.py: an experiment, or the run in a result file, that is ended from within
// at a given step.
#include <signal.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include "base/error.h"
#include "base/stop.h"
#include "experiment/experiment.h"
#include "experiment/from_file.h"

namespace {

using namespace assay;

/// Sends the process a signal when so many updates are completed; 0: when the run starts.
class Interruption final : public Reporter {
 public:
  Interruption(int signal, std::int64_t step) : signal_(signal), step_(step) {}
  void note(const std::string&, const std::string& text) override {
    std::fprintf(stderr, "%s\n", text.c_str());
  }
  void started(const std::string&, std::int64_t) override { reach(0); }
  void progress(const std::string&, const Progress& progress) override { reach(progress.step); }
  void finished(const std::string&, const RunRecord& record, const std::string&, bool) override {
    std::fprintf(stderr, "%s\n", record.message.c_str());
  }

 private:
  void reach(std::int64_t step) const {
    if (step == step_) ::raise(signal_);
  }

  int signal_;
  std::int64_t step_;
};

int run(const std::string& verb, const std::string& file, const std::string& output, int threads,
        Reporter& reporter) {
  if (verb == "resume") {
    FromFileRequest request;
    request.file = file;
    request.threads = threads;
    resume_run(request, reporter);
    return 0;
  }
  ExperimentRequest request;
  request.file = file;
  request.output = output;
  request.threads = threads;
  return static_cast<int>(run_experiment(request, reporter).code);
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 7) {
    std::fputs("usage: interrupted_run run|resume FILE OUTPUT THREADS kill|stop STEP\n", stderr);
    return 2;
  }
  catch_stop_signals();
  Interruption reporter(std::string(arguments[5]) == "kill" ? SIGKILL : SIGTERM,
                        std::atoll(arguments[6]));
  try {
    return run(arguments[1], arguments[2], arguments[3], std::atoi(arguments[4]), reporter);
  } catch (const Error& error) {
    std::fprintf(stderr, "error: %s\n", error.what());
    return static_cast<int>(error.code());
  }
}
