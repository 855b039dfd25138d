// The last bytes of every result file: what makes damage visible before HDF5 sees any of it.
//
//   HDF5 data | summary (run_summary.h; none in layout 1) | magic (8) | layout version (8) |
//   bytes of HDF5 data (8) | SHA-256 of all before (32)
//
// Numbers are little-endian. The last 56 bytes keep their form in every layout. HDF5 readers ignore
// what follows their data.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace assay {

inline constexpr std::size_t kTrailerSize = 56;

/// What follows this HDF5 image and this summary.
std::string trailer(std::string_view image, std::int64_t layout, std::string_view summary = {});

struct TrailerFacts {
  std::int64_t layout = 0, image_size = 0;
};
/// Of a file that ends in these kTrailerSize bytes, unchecked; none if they are no trailer.
std::optional<TrailerFacts> read_trailer(std::string_view end);

/// What messages about damage end with.
std::string saved_by_recover(const std::string& file);

/// The HDF5 image within the bytes of a file. Throws Error(data), each in its own words: an empty
/// file, a foreign one, one that was cut or changed, one of a layout newer than `layout`.
std::string_view unseal(const std::string& file, std::string_view bytes, std::int64_t layout);

/// The layout version that a trailer states; 0 if the bytes are too short to have one.
std::int64_t sealed_layout(std::string_view bytes);

}  // namespace assay
