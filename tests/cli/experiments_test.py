"""The bundled experiments: each passes `assay check`, and the probes meet what they expect."""
import os
import re
import unittest

from program import EXPERIMENTS, ProgramTest

TIMED = ["attention/cost"]  # measures this machine, which other tests share


def needs_corpus(file):
    text = file.read_text()
    others = re.findall(r"(?:file|from): ([\w./]+\.yaml)|defaults: +\[([\w./]+\.yaml)\]", text)
    return "tiny_shakespeare" in text or any(needs_corpus(file.parent / (a or b)) for a, b in others)


def is_probe(file):
    return any(line.startswith("probe:") for line in file.read_text().splitlines())


class Experiments(ProgramTest):
    def test_each_passes_check(self):
        for file in sorted(EXPERIMENTS.rglob("*.yaml")):
            with self.subTest(file=str(file.relative_to(EXPERIMENTS))):
                if needs_corpus(file):
                    if "ASSAY_DATA" not in os.environ:
                        self.skipTest("ASSAY_DATA is not set: no corpus")
                    self.environment["ASSAY_DATA"] = os.environ["ASSAY_DATA"]
                self.succeeds("check", file)

    def test_each_says_its_question_what_to_expect_and_its_cost(self):
        for file in EXPERIMENTS.rglob("*.yaml"):
            head = "".join(line for line in file.read_text().splitlines(True) if line.startswith("#"))
            for word in ("Question:", "Expect", "Cost:"):
                with self.subTest(file=str(file.relative_to(EXPERIMENTS)), word=word):
                    self.assertIn(word, head)

    def test_probes_meet_their_expectations(self):
        probes = {str(file.relative_to(EXPERIMENTS).with_suffix("")): file
                  for file in sorted(EXPERIMENTS.rglob("*.yaml")) if is_probe(file)}
        self.assertGreaterEqual(len(probes), 8)
        self.assertLessEqual(set(TIMED), set(probes))
        for name, file in probes.items():
            if name not in TIMED:
                with self.subTest(experiment=name):
                    self.succeeds("run", file)

    def test_show_prints_the_table_of_a_probe(self):
        self.succeeds("run", EXPERIMENTS / "positions/sinusoidal.yaml", "-o", "one.h5")
        self.assertRegex(self.succeeds("show", "one.h5").stdout, r"last wavelength +35332\.9\n")
        columns = self.shown("one.h5")["tables"]["properties"]["columns"]
        self.assertEqual(columns["property"][3], "last wavelength")
        self.assertAlmostEqual(columns["value"][3], 35332.9, delta=0.05)

    def test_a_list_of_experiments_runs_each_and_prints_one_table(self):
        self.write("good.yaml", "probe: {type: layer_growth, layers: 2}\nexpect: {post_norm/last: {at_least: 0}}\n")
        self.write("bad.yaml", "probe: {type: layer_growth, layers: 2}\nexpect: {post_norm/last: {at_most: 0}}\n")
        self.write("list.yaml", "experiments: [{system: A, file: good.yaml, with: [\"seed=1,2\"]}, {file: bad.yaml}]\n")
        done = self.assay("run", "list.yaml")
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertRegex(done.stdout, r"\nA +good\.yaml +post_norm/last +at least 0 +\d\.\d{4} +met\n")
        self.assertRegex(done.stdout, r"bad\.yaml +post_norm/last +at most 0 +\d\.\d{4} +missed\n1 of 2 expectations")
        self.assertEqual(len(self.results()), 3)
        self.assertIn("3 runs, no problems", self.succeeds("check", "list.yaml").stdout)
        self.fails(2, "error: config: list.yaml lists other experiments; give one of them, such as good.yaml\n",
                   "config", "list.yaml")

    def test_everything_wrong_with_a_list_is_said_before_anything_runs(self):
        self.write("good.yaml", "probe: {type: layer_growth}\n")
        self.write("bad.yaml", "probe: {type: layer_growth, layers: none}\n")
        self.write("list.yaml", "experiments: [{file: good.yaml}, {file: bad.yaml}]\n")
        self.fails(2, "bad.yaml:1:37: probe.layers: ", "run", "list.yaml")
        self.assertEqual(self.results(), [])
        self.fails(2, "error: argument 'seed=2': list.yaml lists other experiments, which are run as they stand; write "
                      "it under `with` of an entry, or run that file\n", "run", "list.yaml", "seed=2")

    def test_a_list_whose_key_is_misspelt(self):
        self.write("good.yaml", "probe: {type: layer_growth}\n")
        self.write("list.yaml", "name: all\nexperments: [{file: good.yaml}]\n")
        self.fails(2, "error: list.yaml:2:1: experments: unknown option of a list of experiments; did you mean 'experiments'?\n",
                   "run", "list.yaml")

    def test_a_probe_stands_alone(self):
        self.write("both.yaml", "probe: {type: layer_growth}\nmodel: {type: gpt}\n")
        self.fails(2, "error: both.yaml:2:8: model: of no use beside a probe, which measures and does not train; "
                      "remove one of the two sections\n", "check", "both.yaml")


if __name__ == "__main__":
    unittest.main()
