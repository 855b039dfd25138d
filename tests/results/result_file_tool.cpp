// For layout_test.py: writes a run; gives a foreign HDF5 file the trailer of a result file and
// reads it.
#include <cstdio>
#include <cstring>

#include "base/error.h"
#include "io/atomic_file.h"
#include "io/read_file.h"
#include "results/example_run.h"
#include "results/layout.h"
#include "results/pack.h"
#include "results/run_file.h"
#include "results/trailer.h"

int main(int count, char** arguments) {
  using namespace assay;
  if (count != 3) {
    std::fputs("usage: result_file_tool write|write-pack|seal-and-read FILE\n", stderr);
    return 2;
  }
  const char* const file = arguments[2];
  try {
    if (std::strcmp(arguments[1], "write") == 0) {
      write_run(file, example_run());
    } else if (std::strcmp(arguments[1], "write-pack") == 0) {
      std::vector<RunRecord> runs = {example_run(), example_run()};
      runs[0].run = "seed=1";
      runs[1].run = "seed=2/é";
      runs[0].seed = 1;
      runs[1].seed = 2;
      write_pack(file, runs);
    } else {
      std::string image = read_file(file);
      image += trailer(image, kLayout);
      write_atomically(file, std::as_bytes(std::span(image)));
      read_run(file);
    }
  } catch (const Error& error) {
    std::puts(error.what());
    return static_cast<int>(error.code());
  }
  return 0;
}
