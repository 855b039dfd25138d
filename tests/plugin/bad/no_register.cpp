// Has a note, but no register function.
#include "nothing.h"

[[gnu::used, gnu::section(".note.assay")]] alignas(4) static constexpr assay::PluginNote kNote =
    assay::make_plugin_note("sampler", "no_register", "1", "A note only.");
