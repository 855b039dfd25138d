#include "base/error.h"

#include <utility>

namespace assay {

Error::Error(ExitCode code, std::string message) : code_(code), message_(std::move(message)) {}
Error::~Error() = default;
const char* Error::what() const noexcept { return message_.c_str(); }

}  // namespace assay
