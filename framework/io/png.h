// Pictures as PNG files, and within pages.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "base/api.h"

namespace assay {

struct Colour {
  std::uint8_t red = 0, green = 0, blue = 0;
};

/// Rows of pixels from the top, white at first.
class ASSAY_API Picture {
 public:
  Picture(std::int64_t width, std::int64_t height);
  std::int64_t width() const { return width_; }
  std::int64_t height() const { return height_; }
  /// Outside the picture nothing is drawn.
  void fill(std::int64_t x, std::int64_t y, std::int64_t width, std::int64_t height, Colour colour);
  Colour at(std::int64_t x, std::int64_t y) const;
  /// Three bytes for each pixel.
  const std::vector<std::uint8_t>& bytes() const { return bytes_; }

 private:
  std::int64_t width_, height_;
  std::vector<std::uint8_t> bytes_;
};

/// Throws Error(data) if the file cannot be written.
ASSAY_API void write_png(const std::filesystem::path& file, const Picture& picture);
/// The file as an address that a page can show: "data:image/png;base64,...".
ASSAY_API std::string png_address(const Picture& picture);

}  // namespace assay
