#include "io/png.h"

#include <fmt/format.h>
#include <nettle/base64.h>
#include <png.h>

#include <algorithm>
#include <span>

#include "base/error.h"
#include "base/lazy_library.h"
#include "io/atomic_file.h"

namespace assay {
namespace {

std::size_t place(std::int64_t x, std::int64_t y, std::int64_t width) {
  return 3 * static_cast<std::size_t>(y * width + x);
}

std::vector<std::byte> png(const Picture& picture) {
  const LazyLibrary library("libpng16.so.16", "libpng16-16");
  auto* write = library.function<decltype(png_image_write_to_memory)>("png_image_write_to_memory");
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  image.width = static_cast<png_uint_32>(picture.width());
  image.height = static_cast<png_uint_32>(picture.height());
  image.format = PNG_FORMAT_RGB;
  std::vector<std::byte> bytes(PNG_IMAGE_PNG_SIZE_MAX(image));
  png_alloc_size_t size = bytes.size();
  if (!write(&image, bytes.data(), &size, 0, picture.bytes().data(), 0, nullptr))
    throw Error(ExitCode::failed, fmt::format("a picture of {} x {} pixels cannot be written: {}",
                                              picture.width(), picture.height(), image.message));
  bytes.resize(size);
  return bytes;
}

}  // namespace

Picture::Picture(std::int64_t width, std::int64_t height)
    : width_(width), height_(height), bytes_(static_cast<std::size_t>(3 * width * height), 255) {}

void Picture::fill(std::int64_t x, std::int64_t y, std::int64_t width, std::int64_t height,
                   Colour colour) {
  for (std::int64_t row = std::max<std::int64_t>(y, 0); row < std::min(height_, y + height); ++row)
    for (std::int64_t column = std::max<std::int64_t>(x, 0); column < std::min(width_, x + width);
         ++column) {
      std::uint8_t* pixel = bytes_.data() + place(column, row, width_);
      pixel[0] = colour.red, pixel[1] = colour.green, pixel[2] = colour.blue;
    }
}

Colour Picture::at(std::int64_t x, std::int64_t y) const {
  const std::uint8_t* pixel = bytes_.data() + place(x, y, width_);
  return {pixel[0], pixel[1], pixel[2]};
}

void write_png(const std::filesystem::path& file, const Picture& picture) {
  write_atomically(file, png(picture));
}

std::string png_address(const Picture& picture) {
  const std::vector<std::byte> bytes = png(picture);
  std::string text(BASE64_ENCODE_RAW_LENGTH(bytes.size()), ' ');
  base64_encode_raw(text.data(), bytes.size(), reinterpret_cast<const std::uint8_t*>(bytes.data()));
  return "data:image/png;base64," + text;
}

}  // namespace assay
