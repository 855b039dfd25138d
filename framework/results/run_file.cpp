#include "results/run_file.h"

#include "io/atomic_file.h"
#include "io/read_file.h"
#include "results/loading.h"
#include "results/run_summary.h"
#include "results/saving.h"
#include "results/trailer.h"

namespace assay {

void write_run(const std::filesystem::path& file, const RunRecord& record) {
  Saving saving;
  run_layout(saving, record);
  const Image image = saving.finish();
  const std::string summary = summary_block(record);
  const std::string end = trailer(image.bytes(), kLayout, summary);
  AtomicFile to(file, image.bytes().size() + summary.size() + end.size());
  for (const std::string_view part :
       {image.bytes(), std::string_view(summary), std::string_view(end)})
    to.append(std::as_bytes(std::span(part)));
  to.publish();
}

RunRecord read_run(const std::filesystem::path& file, bool with_checkpoints) {
  const std::string bytes = read_file(file);
  Loading loading(file.string(), unseal(file.string(), bytes, kLayout), with_checkpoints);
  RunRecord record;
  run_layout(loading, record);
  return record;
}

void check_writable(const std::filesystem::path& file) {
  check_can_write(file);
}

}  // namespace assay
