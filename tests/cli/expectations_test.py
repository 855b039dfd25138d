"""The section `expect`: reported after a run, recorded in its file, and exit code 1 where one is missed."""
import fcntl
import struct
import unittest

from program import TINY_GPT, ProgramTest

COUNTED = """\
name: counted
dataset:   {type: grammar, length: 4000}
tokenizer: {type: char}
model:     {type: ngram}
evaluate:  {windows: all, context: 16}
"""


class Expectations(ProgramTest):
    def run_expecting(self, expect, *words, experiment=COUNTED):
        self.write("counted.yaml", experiment + "expect: " + expect + "\n")
        return self.assay("run", "counted.yaml", *words)

    def test_one_that_is_met_is_reported_and_recorded(self):
        done = self.run_expecting("{val/loss: {between: [0.1, 5]}, parameters: {exactly: 0}}")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, r"val/loss +0\.1 to 5 +\d\.\d{4} +met")
        self.assertRegex(done.stdout, r"parameters +exactly 0 +0\.0000 +met")
        shown = self.shown(self.results()[0])["expectations"]
        self.assertEqual([(e["metric"], e["wanted"], e["over"], e["verdict"]) for e in shown],
                         [("parameters", "exactly 0", "seeds", "met"), ("val/loss", "0.1 to 5", "seeds", "met")])
        self.assertIn("Expectations", self.succeeds("show", self.results()[0]).stdout)

    def test_one_that_is_missed_makes_the_exit_code_1(self):
        done = self.run_expecting("{val/loss: {at_most: 0.1}}")
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertRegex(done.stdout, r"val/loss +at most 0\.1 +\d\.\d{4} +missed\n1 of 1 expectations missed\n$")

    def test_one_of_an_unknown_metric_is_missed_and_named(self):
        done = self.run_expecting("{val/los: {at_most: 9}}")
        self.assertEqual(done.returncode, 1)
        self.assertIn("did you mean val/loss?", done.stdout)

    def test_a_complete_run_is_judged_by_what_the_file_says_now(self):
        self.assertEqual(self.run_expecting("{val/loss: {at_most: 9}}").returncode, 0)
        again = self.run_expecting("{val/loss: {at_least: 9}}")
        self.assertIn("already complete", again.stderr)
        self.assertEqual(again.returncode, 1)

    def test_a_mean_needs_its_seeds(self):
        expect = "{val/loss: [{at_least: 0, seeds: 2}, {at_least: 9, seeds: 3}, {at_least: 0, over: runs}]}"
        one = self.run_expecting(expect, "seed=1", experiment=TINY_GPT)
        self.assertEqual(one.returncode, 0)
        self.assertIn("open: needs 2 seeds, has 1", one.stdout)
        two = self.run_expecting(expect, "seed=1,2", experiment=TINY_GPT)
        self.assertRegex(two.stdout, r"mean of 2 seeds +val/loss +at least 0 +\d\.\d{4} +met\n")
        self.assertIn("open: needs 3 seeds, has 2", two.stdout)
        self.assertEqual(two.stdout.count("at least 0"), 3)  # the mean, and each run
        self.assertEqual(two.returncode, 0)
        self.assertEqual(self.run_expecting(expect, "seed=1,2,3", experiment=TINY_GPT).returncode, 1)

    def test_a_run_that_could_not_be_written_is_no_finding_against_what_was_expected(self):
        expect = "{val/loss: [{between: [0.1, 5]}, {between: [0.1, 6], over: runs}]}"
        self.assertEqual(self.run_expecting(expect, "seed=1,2", experiment=TINY_GPT).returncode, 0)
        held = open(self.results()[0].with_suffix(".lock"), "w")
        self.addCleanup(held.close)
        fcntl.fcntl(held, fcntl.F_OFD_SETLK, struct.pack("hhqqi4x", fcntl.F_WRLCK, 0, 0, 0, 0))
        one = self.assay("run", "counted.yaml", "seed=1", "--force")
        self.assertIn("this run is being written by another process", one.stderr + one.stdout)
        both = self.assay("run", "counted.yaml", "seed=1,2", "--force")
        for done in (one, both):
            self.assertEqual(done.returncode, 5, done.stderr)
            self.assertIn("could not be run to its end", done.stdout)
            self.assertNotIn("missed", done.stdout)
        self.assertEqual(self.shown(self.results()[0])["status"], "done")

    # The claim of a comparison: the interval of the difference between runs of equal seeds.
    def test_one_of_some_runs_against_others(self):
        self.write("two.yaml", TINY_GPT + """\
sweep: {grid: {train.steps: [1, 40]}, replicates: 3}
expect:
  val/loss:
    - {lower: {where: train.steps == 40, by: 0.1}, seeds: 3}
    - {higher: {where: train.steps == 40}}
    - {lower: {where: train.steps == 40, than: train.steps == 2}}
  train/loss: {higher: {where: model.widht == 3}}
""")
        done = self.assay("run", "two.yaml")
        self.assertEqual(done.returncode, 1, done.stderr)
        interval = r"95% -\d\.\d+ to -\d\.\d+\n"
        self.assertRegex(done.stdout, r"3 runs, 3 others +val/loss +lower by 0\.1 where train\.steps == 40 +"
                         r"-\d\.\d+ +met: " + interval)
        self.assertRegex(done.stdout, r"higher where train\.steps == 40 +-\d\.\d+ +missed: " + interval)
        self.assertRegex(done.stdout, r"lower where train\.steps == 40, than where train\.steps == 2 +- +open: needs 2 runs on "
                         r"each side\n")
        self.assertRegex(done.stdout, r"missed: .*model\.widht.*did you mean model\.width\?")
        one = self.assay("run", "two.yaml", "~sweep.replicates")
        self.assertIn("open: needs 3 runs on each side", one.stdout)

    def test_settings_of_a_sweep_have_expectations_of_their_own(self):
        self.write("sweep.yaml", COUNTED + """\
sweep:
  list:
    - {model: {context: 0}, expect: {val/loss: {at_least: 0.1}}}
    - {model: {context: 1}, expect: {val/loss: {at_most: 0.1}}}
""")
        done = self.assay("run", "sweep.yaml")
        self.assertEqual(done.returncode, 1)
        self.assertIn("1 of 2 expectations missed", done.stdout)

    def test_mistakes_are_reported_together_with_their_places(self):
        self.write("counted.yaml", COUNTED + """\
expect:
  val/loss: {between: [2, 1]}
  min(val/loss: {at_most: 2}
  train/loss: 3
  last(val/loss): {near: {value: 2}}
""")
        done = self.assay("check", "counted.yaml")
        self.assertEqual(done.returncode, 2)
        self.assertEqual(done.stderr, """\
error: counted.yaml:7:13: expect.val/loss: between: wanted the least and the greatest value; write between: [1.8, 1.9]
    val/loss: {between: [2, 1]}
              ^
counted.yaml:8:3: expect: wanted ')', got the end
  min(val/loss
              ^
counted.yaml:9:15: expect.train/loss: wanted a map such as {between: [1.8, 1.9]}, got 3
    train/loss: 3
                ^
counted.yaml:10:26: expect.last(val/loss).near.within: is missing; wanted a number, at least 0: How far from it is near.
    last(val/loss): {near: {value: 2}}
                           ^
""")


if __name__ == "__main__":
    unittest.main()
