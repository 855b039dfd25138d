"""A plugin is built, found and trained with from the installed package alone."""
import json
import shutil
import unittest

from package import BUILD, PROJECT, SOURCES, PackageTest

SOURCE = """\
#include "assay.h"

namespace {

class Half final : public assay::Scheduler {
 public:
  explicit Half(const assay::SchedulerBuild& build) : peak_(build.peak) {}
  double learning_rate(std::int64_t) const override { return peak_ / 2; }

 private:
  double peak_;
};

}  // namespace

ASSAY_PLUGIN(assay::Scheduler, "half", Half, "Half of the peak, always.")
"""

EXPERIMENT = """\
name: halved
seed: 1
dataset:   {type: grammar, length: 4000}
tokenizer: {type: char}
model:     {type: gpt, width: 16, heads: 2, layers: 1}
objective: {type: next_token}
optimizer: {type: adamw, learning_rate: 3e-3}
scheduler: {type: half}
train:     {steps: 3, batch: 4, context: 16}
evaluate:  {every: 3, windows: random, batches: 1, batch: 4}
"""


def folder_of(kind):
    return {"search": "searches"}.get(kind, f"{kind}s")


class Package(PackageTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        (cls.folder / "elsewhere").mkdir()
        (cls.folder / "elsewhere/half.cpp").write_text(SOURCE)
        (cls.folder / "halved.yaml").write_text(EXPERIMENT)
        cls.built = cls.build("elsewhere", PROJECT + "assay_add_plugin(scheduler half)\n")

    def test_the_moved_program_finds_its_plugins(self):
        plugins = self.plugins()
        self.assertGreater(len(plugins), 8)
        for plugin in plugins:
            self.assertIsNone(plugin["refused"])
            self.assertEqual(plugin["file"],
                             f"{self.prefix}/lib/assay/plugins/{folder_of(plugin['kind'])}/{plugin['name']}.so")

    def test_a_plugin_built_elsewhere_is_listed_with_the_version_of_its_project(self):
        half = [p for p in self.plugins("--plugins", self.built / "plugins") if p["name"] == "half"]
        self.assertEqual(half, [{"kind": "scheduler", "name": "half", "version": "1.2",
                                 "summary": "Half of the peak, always.",
                                 "file": f"{self.built}/plugins/schedulers/half.so", "refused": None}])

    def test_an_experiment_trains_with_it(self):
        self.assay("run", "halved.yaml", "--plugins", self.built / "plugins", "-o", "halved.h5")
        shown = json.loads(self.assay("show", "halved.h5", "--json"))
        self.assertEqual((shown["status"], shown["steps"]), ("done", 3))

    def test_once_installed_for_the_user_it_needs_no_option(self):
        self.addCleanup(shutil.rmtree, self.folder / "home/.local")
        self.ran("cmake", "--install", self.built, "--prefix", self.folder / "home/.local")
        self.assertIn("half", [plugin["name"] for plugin in self.plugins()])

    def test_the_completions_of_every_shell_are_where_it_looks(self):
        for shell, file in (("bash", "bash-completion/completions/assay"), ("zsh", "zsh/site-functions/_assay"),
                            ("fish", "fish/vendor_completions.d/assay.fish")):
            text = (self.prefix / "share" / file).read_text()
            self.assertGreater(len(text), 100)
            self.assertEqual(text, self.assay("completion", shell))

    def test_no_file_of_cmake_points_at_sources_or_build(self):
        for file in (self.prefix / "lib/cmake/Assay").iterdir():
            text = file.read_text()
            self.assertNotIn(str(SOURCES), text, file)
            self.assertNotIn(str(BUILD), text, file)

    def test_a_project_without_cxx_is_told(self):
        done = self.configure("bare", PROJECT.replace("LANGUAGES CXX", "LANGUAGES NONE"))
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("plugins are written in C++: project(... LANGUAGES CXX) comes before find_package(Assay)",
                      " ".join(done.stderr.split()))

    def test_another_compiler_is_told_before_it_builds_what_would_be_refused(self):
        other = ('LANGUAGES NONE)\nset(CMAKE_CXX_COMPILER_LOADED 1)\nset(CMAKE_CXX_COMPILER_ID Other)\n'
                 'set(CMAKE_CXX_COMPILER_VERSION 9.1)\n')
        done = self.configure("other", PROJECT.replace("LANGUAGES CXX)\n", other))
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("refuses plugins of another compiler; got Other 9: set CMAKE_CXX_COMPILER",
                      " ".join(done.stderr.split()))


if __name__ == "__main__":
    unittest.main()
