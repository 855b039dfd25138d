// A register function written by hand that throws what is no exception, after having registered.
#include "nothing.h"

[[gnu::used, gnu::section(".note.assay")]] alignas(4) static constexpr assay::PluginNote kNote =
    assay::make_plugin_note("sampler", "throws_int", "1", "Throws 7.");

extern "C" ASSAY_API void assay_register(assay::Registrar& registrar) {
  assay::register_plugin<assay::Sampler, Nothing>(registrar);
  throw 7;
}
