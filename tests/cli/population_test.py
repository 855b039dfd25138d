"""Populations: members that train together and go on as copies of better ones, the same whatever the number of jobs, each
of which can be done again alone. And what they refuse."""
import json
import re
import unittest

from program import TINY_GPT, ProgramTest

POPULATION = TINY_GPT.replace("steps: 6", "steps: 24").replace("every: 3", "every: 2") + """\
sweep:
  search: {type: sobol}
  space: {optimizer.learning_rate: {log_uniform: [1e-4, 1e-1]}, optimizer.weight_decay: {uniform: [0, 0.2]}}
  trials: 5
  population: {every: 5, replace: 0.4}
"""
COLUMNS = "run, status, steps, digest, train/loss, mean(train/loss), val/loss, optimizer.learning_rate"


class Populations(ProgramTest):
    def setUp(self):
        super().setUp()
        self.write("tiny.yaml", POPULATION)

    def rows(self, folder="results/tiny", columns=COLUMNS):
        return json.loads(self.succeeds("ls", folder, "--json", "--columns", columns).stdout)

    def lineage(self, file):
        return self.shown(file)["tables"]["lineage"]["columns"]

    def copies(self):
        return [file for file in self.results() if len(self.lineage(file)["step"]) > 1]

    def test_jobs_and_threads_change_nothing(self):
        self.succeeds("run", "tiny.yaml", "--out", "a", "--jobs", "1", "--threads", "1")
        one = self.rows("a")
        self.assertEqual([row["status"] for row in one], ["done"] * 5)
        self.succeeds("run", "tiny.yaml", "--out", "b", "--jobs", "4", "--threads", "3")
        self.assertEqual(self.rows("b"), one)

    def test_the_worst_go_on_as_copies_with_other_settings(self):
        done = self.succeeds("run", "tiny.yaml")
        # Every 5 steps, at the next evaluation.
        plan = (self.folder / "results/tiny/plan.yaml").read_text()
        self.assertEqual(re.findall(r"step: (\d+)", plan), ["6", "10", "16", "20"])
        copies = self.copies()
        self.assertTrue(copies)
        self.assertIn("goes on from step 6 as a copy of member=", done.stderr)
        for file in copies:
            lineage = self.lineage(file)
            self.assertEqual(lineage["step"][0], 0)
            self.assertEqual(lineage["run"][-1], file.stem)
            self.assertGreater(len(set(lineage["optimizer.learning_rate"])), 1)
            rates = self.shown(file)["metrics"]["train/learning_rate"]
            self.assertAlmostEqual(rates["last"], float(lineage["optimizer.learning_rate"][-1]), delta=1e-9)

    def test_each_can_be_run_again_alone(self):
        self.succeeds("run", "tiny.yaml")
        for file in self.results():
            again = self.succeeds("rerun", file, "-o", f"again/{file.name}")
            self.assertIn("the same bits", again.stdout + again.stderr)

    def test_the_same_command_repeats_nothing(self):
        self.succeeds("run", "tiny.yaml")
        before = {file: file.stat().st_mtime_ns for file in self.results()}
        again = self.succeeds("run", "tiny.yaml")
        self.assertEqual({file: file.stat().st_mtime_ns for file in self.results()}, before)
        self.assertEqual(again.stderr.count("already complete"), 5)

    def test_one_that_is_lost_is_found_again(self):
        self.succeeds("run", "tiny.yaml")
        whole = self.rows()
        self.copies()[0].unlink()
        self.succeeds("run", "tiny.yaml")
        self.assertEqual(self.rows(), whole)

    def test_a_member_that_diverges_is_replaced(self):
        self.write("tiny.yaml", POPULATION.replace("type: adamw", "type: sgd").replace(
            "{optimizer.learning_rate: {log_uniform: [1e-4, 1e-1]}, optimizer.weight_decay: {uniform: [0, 0.2]}}",
            "{optimizer.learning_rate: {choice: [1e-3, 1e30]}}").replace("replace: 0.4", "resample: 0"))
        done = self.succeeds("run", "tiny.yaml")
        self.assertIn("note: waits to be replaced: step 1: ", done.stderr)
        self.assertEqual({row["status"] for row in self.rows()}, {"done"})

    def test_status_says_what_it_is(self):
        self.succeeds("run", "tiny.yaml")
        self.assertIn("tiny: 5 runs: 5 done; a population of 5, compared 4 times so far\n",
                      self.succeeds("status", "results/tiny").stdout)

    def test_what_works_on_one_run_alone_is_refused(self):
        self.succeeds("run", "tiny.yaml")
        member = self.results()[0]
        self.fails(2, ": is a member of a population, and goes on with the others only: `assay run ",
                   "resume", member, "train.steps=30")
        self.fails(2, "results/tiny/plan.yaml: is of a population, whose members go on together only: `assay run ",
                   "retry", "results/tiny")
        self.fails(2, "error: run: --isolate process: the members of a population copy each other in memory; leave out one "
                      "of them\n", "run", "tiny.yaml", "--isolate", "process")

    def test_mistakes_are_told_before_anything_runs(self):
        self.fails(2, "sweep.prune: not beside a population, which trains all its members to the end; remove one of them\n",
                   "run", "tiny.yaml", "sweep.prune={type: asha}")
        self.fails(2, "sweep.population: wanted a search and a space beside it, whose settings the members change; write "
                      "search: {type: random}\n", "run", "tiny.yaml", "~sweep.search", "~sweep.space", "~sweep.trials")
        self.fails(2, "sweep.population.explore: 'model.width' is not in sweep.space\n",
                   "run", "tiny.yaml", "sweep.population.explore=[model.width]")
        self.fails(2, "sweep.population: runs are compared when they are evaluated; write evaluate: {every: 100}\n",
                   "run", "tiny.yaml", "evaluate.every=null")
        self.assertEqual(self.results(), [])


if __name__ == "__main__":
    unittest.main()
