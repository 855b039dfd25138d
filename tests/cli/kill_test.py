"""kill -9 at any moment of the real program: nothing flushed is lost, every file can be read, and the same command, or
resume, ends with the bits of a run that was never stopped.

On demand: ASSAY=build/release/bin/assay ASSAY_BUILD=build/release python3 tests/cli/kill_test.py --runs 1000"""
import argparse
import random
import sys
import time
import unittest

import h5py

from program import TINY_GPT, ProgramTest

RUNS = 10
KEPT = TINY_GPT.replace("steps: 6", "steps: 400").replace("every: 3", "every: 30") + "checkpoint: {every: 40}\n"


class Kills(ProgramTest):
    def setUp(self):
        super().setUp()
        self.write("kept.yaml", KEPT)
        start = time.monotonic()
        self.succeeds("run", "kept.yaml", "-o", "whole.h5")
        self.seconds = time.monotonic() - start
        self.whole = self.shown("whole.h5")

    def kill_after(self, seconds, *words):
        process = self.start(*words)
        try:
            process.wait(seconds)
        except Exception:
            process.kill()
        process.communicate()

    def readable(self):
        """Stock h5py opens whatever is there under a final name; gives the completed steps that we read."""
        for file in self.folder.glob("part*.h5"):
            with h5py.File(file, "r") as f:
                self.assertIn("id", f)
        return self.shown("part.h5")["steps"] if (self.folder / "part.h5").exists() else 0

    def same(self, shown):
        self.assertEqual(shown["status"], "done")
        self.assertEqual(shown["digest"], self.whole["digest"])
        self.assertEqual(shown["metrics"], self.whole["metrics"])

    def test_at_random_moments(self):
        draw = random.Random(1)
        for _ in range(RUNS):
            for file in self.folder.glob("part*"):
                file.unlink()
            self.kill_after(draw.uniform(0, self.seconds), "run", "kept.yaml", "-o", "part.h5")
            reached = self.readable()
            if reached:  # a second kill, of the continuation
                self.kill_after(draw.uniform(0, self.seconds), "resume", "part.h5", "--threads", "1")
                self.assertGreaterEqual(self.readable(), reached)
            self.succeeds("run", "kept.yaml", "-o", "part.h5")
            self.same(self.shown("part.h5"))
            self.assertEqual([f.name for f in self.folder.glob("part*")], ["part.h5"])


class Resuming(ProgramTest):
    def setUp(self):
        super().setUp()
        self.write("tiny.yaml", TINY_GPT)

    def test_a_finished_run_says_so_and_stays_as_it_is(self):
        self.succeeds("run", "tiny.yaml", "-o", "one.h5")
        before = (self.folder / "one.h5").read_bytes()
        self.assertIn("already complete", self.succeeds("resume", "one.h5").stderr)
        self.assertEqual((self.folder / "one.h5").read_bytes(), before)

    def test_more_steps_do_exactly_those_and_the_new_total_is_announced(self):
        self.succeeds("run", "tiny.yaml", "-o", "one.h5")
        done = self.succeeds("resume", "one.h5", "train.steps=8")
        self.assertIn("train.steps: 6 before, 8 now; schedules follow the new total from step 6 on", done.stderr)
        with h5py.File(self.folder / "one.h5", "r") as f:
            self.assertEqual(f["metrics/train%2Floss/step"][()].tolist(), list(range(8)))
        self.succeeds("run", "tiny.yaml", "train.steps=8", "-o", "eight.h5")
        self.assertEqual(self.shown("one.h5")["digest"], self.shown("eight.h5")["digest"])

    def test_any_other_change_is_refused_with_the_difference(self):
        self.succeeds("run", "tiny.yaml", "-o", "one.h5")
        self.fails(2, "one.h5: a run can be continued with more steps only; this would be another run:\n"
                      "  model.width: 16 in the file, 32 asked for\nUse `assay run` for that",
                   "resume", "one.h5", "model.width=32")
        self.fails(2, "one.h5: 6 steps are done, so it cannot end after 5", "resume", "one.h5", "train.steps=5")

    def test_how_a_run_is_kept_is_no_part_of_its_identity(self):
        self.succeeds("run", "tiny.yaml")
        again = self.succeeds("run", "tiny.yaml", "checkpoint.every=2", "durability=fsync")
        self.assertIn("already complete", again.stderr)
        self.assertEqual(len(self.results()), 1)

    def test_rerun_says_that_the_bits_agree(self):
        self.succeeds("run", "tiny.yaml", "-o", "one.h5")
        (self.folder / "tiny.yaml").unlink()
        done = self.succeeds("rerun", "one.h5")
        self.assertIn("the same bits: ", done.stdout)
        self.assertEqual(self.shown("one.h5")["digest"], self.shown("one.rerun.h5")["digest"])

    def test_must_refuses_where_there_is_nothing_to_continue(self):
        self.fails(2, "none.h5: there is no stopped run to continue (--resume must)",
                   "run", "tiny.yaml", "-o", "none.h5", "--resume", "must")

    def test_a_best_that_no_evaluation_gives_is_refused_at_the_first(self):
        done = self.assay("run", "tiny.yaml", "checkpoint.best=val/los", "-o", "one.h5")
        self.assertEqual(done.returncode, 1)
        self.assertIn("checkpoint.best: this run has no metric 'val/los'; it has val/loss", done.stderr + done.stdout)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--runs", type=int, default=RUNS)
    known, rest = parser.parse_known_args()
    RUNS = known.runs
    unittest.main(argv=[sys.argv[0], *rest])
