// Registers more than its note can say.
#include "nothing.h"

[[gnu::used, gnu::section(".note.assay")]] alignas(4) static constexpr assay::PluginNote kNote =
    assay::make_plugin_note("sampler", "registers_two", "1", "Two.");

extern "C" ASSAY_API void assay_register(assay::Registrar& registrar) {
  assay::register_plugin<assay::Sampler, Nothing>(registrar);
  assay::register_plugin<assay::Sampler, Nothing>(registrar);
}
