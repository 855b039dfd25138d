// Fetching a file whose content is known beforehand.
#pragma once

#include <filesystem>
#include <string>

#include "base/api.h"

namespace assay {

/// Fetches url (http or https, redirections followed) to the file `to`, which appears only if its
/// SHA-256 is the wanted one; its folder is created. Gives up on a connection after 20 s, and on a
/// transfer below 100 B/s for 30 s. Errors: Error(data) with the URL, what was wanted and got, and
/// how to provide the file by hand.
ASSAY_API void download(const std::string& url, const std::filesystem::path& to,
                        const std::string& sha256);

}  // namespace assay
