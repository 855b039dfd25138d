#include "train/text_start.h"

#include "base/error.h"

namespace assay {

TextStart text_start(const TextCodec& codec, const DataSpec& spec, const std::string& text,
                     const std::string& what) {
  TextStart start;
  if (text.empty())
    throw Error(ExitCode::usage, what + " is empty: a model needs at least one token to continue");
  start.ids = codec.encode(text, what);
  if (start.ids.empty()) throw Error(ExitCode::usage, what + " has no token");
  if (!spec.find("source")) return start;
  // The last id of the inputs stands before every target, and after those that vary in length.
  start.source = std::move(start.ids);
  const FieldSpec &input = spec.field("input"), &target = spec.field("target");
  const auto boundary = static_cast<std::int32_t>(input.vocabulary - 1);
  start.ids = {boundary};
  if (target.vocabulary == input.vocabulary) start.end = boundary;
  start.longest = input.length;
  return start;
}

}  // namespace assay
