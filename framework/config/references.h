// The characters of a reference `${...}`: where it starts and ends, and what it says.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace assay {

/// A piece of a text with references.
struct ReferencePart {
  enum class Kind { text, reference, fault };
  Kind kind = Kind::text;
  std::string text;        // "$${" as "${"; what stands in the braces; what is wrong
  std::size_t offset = 0;  // of its first byte in the whole text

  bool is_environment() const { return text.rfind("env:", 0) == 0; }
  std::string variable() const;                       // of env:NAME,default
  std::optional<std::string_view> otherwise() const;  // the default, without blanks around it
};

/// Never empty; neighbouring texts are one. "$$" is "$" only before "{".
std::vector<ReferencePart> split_references(std::string_view text);

/// Where the `}` of the `${` at this offset stands, on the same line; npos if nowhere.
std::size_t reference_end(std::string_view text, std::size_t start);

/// The first `${` without its `}`; npos if there is none.
std::size_t unclosed_reference(std::string_view text);

/// text with other signs in place of those of YAML in each `${...}` that ends on its line and has
/// no quotes, so that a plain text with a reference may stand in `[ ]` and `{ }`; as many
/// characters as before. show_references gives them back. A text that has these signs already stays
/// as it is.
std::string hide_references(std::string text);
std::string show_references(std::string text);

}  // namespace assay
