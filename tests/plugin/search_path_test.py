"""Where plugins are looked for, in which order, and what is said of those that stand behind another."""
import json
import pathlib
import shutil
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "cli"))
from program import BUILD, TINY_GPT, ProgramTest

BUNDLED = BUILD / "plugins/schedulers/constant.so"


class SearchPath(ProgramTest):
    def setUp(self):
        super().setUp()
        self.write("tiny.yaml", TINY_GPT)

    def put(self, folder):
        """A scheduler 'constant' in this plugin folder."""
        file = self.folder / folder / "schedulers/constant.so"
        file.parent.mkdir(parents=True)
        shutil.copy(BUNDLED, file)
        return file

    def listed(self, *words):
        return json.loads(self.succeeds("plugins", "--json", *words).stdout)

    def constant(self, *words):
        (found,) = [plugin["file"] for plugin in self.listed(*words)["plugins"] if plugin["name"] == "constant"]
        return found

    def test_the_first_of_all_places_wins(self):
        places = [self.put("given"), self.put("plugins"), self.put("of_variable"),
                  self.put(".local/lib/assay/plugins"), BUNDLED]
        self.environment["ASSAY_PLUGIN_PATH"] = str(self.folder / "of_variable")
        self.assertEqual(self.constant("--plugins", "given"), str(places[0]))
        for place in places[1:]:
            self.assertEqual(self.constant(), str(place))
            if place != BUNDLED:
                place.unlink()

    def test_what_stands_behind_another_is_listed(self):
        mine = self.put("plugins")
        self.assertEqual(self.listed()["shadowed"],
                         [{"kind": "scheduler", "name": "constant", "file": str(BUNDLED), "behind": str(mine)}])
        self.assertIn(f"shadowed scheduler 'constant': {BUNDLED} stands behind {mine}\n",
                      self.succeeds("plugins").stdout)

    def test_a_run_and_a_check_that_use_one_before_another_say_so(self):
        mine = self.put("plugins")
        remark = f"scheduler 'constant' is {mine}, not {BUNDLED}, which stands later on the search path"
        self.assertIn(f"tiny: note: {remark}\n", self.succeeds("run", "tiny.yaml").stderr)
        self.assertIn(remark, " ".join(self.succeeds("check", "tiny.yaml").stdout.split()))

    def test_a_run_that_uses_others_says_nothing(self):
        self.put("plugins")
        self.write("tiny.yaml", TINY_GPT.replace("constant", "warmup_cosine"))
        self.assertNotIn("note", self.succeeds("run", "tiny.yaml").stderr)

    def test_a_complete_run_of_another_build_of_a_plugin_says_so(self):
        mine = self.put("plugins")
        self.succeeds("run", "tiny.yaml")
        remark = "note: scheduler 'constant' is another build now than in this result; --force runs it anew\n"
        self.assertNotIn(remark, self.succeeds("run", "tiny.yaml").stderr)
        with mine.open("ab") as file:  # as good as a build of another source
            file.write(b" ")
        self.assertIn(remark, self.succeeds("run", "tiny.yaml").stderr)

    def test_a_folder_that_would_change_nothing_is_refused(self):
        self.put("plugins")
        self.succeeds("run", "tiny.yaml", "-o", "one.h5")
        self.write("play.txt", "to be or not to be\n")
        for verb in (("run", "tiny.yaml"), ("plugins",), ("plugins", "test", "model", "gpt"), ("schema",),
                     ("config", "--searchpath"), ("tokenize", "play.txt", "--type", "char"), ("resume", "one.h5"),
                     ("rerun", "one.h5")):
            self.fails(2, "error: --plugins: plugin: no such folder\n", *verb, "--plugins", "plugin")
            self.fails(2, "error: --plugins: plugins/schedulers has no plugins: they would be "
                          "plugins/schedulers/<kind>s/<name>.so\n", *verb, "--plugins", "plugins/schedulers")

    def test_a_refused_one_is_listed_with_its_reason(self):
        file = self.put("plugins")
        file.rename(file.with_name("mine.so"))
        said = "says that it is scheduler 'constant', but its path is that of scheduler 'mine'"
        (refused,) = [plugin for plugin in self.listed()["plugins"] if plugin["refused"]]
        self.assertEqual((refused["kind"], refused["name"], refused["refused"]), ("scheduler", "mine", said))
        self.assertIn(f"refused scheduler 'mine': {file.with_name('mine.so')} {said}\n",
                      self.succeeds("plugins").stdout)


if __name__ == "__main__":
    unittest.main()
