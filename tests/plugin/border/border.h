// What the tests of the border share: a plugin folder of their own, filled from the plugins that
// tests/plugin/good and tests/plugin/bad were built into, and a cache of their own.
#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <string>

#include "base/error.h"
#include "config/problems.h"
#include "interfaces/sampler.h"
#include "plugin/registry.h"
#include "support/temporary_folder.h"
#include "support/thrown.h"

namespace assay {

class Border : public testing::Test {
 protected:
  Border() { ::setenv("XDG_CACHE_HOME", (folder_ / "cache").c_str(), 1); }

  std::filesystem::path root() const { return folder_ / "plugins"; }

  /// The file of a built plugin.
  static std::filesystem::path built(const std::string& name) {
    return std::filesystem::path(ASSAY_BORDER_PLUGINS) / (name + ".so");
  }
  /// Copies it to <root>/samplers/<as>.so.
  std::filesystem::path install(const std::string& name, std::string as = "") const {
    if (as.empty()) as = "samplers/" + name;
    const std::filesystem::path file = root() / (as + ".so");
    std::filesystem::create_directories(file.parent_path());
    std::filesystem::copy_file(built(name), file);
    return file;
  }

  static Value section(const std::string& type) {
    return Value::map({{"type", Value::scalar(type, false, at())}}, at());
  }
  static Location at() {
    static const auto source = std::make_shared<const Source>(Source{"a.yaml", ""});
    return {source, 3, 9};
  }

  /// What is said when an experiment names this sampler: the refusal or the problems, with the
  /// folder as ROOT.
  std::string said_of(const std::string& type) const {
    Registry registry({root()});
    Problems problems;
    const std::string refusal =
        thrown([&] { registry.prepare<Sampler>(section(type), "sampler", problems); });
    return plain(refusal.empty() ? problems.text() : refusal);
  }
  std::string plain(std::string text) const {
    const std::string path = root().string();
    for (std::size_t i = text.find(path); i != std::string::npos; i = text.find(path, i))
      text.replace(i, path.size(), "ROOT");
    return text;
  }

 private:
  TemporaryFolder folder_;
};

}  // namespace assay
