// Built for a program of another time: the note says so.
#include "nothing.h"

namespace {

consteval assay::PluginNote old_note() {
  assay::PluginNote note = assay::make_plugin_note("sampler", "other_abi", "1", "Old.");
  note.abi = {};
  note.abi.append("assay-0 gcc-9 c++201703 cxx11abi");
  return note;
}
[[gnu::used,
  gnu::section(".note.assay")]] alignas(4) constexpr assay::PluginNote kNote = old_note();

}  // namespace

extern "C" ASSAY_API void assay_register(assay::Registrar& registrar) {
  assay::register_plugin<assay::Sampler, Nothing>(registrar);
}
