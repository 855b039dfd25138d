// Loads a plugin in a helper process, assay-probe, to see whether this process would survive it:
// opening a damaged library can crash, and a static initialiser can crash, hang or call exit(0). It
// is protection from accidents, not a sandbox: a plugin is code with the user's rights.
//
// A file that passed is remembered under $XDG_CACHE_HOME/assay/probes (by default ~/.cache), by
// path, size, time, hash and the library that loaded it, so that the helper starts once for each
// build of a plugin. What failed is not remembered: the reason may lie outside (a library not
// installed yet, a busy machine, Ctrl-C).
#pragma once

#include <chrono>
#include <filesystem>
#include <string>

#include "base/api.h"

namespace assay {

/// Generous: a slow machine under load needs a fraction of it.
inline constexpr std::chrono::milliseconds kProbeLimit{10'000};

/// Why the file cannot be used: a sentence that goes on after the file's name; empty: it loads.
ASSAY_API std::string probe_plugin(const std::filesystem::path& file,
                                   std::chrono::milliseconds limit = kProbeLimit);

/// The same, unless a file of this SHA-256 at this path is known to load.
ASSAY_API std::string probe_plugin_once(const std::filesystem::path& file,
                                        const std::string& sha256);

/// The whole of assay-probe: arguments are the file, and the nonce to answer with.
ASSAY_API int answer_probe(int count, char** arguments);

}  // namespace assay
