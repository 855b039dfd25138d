// ASSAY_PLUGIN: the one line that makes a class a plugin.
//
//   class Gpt final : public Model {
//    public:
//     struct Options { ... static void describe(OptionList<Options>& o); };   // config/options.h
//     Gpt(const Options& options, const ModelBuild& build);
//     ...
//   };
//   ASSAY_PLUGIN(Model, "gpt", Gpt, "Decoder-only transformer language model.")
//
// It stands once in a file, outside every namespace. The file becomes models/gpt.so: kind and name
// must agree with the path. A class without Options has a constructor that takes the Build only.
// The version is the project's, unless ASSAY_PLUGIN_VERSION is defined before this header is
// included.
//
// The macro places the facts in the ELF section .note.assay, which is read before the file is
// opened, and defines the one exported symbol, assay_register, which never throws and fills the
// Registrar passed to it.
#pragma once

#include <exception>
#include <string>
#include <vector>

#include "base/api.h"
#include "plugin/entry.h"
#include "plugin/note.h"

#ifndef ASSAY_PLUGIN_VERSION
#define ASSAY_PLUGIN_VERSION ASSAY_PROJECT_VERSION
#endif

namespace assay {

/// Collects what one file registers. The program takes all of it, or (if anything failed) nothing.
struct Registrar {
  struct Registration {
    OptionTable options;
    std::function<std::shared_ptr<void>()> make_options;
    std::function<void*(const void* options, const void* build)> create;
  };
  std::vector<Registration> plugins;
  std::string failure;  // what was thrown while registering
};

/// The options of a class that has none.
struct NoOptions {
  static void describe(OptionList<NoOptions>&) {}
};

template <class Interface, class Plugin>
Registrar::Registration make_registration() {
  Registrar::Registration registration;
  if constexpr (requires { typename Plugin::Options; }) {
    using Options = typename Plugin::Options;
    registration.options = describe_options<Options>();
    registration.make_options = [] { return std::make_shared<Options>(); };
    registration.create = [](const void* options, const void* build) -> void* {
      const auto& typed = *static_cast<const typename Interface::Build*>(build);
      return static_cast<Interface*>(new Plugin(*static_cast<const Options*>(options), typed));
    };
  } else {
    registration.options = describe_options<NoOptions>();
    registration.make_options = [] { return std::make_shared<NoOptions>(); };
    registration.create = [](const void*, const void* build) -> void* {
      const auto& typed = *static_cast<const typename Interface::Build*>(build);
      return static_cast<Interface*>(new Plugin(typed));
    };
  }
  return registration;
}

template <class Interface, class Plugin>
void register_plugin(Registrar& registrar) noexcept {
  try {
    registrar.plugins.push_back(make_registration<Interface, Plugin>());
  } catch (const std::exception& e) {
    registrar.failure = e.what();
  } catch (...) {
    registrar.failure = "something that is no std::exception";
  }
}

}  // namespace assay

#if defined(__clang__)
#define ASSAY_NOTE_UNINSTRUMENTED __attribute__((no_sanitize("address")))
#else
#define ASSAY_NOTE_UNINSTRUMENTED  // g++ leaves variables in named sections alone
#endif

#define ASSAY_PLUGIN(Interface, plugin_name, Plugin, plugin_summary)                        \
  [[gnu::used, gnu::section(".note.assay")]] alignas(                                       \
      4) static constexpr ::assay::PluginNote assay_plugin_note ASSAY_NOTE_UNINSTRUMENTED = \
      ::assay::make_plugin_note(Interface::kKind, plugin_name, ASSAY_PLUGIN_VERSION,        \
                                plugin_summary);                                            \
  extern "C" ASSAY_API void assay_register(::assay::Registrar& registrar) noexcept {        \
    ::assay::register_plugin<Interface, Plugin>(registrar);                                 \
  }
