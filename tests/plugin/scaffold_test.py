"""`assay plugins new`: what it writes for each kind builds against the installed package, keeps the contract and trains,
untouched. A new kind is covered as soon as it has files in framework/cli/scaffold/."""
import json
import re
import unittest

from package import PROJECT, SOURCES, PackageTest

KINDS = sorted(folder.name for folder in (SOURCES / "framework/cli/scaffold").iterdir() if folder.name != "any")
WARNINGS = ('string(APPEND CMAKE_CXX_FLAGS " -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror")\n')


class Scaffold(PackageTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.said = {kind: cls.assay("plugins", "new", kind, f"my_{kind}") for kind in KINDS}
        (cls.folder / "all").mkdir()
        for kind in KINDS:
            (cls.folder / f"my_{kind}").rename(cls.folder / "all" / f"my_{kind}")
        folders = "".join(f"add_subdirectory(my_{kind})\n" for kind in KINDS)
        cls.built = cls.build("all", PROJECT + WARNINGS + folders)
        cls.tested = cls.run_in(cls.built, "ctest", "--output-on-failure", "--parallel", "2")

    def refused(self, message, *words):
        done = self.run_in(self.folder, self.prefix / "bin/assay", "plugins", "new", *words)
        self.assertEqual((done.returncode, done.stderr, done.stdout), (2, message, ""))

    def test_every_kind_that_has_an_interface_has_files(self):
        kinds = {found for header in (self.prefix / "include/assay/interfaces").iterdir()
                 for found in re.findall(r'kKind = "(\w+)"', header.read_text())}
        self.assertEqual(sorted(kinds), KINDS)

    def test_every_kind_keeps_its_contract_and_trains(self):
        self.assertEqual(self.tested.returncode, 0, self.tested.stdout)
        for kind in KINDS:
            for test in ("contract", "trains"):
                self.assertRegex(self.tested.stdout, rf"{kind}_my_{kind}_{test} \.+ +Passed")

    def test_the_experiment_of_each_kind_uses_the_plugin(self):
        for kind in KINDS:
            if kind in ("search", "pruner"):  # of a sweep, not of its runs
                plan = (self.built / f"my_{kind}/results/plan.yaml").read_text()
                self.assertIn(f"type: my_{kind}\n", plan)
                continue
            (result,) = (self.built / f"my_{kind}/results").rglob("*.h5")
            shown = json.loads(self.assay("show", result, "--json"))
            self.assertEqual((shown["name"], shown["status"]), (f"my_{kind}", "done"))
            self.assertRegex(self.assay("show", result), rf"{kind} my_{kind} +\d")

    def test_what_comes_next_is_said(self):
        self.assertEqual(self.said["model"], f"""\
my_model/CMakeLists.txt
my_model/my_model.cpp
my_model/my_model.yaml

Build it and test it, train with it, and let all your experiments find it:
  cmake -S my_model -B my_model/build -DCMAKE_PREFIX_PATH={self.prefix}
  cmake --build my_model/build && ctest --test-dir my_model/build
  assay run my_model/my_model.yaml --plugins my_model/build/plugins
  cmake --install my_model/build --prefix ~/.local
""")

    def test_an_unknown_kind_is_refused(self):
        self.refused("error: plugins new: there is no kind 'modle'; did you mean model?\n", "modle", "x")
        self.refused("error: plugins new: there is no kind 'quark'; the kinds are "
                     f"{', '.join(KINDS[:-1])} and {KINDS[-1]}\n", "quark", "x")

    def test_a_name_that_cannot_be_one_is_refused(self):
        wanted = ("error: plugins new: wanted a name of at most 63 lower-case letters, digits and single underscores "
                  "between them that starts with a letter, got ")
        self.refused(wanted + "'My-Model2'; did you mean my_model2?\n", "model", "My-Model2")
        self.refused(wanted + "'../x'; did you mean x?\n", "model", "../x")
        self.refused(wanted + "'3'\n", "model", "3")

    def test_what_exists_is_left_alone(self):
        (self.folder / "mine").mkdir(exist_ok=True)
        self.refused("error: plugins new: mine exists already; remove it, or choose another name\n", "model", "mine")
        self.assertEqual(list((self.folder / "mine").iterdir()), [])

    def test_options_without_a_meaning_are_refused(self):
        self.refused("error: plugins new: --json has no meaning here\n", "model", "x", "--json")


if __name__ == "__main__":
    unittest.main()
