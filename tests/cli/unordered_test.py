"""`async: true`: no trial waits for a batch, and everything says that the trials may be others the next time."""
import json
import unittest

from program import TINY_GPT, ProgramTest

HEAD = TINY_GPT.replace("steps: 6", "steps: 12").replace("every: 3", "every: 2")
SAID = ("async: which trials there are, and which are pruned, depends on which runs are faster; the same command may give "
        "others")
SEARCH = HEAD + """\
sweep:
  search: {type: tpe, startup: 4}
  space: {optimizer.learning_rate: {log_uniform: [1e-4, 1e-1]}}
  trials: 12
  async: true
  prune: {type: asha, first: 2}
"""


class Unordered(ProgramTest):
    def rows(self, columns):
        return json.loads(self.succeeds("ls", "results", "--json", "--columns", columns).stdout)

    def test_it_says_so_on_the_screen_and_in_each_file(self):
        self.write("tiny.yaml", SEARCH)
        done = self.succeeds("run", "tiny.yaml", "--jobs", "3")
        self.assertEqual(done.stderr.count(SAID), 1)
        self.assertEqual(len(self.results()), 12)
        self.assertEqual({row["status"] for row in self.rows("status")}, {"done", "pruned"})
        for file in self.results():
            self.assertEqual(self.shown(file)["history"], [{"step": 0, "what": SAID}])

    def test_the_same_command_repeats_nothing(self):
        self.write("tiny.yaml", SEARCH)
        self.succeeds("run", "tiny.yaml", "--jobs", "3")
        before = {file: file.stat().st_mtime_ns for file in self.results()}
        self.succeeds("run", "tiny.yaml", "--jobs", "2")
        self.assertEqual({file: file.stat().st_mtime_ns for file in self.results()}, before)

    def test_one_job_after_the_other_learns_from_each(self):
        self.write("branin.yaml", "probe: {type: branin}\nsweep: {search: {type: tpe}, space: {probe.x: {uniform: [-5, 10]}, "
                                  "probe.y: {uniform: [0, 15]}}, trials: 60, async: true, metric: {name: regret}}\n"
                                  "results: {pack: 256}\n")
        self.succeeds("run", "branin.yaml", "--jobs", "1")
        self.assertLess(min(row["regret"] for row in self.rows("regret")), 1)

    def test_it_ends_early_when_it_should(self):
        self.write("tiny.yaml", SEARCH)
        done = self.succeeds("run", "tiny.yaml", "sweep.stop={target: 1e6}", "--jobs", "1")
        self.assertIn("tiny: note: ends after 1 of 12 trials: the target of 1000000 is reached\n", done.stderr)

    def test_trials_that_fail_do_not_end_it(self):
        self.write("tiny.yaml", HEAD.replace("type: adamw", "type: sgd") +
                   "sweep: {search: {type: sobol}, space: {optimizer.learning_rate: {choice: [1e-3, 1e30]}, model.heads: "
                   "[1, 2, 3]}, trials: 8, async: true}\n")
        done = self.assay("run", "tiny.yaml")
        self.assertEqual(done.returncode, 4, done.stderr)
        self.assertEqual({row["status"] for row in self.rows("status")}, {"done", "failed"})

    def test_what_does_not_go_with_it_is_refused(self):
        self.write("tiny.yaml", SEARCH)
        self.fails(2, "sweep.batch: of no use with async, which has no batches\n", "run", "tiny.yaml", "sweep.batch=4")
        self.fails(2, "error: run: --isolate process: runs of their own processes come in batches; leave out sweep.async\n",
                   "run", "tiny.yaml", "--isolate", "process")


if __name__ == "__main__":
    unittest.main()
