"""`model: {from: base.yaml}`: an experiment whose result another starts from, run first where it is not there."""
import unittest

from result_tables import table

from program import TEXT_GPT, ProgramTest

PLAY = "First Citizen:\nBefore we proceed any further, hear me speak.\n\nAll:\nSpeak, speak.\n" * 20
MODEL = "{type: gpt, width: 16, heads: 2, layers: 1}"
BASE = TEXT_GPT.replace("name: tiny", "name: base")
AGAIN = (TEXT_GPT.replace("name: tiny", "name: again").replace("{type: char}", "{from: base.yaml}")
         .replace(MODEL, "{from: base.yaml}"))


class Forerunners(ProgramTest):
    def setUp(self):
        super().setUp()
        for folder in ("exp", "other"):
            (self.folder / folder).mkdir()
        self.write("exp/play.txt", PLAY)
        self.write("exp/base.yaml", BASE)
        self.write("exp/again.yaml", AGAIN)

    def names(self):
        return [file.parent.name for file in self.results()]

    def refused(self, message, *words):
        done = self.assay("run", "exp/again.yaml", *words)
        self.assertEqual((done.returncode, done.stdout, self.results()), (2, "", []), done.stderr)
        self.assertIn(message, done.stderr)

    def test_is_run_first_and_once(self):
        done = self.succeeds("run", "exp/again.yaml", "seed=1,2")
        self.assertLess(done.stderr.index("results/base/"), done.stderr.index("results/again/"))
        self.assertEqual(self.names(), ["again", "again", "base"])
        base = self.results()[2]
        for file in self.results()[:2]:
            self.assertEqual(dict(table(file, "data"))["started from"], f"results/base/{base.name}, step 6")
        again = self.succeeds("run", "exp/again.yaml", "seed=1,2")
        self.assertNotIn("results/base/", again.stderr)
        self.assertEqual(self.names(), ["again", "again", "base"])

    def test_the_run_is_that_of_the_file_that_it_stands_for(self):
        self.succeeds("run", "exp/again.yaml")
        again, base = self.results()
        self.write("exp/named.yaml", AGAIN.replace("base.yaml", f"results/base/{base.name}"))
        self.assertIn("already complete", self.succeeds("run", "exp/named.yaml").stderr)
        self.succeeds("rerun", again, "-o", "third.h5")
        self.assertIn(f"from: \"results/base/{base.name}\"\n", self.succeeds("config", "exp/again.yaml").stdout)
        self.assertRegex(self.succeeds("config", "exp/again.yaml", "--why", "model.from").stdout,
                         r"set at +exp/again.yaml:5:19 +base.yaml\n")

    def test_one_that_is_another_now_is_run_anew_as_is_what_starts_from_it(self):
        self.succeeds("run", "exp/again.yaml")
        self.write("exp/base.yaml", BASE.replace("steps: 6", "steps: 7"))
        self.succeeds("run", "exp/again.yaml")
        self.assertEqual(self.names(), ["again", "again", "base", "base"])

    def test_check_and_config_write_nothing_and_say_what_comes_first(self):
        checked = self.succeeds("check", "exp/again.yaml").stdout
        self.assertRegex(checked, r"note +exp/base.yaml is run first; what starts from it is named after its weights\n")
        self.assertRegex(checked, r"parameters +4,\d\d\d\n")
        self.assertIn("digest: \"known when it has been run\"\n", self.succeeds("config", "exp/again.yaml").stdout)
        self.assertEqual(self.results(), [])
        self.refused("model.widht: unknown option", "model.widht=8")

    def test_chains_and_lists(self):
        self.write("other/third.yaml", AGAIN.replace("base.yaml", "../exp/again.yaml").replace("again\n", "third\n")
                   .replace("play.txt", "../exp/play.txt"))
        self.write("list.yaml", "experiments: [{file: other/third.yaml}, {file: exp/again.yaml}]\n")
        self.succeeds("run", "list.yaml")
        self.assertEqual(self.names(), ["again", "base", "third"])

    def test_what_cannot_be_run_first_is_refused_before_anything_runs(self):
        self.refused("error: argument 'model.from=exp/bsae.yaml':12: model.from: there is no experiment exp/bsae.yaml; did you "
                     "mean 'base.yaml'?\n", "model.from=exp/bsae.yaml")
        self.refused("model.from: exp/again.yaml starts from itself\n", "model.from=exp/again.yaml")
        self.write("exp/base.yaml", BASE + "sweep: {replicates: 2}\n")
        self.refused("model.from: exp/base.yaml has several runs; name the result file of one\n")
        self.write("exp/base.yaml", "probe: {type: layer_growth}\n")
        self.refused("model.from: exp/base.yaml is a probe, and trains nothing\n")
        self.write("exp/base.yaml", BASE.replace("width: 16", "widht: 16"))
        self.refused("exp/base.yaml:5:24: model.widht")

    def test_one_that_fails_is_named(self):
        self.write("exp/base.yaml", BASE.replace("learning_rate: 3e-3", "learning_rate: 1e30"))
        done = self.assay("run", "exp/again.yaml")
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("error: exp/base.yaml, which others start from, could not be run: step ", done.stderr)
        self.assertEqual(self.names(), ["base"])


if __name__ == "__main__":
    unittest.main()
