// The ABI tag: what a plugin and the program must agree on before one may call the other, as
// readable text.
//
//   "assay-1 gcc-12 c++202002 cxx11abi"
//
// Equal or refused: another layout of a class gives wrong answers without a word. kAbiNumber is
// raised by hand whenever a header that a plugin can reach changes (tests/plugin/abi_test.py fails
// if it was forgotten, and raises it with --bump).
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

namespace assay {

inline constexpr int kAbiNumber = 11;

/// Zero-terminated text of fixed size, filled when compiling: what the note of a plugin is made of.
template <std::size_t Size>
struct FixedText {
  std::array<char, Size> bytes{};

  /// Too long a text is an error when compiling ("the text is too long for the plugin's note").
  consteval void append(std::string_view text) {
    std::size_t end = 0;
    while (bytes[end] != '\0') ++end;
    if (end + text.size() >= Size) throw "the text is too long for the plugin's note";
    for (const char c : text) bytes[end++] = c;
  }
  consteval void append(long number) {
    if (number >= 10) append(number / 10);
    const char digit = static_cast<char>('0' + number % 10);
    append(std::string_view(&digit, 1));
  }
  constexpr std::string_view view() const {
    return std::string_view(bytes.data(), Size)
        .substr(0, std::string_view(bytes.data(), Size).find('\0'));
  }
};

#if defined(__has_feature)
#define ASSAY_HAS_FEATURE(x) __has_feature(x)
#else
#define ASSAY_HAS_FEATURE(x) 0
#endif

/// The tag of whatever includes this header.
consteval FixedText<128> make_abi_tag() {
  FixedText<128> tag;
  tag.append("assay-");
  tag.append(kAbiNumber);
#if defined(__clang__)
  tag.append(" clang-");
  tag.append(__clang_major__);
#else
  tag.append(" gcc-");
  tag.append(__GNUC__);
#endif
  tag.append(" c++");
  tag.append(__cplusplus);
#if defined(_GLIBCXX_USE_CXX11_ABI) && _GLIBCXX_USE_CXX11_ABI
  tag.append(" cxx11abi");
#else
  tag.append(" oldabi");
#endif
#if defined(_GLIBCXX_DEBUG)
  tag.append(" debug-containers");
#endif
#if defined(__SANITIZE_ADDRESS__) || ASSAY_HAS_FEATURE(address_sanitizer)
  tag.append(" address-sanitizer");
#endif
#if defined(__SANITIZE_THREAD__) || ASSAY_HAS_FEATURE(thread_sanitizer)
  tag.append(" thread-sanitizer");
#endif
#if defined(__FAST_MATH__)
  tag.append(" fast-math");
#endif
  return tag;
}
#undef ASSAY_HAS_FEATURE

inline constexpr FixedText<128> kAbiTag = make_abi_tag();

}  // namespace assay
