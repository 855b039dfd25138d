// Any bytes as a result file: as they are, and sealed as HDF5 data, as a summary and as a pack, so
// that what stands behind the hashes is reached. An Error or runs, never a crash.
#include <cstdint>
#include <string>
#include <string_view>

#include "base/error.h"
#include "io/sha256.h"
#include "results/layout.h"
#include "results/run_file.h"
#include "results/run_summary.h"
#include "results/trailer.h"

namespace {

using namespace assay;

template <class Work>
void survives(Work work) {
  try {
    work();
  } catch (const Error&) {
  }
}

std::string with_hash(std::string_view bytes) {
  Sha256 hash;
  hash.add(bytes);
  const auto digest = hash.digest();
  return std::string(bytes) + std::string(reinterpret_cast<const char*>(digest.data()), 32);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  survives([&] { runs_in("fuzz.h5", bytes); });
  for (const std::int64_t layout : {std::int64_t{1}, kLayout, kPackLayout}) {
    survives([&] { runs_in("fuzz.h5", bytes + trailer(bytes, layout)); });
    survives([&] { summaries_in("fuzz.h5", with_hash(bytes), layout); });
  }
  return 0;
}
