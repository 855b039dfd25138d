// Probes of time run one at a time, alone; others at once.
#include "border/border.h"
#include "experiment/experiment.h"

namespace assay {
namespace {

using ProbesOfTime = Border;

class Silent final : public Reporter {
 public:
  void started(const std::string&, std::int64_t) override {}
  void progress(const std::string&, const Progress&) override {}
  void finished(const std::string&, const RunRecord&, const std::string&, bool) override {}
};

TEST_F(ProbesOfTime, RunAloneAndOthersAtOnce) {
  install("crowd", "probes/crowd");
  const TemporaryFolder folder;
  ExperimentRequest request;
  request.file = folder / "crowd.yaml";
  put(request.file,
      "name: crowd\n"
      "probe: {type: crowd}\n"
      "sweep: {grid: {probe.times: [false, true], seed: [1, 2, 3, 4]}}\n");
  request.plugins = {root()};
  request.folder = folder / "results";
  request.threads = 4;
  Silent reporter;
  const ExperimentResult result = run_experiment(request, reporter);
  ASSERT_EQ(result.code, ExitCode::done);
  ASSERT_EQ(result.runs.size(), 8U);
  double most_of_others = 0;
  for (const RunResult& run : result.runs) {
    const double at_once = run.record.metrics.at("at_once").values.at(0);
    if (run.record.config.find("times: true") != std::string::npos)
      EXPECT_EQ(at_once, 1) << run.run;
    else
      most_of_others = std::max(most_of_others, at_once);
  }
  EXPECT_GE(most_of_others, 2);
}

}  // namespace
}  // namespace assay
