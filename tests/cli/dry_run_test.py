"""assay run --dry-run: which runs there would be and what they would cost, with nothing written."""
import re
import unittest

from program import TINY_GPT, ProgramTest


class DryRun(ProgramTest):
    def setUp(self):
        super().setUp()
        self.write("tiny.yaml", TINY_GPT)

    def dry(self, *words):
        files = {path: path.stat().st_mtime_ns for path in self.folder.rglob("*") if ".cache" not in path.parts}
        done = self.succeeds("run", "tiny.yaml", "--dry-run", *words)
        self.assertEqual(files, {path: path.stat().st_mtime_ns for path in self.folder.rglob("*")
                                 if ".cache" not in path.parts})
        self.assertEqual(done.stderr, "")
        return done.stdout

    def test_one_run_with_its_cost(self):
        shown = self.dry()
        self.assertRegex(shown, r"(?m)^run +state +parameters +steps +work +time +memory +disk$")
        self.assertRegex(shown, r"(?m)^seed=1_\w{8} +new +[\d,]+ +6 +[\d.]+ MFLOP +\d+ ms +[\d.]+ [KM]iB +[\d.]+ KiB$")
        self.assertRegex(shown, r"\n1 run: 6 steps, [\d.]+ MFLOP, about \d+ ms with \d+ threads?, up to [\d.]+ [KM]iB of "
                                r"memory and [\d.]+ KiB of files; nothing was written\n\Z")

    def test_what_sets_runs_apart_has_columns(self):
        lines = self.dry("seed=1,2", "train.steps=6,9").splitlines()
        self.assertRegex(lines[0], r"^run +state +seed +train\.steps +parameters +steps ")
        rows = [line.split()[2:4] for line in lines[2:6]]
        self.assertEqual(rows, [["1", "6"], ["1", "9"], ["2", "6"], ["2", "9"]])
        self.assertTrue(lines[-1].startswith("4 runs: 30 steps, "), lines[-1])

    def test_a_search_is_counted_as_a_whole(self):
        """What its later trials are is not known, so they are taken to be as the first."""
        shown = self.dry("sweep={search: {type: random}, space: {optimizer.learning_rate: {log_uniform: [1e-4, 1e-1]}}, "
                         "trials: 40, batch: 4, prune: {type: asha, first: 3}}", "seed=1,2")
        self.assertEqual(len(re.findall(r"(?m)^seed=\d_learning_rate=\S+ +new ", shown)), 8)
        self.assertIn("note: these are the first of 40 trials; later ones depend on how they do\n", shown)
        self.assertRegex(shown, r"\n80 runs at most, as those above: 480 steps, [\d.]+ .FLOP, about .* of memory and [\d.]+ "
                                r".iB of files; pruning may leave as few as 240 of the steps; nothing was written\n\Z")

    def test_a_search_of_many_runs_asks(self):
        self.fails(2, "error: these are 1,200 runs: --yes runs more than 1,000 without asking, --dry-run says what they cost\n",
                   "run", "tiny.yaml", "seed=1,2,3", "sweep={search: {type: random}, space: {optimizer.learning_rate: "
                   "{log_uniform: [1e-4, 1e-1]}}, trials: 400}")

    def test_the_costs_are_those_of_check(self):
        flop = float(re.search(r"work per step +([\d.]+) GFLOP", self.succeeds("check", "tiny.yaml").stdout)[1]) * 1e9
        work = float(re.search(r" ([\d.]+) MFLOP", self.dry())[1]) * 1e6
        self.assertAlmostEqual(work / (6 * flop), 1, delta=0.02)

    def test_what_is_there_already(self):
        self.succeeds("run", "tiny.yaml")
        self.assertRegex(self.dry("seed=1,2"), r"(?s)seed=1_\w+ +complete .*seed=2_\w+ +new .*\n2 runs, 1 complete "
                                               r"already: 6 steps, ")
        self.assertTrue(self.dry().endswith("1 run, 1 complete already: nothing to do\n"))
        self.assertIn(" new ", self.dry("--force"))

    def test_what_is_wrong_is_told_as_by_run(self):
        self.assertEqual(self.fails(2, "did you mean 'width'?", "run", "tiny.yaml", "--dry-run", "model.widht=8").stderr,
                         self.fails(2, "did you mean 'width'?", "run", "tiny.yaml", "model.widht=8").stderr)

    def test_models_that_count_and_probes_have_no_time(self):
        self.write("tiny.yaml", "dataset: {type: grammar, length: 4000}\ntokenizer: {type: char}\n"
                                "model: {type: ngram}\nevaluate: {context: 16}\n")
        self.assertRegex(self.dry(), r"(?m)^seed=1_\w+ +new +\d+ +- +- +- +[\d.]+ .?i?B +-$")
        self.assertIn(", not counting what no step tells; nothing was written\n", self.dry())


if __name__ == "__main__":
    unittest.main()
