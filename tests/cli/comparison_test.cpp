#include "cli/comparison.h"

#include <gtest/gtest.h>

#include <limits>

#include "cli/made_record.h"
#include "config/yaml.h"

namespace assay {
namespace {

LoadedRun loaded(const RunRecord& record) {
  return {record.run + ".h5", 0, record, read_yaml(record.config, "config")};
}

LoadedRun run_with(const std::string& model, int seed, double loss) {
  RunRecord record = made_record();
  record.run = model + "_seed=" + std::to_string(seed) + "_0123abcd";
  record.seed = static_cast<std::uint64_t>(seed);
  record.config = "seed: " + std::to_string(seed) + "\nmodel:\n  type: " + model + "\n";
  record.data.clear();
  record.metrics["val/loss"] = {{0, 900}, {4, loss}};
  return loaded(record);
}

TEST(Comparison, PutsRunsThatDifferOnlyInSeedTogether) {
  const LoadedRun a = run_with("ngram", 1, 2.5), b = run_with("gpt", 1, 1.875),
                  c = run_with("gpt", 2, 2.0);
  EXPECT_EQ(comparison_text({a, b, c}, plain_terminal()),
            "run                    status  parameters  steps  val/loss  lowest    time\n"
            "---------------------  ------  ----------  -----  --------  ------  ------\n"
            "ngram_seed=1_0123abcd  done       112,065    900    2.5000  2.5000  12.3 s\n"
            "gpt_seed=1_0123abcd    done       112,065    900    1.8750  1.8750  12.3 s\n"
            "gpt_seed=2_0123abcd    done       112,065    900    2.0000  2.0000  12.3 s\n"
            "\n"
            "mean over seeds  n          val/loss            lowest\n"
            "---------------  -  ----------------  ----------------\n"
            "gpt              2  1.9375 +- 0.0884  1.9375 +- 0.0884\n");
}

TEST(Comparison, CountsOneConfigurationAndSeedOnce) {
  const LoadedRun a = run_with("gpt", 1, 2.0), b = run_with("gpt", 2, 3.0);
  const std::string text = comparison_text({a, a, b}, plain_terminal());
  EXPECT_NE(text.find("gpt              2 (1 repeated)  2.5000 +- 0.7071  2.5000 +- 0.7071\n"),
            std::string::npos)
      << text;
}

TEST(Comparison, ShowsTheDistanceFromTheLimitWhereOneIsKnown) {
  const RunRecord record = made_record();
  Terminal terminal;
  terminal.width = 120;
  EXPECT_EQ(
      comparison_text({loaded(record)}, terminal),
      "run                  status  parameters  steps  val/loss  lowest  above limit    time\n"
      "-------------------  ------  ----------  -----  --------  ------  -----------  ------\n"
      "gpt_seed=1_1f3a9c04  done       112,065    900    2.0000  1.8750       0.5000  12.3 s\n");
}

TEST(Comparison, CountsOnlyRunsWithAResultInAMean) {
  const LoadedRun a = run_with("gpt", 1, 2.0);
  const LoadedRun b = run_with("gpt", 2, std::numeric_limits<double>::quiet_NaN());
  LoadedRun c = run_with("gpt", 3, 3.0);
  c.record.status = RunStatus::failed;
  const std::string text = comparison_text({a, b, c}, plain_terminal());
  EXPECT_NE(text.find("gpt              1 of 3  2.0000 +- 0.0000  2.0000 +- 0.0000\n"),
            std::string::npos)
      << text;
}

}  // namespace
}  // namespace assay
