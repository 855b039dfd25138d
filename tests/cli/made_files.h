// Result files of made-up runs, and what the program prints about them.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "cli/made_record.h"
#include "cli/program.h"
#include "results/run_file.h"
#include "support/temporary_folder.h"

namespace assay {

class MadeFiles : public testing::Test {
 protected:
  void SetUp() override { setenv("LC_ALL", "C", 1); }

  std::string file(const std::string& name) const { return (folder.path() / name).string(); }

  std::string made(const std::string& name, int seed, Series loss, int layers = 2,
                   RunStatus status = RunStatus::done) const {
    RunRecord record = made_record();
    record.seed = static_cast<std::uint64_t>(seed);
    record.status = status;
    record.seconds = 2;
    record.config = "name: gpt\nseed: " + std::to_string(seed) +
                    "\nmodel:\n  type: gpt\n  layers: " + std::to_string(layers) + "\n";
    record.metrics.clear();
    if (!loss.steps.empty()) record.metrics["val/loss"] = std::move(loss);
    write_run(file(name), record);
    return file(name);
  }
  std::string ended(const std::string& name, int seed, double loss, int layers = 2) const {
    return made(name, seed, {{0, 900}, {4, loss}}, layers);
  }

  /// Standard output and the exit code; standard error is in messages. The folder's name is left
  /// out of both.
  std::string printed(const std::vector<std::string>& words) {
    testing::internal::CaptureStdout();
    testing::internal::CaptureStderr();
    const int code = static_cast<int>(run_program(words));
    messages = without_folder(testing::internal::GetCapturedStderr());
    return without_folder(testing::internal::GetCapturedStdout()) + "[" + std::to_string(code) +
           "]\n";
  }
  std::string without_folder(std::string text) const {
    const std::string prefix = folder.path().string() + "/";
    for (std::size_t at = text.find(prefix); at != std::string::npos; at = text.find(prefix, at))
      text.erase(at, prefix.size());
    return text;
  }

  TemporaryFolder folder;
  std::string messages;
};

}  // namespace assay
