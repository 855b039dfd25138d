// ASSAY_PLUGIN: the one line that makes a class a plugin.
//
//   ASSAY_PLUGIN(Model, "gpt", Gpt, "Decoder-only transformer language model.")
//
// It places the facts in the ELF section .note.assay, which is read before the file is opened, and defines the one
// exported symbol, assay_register, which never throws and fills the Registrar passed to it.
#pragma once
