// CRC-32C (Castagnoli, 1993; RFC 3720, appendix B.4): what tells a torn record from a whole one.
// Not for identities: two texts with one checksum are easily made.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/api.h"

namespace assay {

ASSAY_API std::uint32_t crc32c(std::string_view bytes);

}  // namespace assay
