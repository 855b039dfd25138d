// Trees of values in tests: compact text to compare, and the message of an error.
#pragma once

#include <string>

#include "base/error.h"
#include "config/value.h"

namespace assay {

/// {key: value, ...} with quoted scalars in double quotes, others bare, null as ~.
inline std::string tree(const Value& value) {
  std::string out;
  switch (value.kind()) {
    case Value::Kind::null:
      return "~";
    case Value::Kind::scalar:
      return value.quoted() ? '"' + value.text() + '"' : value.text();
    case Value::Kind::list:
      for (const Value& item : value.items()) out += (out.empty() ? "" : ", ") + tree(item);
      return "[" + out + "]";
    case Value::Kind::map:
      for (const auto& [key, item] : value.entries())
        out += (out.empty() ? "" : ", ") + key + ": " + tree(item);
      return "{" + out + "}";
  }
  return out;
}

/// What is said, without the excerpts below it.
inline std::string messages(const std::string& text) {
  std::string out, rest = text + "\n";
  for (std::size_t end; (end = rest.find('\n')) != std::string::npos; rest.erase(0, end + 1))
    if (rest.rfind("  ", 0) != 0) out += (out.empty() ? "" : "\n") + rest.substr(0, end);
  return out;
}

/// What body throws as assay::Error with this code; otherwise a text that says what happened.
template <class Body>
std::string error_of(Body body, ExitCode code = ExitCode::usage) {
  try {
    body();
  } catch (const Error& e) {
    return e.code() == code ? e.what() : std::string("another exit code: ") + e.what();
  }
  return "no error";
}

}  // namespace assay
