// Any bytes as a journal of a run and of a pack, as they are and as the payload of a record whose
// checksum is right: an Error or rows, never a crash; of what is whole, nothing is lost.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "base/error.h"
#include "results/journal.h"
#include "results/journal_record.h"
#include "results/open_pack.h"

namespace {

using namespace assay;

void expect(bool holds) {
  if (!holds) std::abort();
}

void read_rows(std::string_view bytes) {
  const JournalContent content = parse_journal("fuzz.journal", bytes, Damage::cut);
  expect(content.torn <= bytes.size());
  expect(content.torn > 0 || content.damage.empty());
  for (const auto& [metric, series] : content.metrics)
    expect(series.steps.size() == series.values.size());
  try {
    const JournalContent strict = parse_journal("fuzz.journal", bytes);
    expect(content.damage.empty() && strict.records == content.records);
  } catch (const Error&) {
    expect(!content.damage.empty());
  }
  // What stands before the torn end is whole without it.
  const auto whole = bytes.substr(0, bytes.size() - content.torn);
  expect(parse_journal("fuzz.journal", whole).records == content.records);
}

void read_runs(std::string_view bytes) {
  const OpenPackContent content = parse_pack_journal("fuzz.journal", bytes);
  expect(content.torn <= bytes.size());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  read_rows(bytes);
  read_runs(bytes);
  read_rows(journal_record(1, 0, "id") + journal_record(2, 1, bytes));
  read_rows(journal_record(1, 0, "id") + journal_record(3, 1, bytes));
  read_runs(journal_record(1, 0, "pack") + journal_record(3, 1, bytes));
  return 0;
}
