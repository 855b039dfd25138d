#include "results/trailer.h"

#include <fmt/format.h>

#include <cstring>

#include "base/error.h"
#include "io/sha256.h"
#include "results/raw_number.h"

namespace assay {
namespace {

constexpr std::string_view kTrailerMagic =
    "\x8a"
    "assay\r\n";  // not text, and changed by a transfer as text
constexpr std::string_view kHdf5 = "\x89HDF\r\n\x1a\n";
constexpr std::size_t kHash = 32;
static_assert(kTrailerSize == 8 + 8 + 8 + kHash);

std::string hash_of(std::string_view image, std::string_view summary,
                    std::string_view start_of_trailer) {
  Sha256 hash;
  for (const std::string_view part : {image, summary, start_of_trailer}) hash.add(part);
  const auto digest = hash.digest();
  return {reinterpret_cast<const char*>(digest.data()), digest.size()};
}

}  // namespace

std::string trailer(std::string_view image, std::int64_t layout, std::string_view summary) {
  std::string text(kTrailerMagic);
  append_raw(text, layout);
  append_raw(text, static_cast<std::int64_t>(image.size()));
  return text + hash_of(image, summary, text);
}

std::optional<TrailerFacts> read_trailer(std::string_view end) {
  if (end.size() != kTrailerSize || !end.starts_with(kTrailerMagic)) return std::nullopt;
  return TrailerFacts{raw_number<std::int64_t>(end, kTrailerMagic.size()),
                      raw_number<std::int64_t>(end, kTrailerMagic.size() + 8)};
}

std::string saved_by_recover(const std::string& file) {
  return fmt::format("`assay recover {}` saves what can be saved", file);
}

std::string_view unseal(const std::string& file, std::string_view bytes, std::int64_t layout) {
  const auto fail = [&](const std::string& what) {
    throw Error(ExitCode::data, fmt::format("{}: {}", file, what));
  };
  if (bytes.empty()) fail("is empty: wanted a result file of Assay");
  if (!bytes.starts_with(kHdf5))
    fail("is no result file of Assay: it does not start as HDF5 files do");
  if (bytes.size() < kHdf5.size() + kTrailerSize ||
      bytes.substr(bytes.size() - kTrailerSize, kTrailerMagic.size()) != kTrailerMagic)
    fail(
        "is an HDF5 file without the trailer of a result file: it was cut short, changed by "
        "another program, or is not from Assay; " +
        saved_by_recover(file));
  const std::string_view sealed = bytes.substr(0, bytes.size() - kHash);
  if (hash_of(sealed, {}, {}) != bytes.substr(sealed.size()))
    fail("is damaged: its SHA-256 is not the one it was written with; " + saved_by_recover(file));
  const std::size_t size = bytes.size() - kTrailerSize;
  const std::int64_t found = raw_number<std::int64_t>(bytes, size + kTrailerMagic.size());
  if (found > layout)
    fail(fmt::format("has layout {}, this Assay reads up to {}: use a newer one", found, layout));
  const std::int64_t image = raw_number<std::int64_t>(bytes, size + kTrailerMagic.size() + 8);
  const auto most = static_cast<std::int64_t>(size);
  if (found < 1 || image < 0 || image > most || (found == 1 && image != most))
    fail("has a trailer that contradicts itself: it was not written by Assay");
  return bytes.substr(0, static_cast<std::size_t>(image));
}

std::int64_t sealed_layout(std::string_view bytes) {
  if (bytes.size() < kTrailerSize) return 0;
  const auto facts = read_trailer(bytes.substr(bytes.size() - kTrailerSize));
  return facts ? facts->layout : 0;
}

}  // namespace assay
