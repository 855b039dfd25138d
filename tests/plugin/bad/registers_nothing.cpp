// Its register function does nothing.
#include "nothing.h"

[[gnu::used, gnu::section(".note.assay")]] alignas(4) static constexpr assay::PluginNote kNote =
    assay::make_plugin_note("sampler", "registers_nothing", "1", "Nothing.");

extern "C" ASSAY_API void assay_register(assay::Registrar&) {}
