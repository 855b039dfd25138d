// The one exception type of Assay, and the exit codes of the program.
//
//   throw Error(ExitCode::data, "data/play.txt: 5 tokens, but the context is 64: need at least 65");
//
// A message says where (file:line:column, or file and dataset), what was wanted, what was got, and what to do
// next. It is caught in three places only: the entry of the program, a plugin's factory, and a run.
#pragma once

#include <exception>
#include <string>

#include "base/api.h"

namespace assay {

enum class ExitCode : int {
  done = 0,
  failed = 1,     // a run failed, or an expectation was missed
  usage = 2,      // command line or configuration
  plugin = 3,     // a plugin that was refused or is broken
  partly = 4,     // some runs of a sweep failed
  data = 5,       // a data or result file
  stopped = 75,   // stopped by a signal; can be continued
};

class ASSAY_API Error : public std::exception {
 public:
  Error(ExitCode code, std::string message);
  ~Error() override;
  const char* what() const noexcept override;
  ExitCode code() const noexcept { return code_; }

 private:
  ExitCode code_;
  std::string message_;
};

}  // namespace assay
