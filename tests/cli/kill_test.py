"""(D27) kill -9 at any moment of the real program: nothing flushed is lost, every file can be read, and the same command, or
resume, ends with the bits of a run that was never stopped.

On demand: ASSAY=build/release/bin/assay ASSAY_BUILD=build/release python3 tests/cli/kill_test.py --runs 1000"""
import argparse
import random
import signal
import struct
import sys
import time
import unittest

import h5py

from program import TINY_GPT, ProgramTest
from result_tables import table

RUNS, SEED = 10, 1
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
        draw = random.Random(SEED)
        for _ in range(RUNS):
            for file in self.folder.glob("part*"):
                file.unlink()
            self.kill_after(draw.uniform(0, self.seconds), "run", "kept.yaml", "-o", "part.h5")
            reached = self.readable()
            if reached:  # a second kill, of the continuation
                self.kill_after(draw.uniform(0, self.seconds), "resume", "part.h5", "--threads", "1")
                self.assertGreaterEqual(self.readable(), reached)
            kept = max((int(f.stem.rpartition("-")[2]) for f in self.folder.glob("part.ckpt-*.h5")), default=0)
            last = self.succeeds("run", "kept.yaml", "-o", "part.h5")
            if kept and "already complete" not in last.stderr:  # or it was killed after its last file was in place
                self.assertIn(f"continues after step {kept}", last.stderr)
            self.same(self.shown("part.h5"))
            self.assertEqual([f.name for f in self.folder.glob("part*")], ["part.h5"])


def crc32c(data):
    crc = 0xffffffff
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82f63b78 if crc & 1 else 0)
    return crc ^ 0xffffffff


def journal_records(data):
    """(start, end) of each record of a journal (framework/results/journal.h)."""
    at, found = 0, []
    while at < len(data):
        end = at + 24 + struct.unpack_from("<I", data, at + 4)[0]
        found.append((at, end))
        at = end
    return found


class KilledAtACheckpoint(ProgramTest):
    """part.h5 with its first checkpoint and rows behind it."""

    def setUp(self):
        super().setUp()
        self.write("kept.yaml", KEPT)
        process = self.start("run", "kept.yaml", "-o", "part.h5", "train.steps=4000", "checkpoint.keep=100")
        journal, size = self.folder / "part.journal", 0
        while process.poll() is None:  # until it has grown by several records behind the checkpoint
            if (self.folder / "part.ckpt-40.h5").exists() and journal.exists():
                size = size or journal.stat().st_size
                if journal.stat().st_size > size + 1000:
                    break
        process.kill()
        process.communicate()
        self.assertEqual(process.returncode, -signal.SIGKILL)
        for file in self.folder.glob("part.ckpt-*.h5"):
            if file.name != "part.ckpt-40.h5":
                file.unlink()

    def test_a_row_that_comes_out_otherwise_is_said_with_its_step_and_metric(self):
        file = self.folder / "part.journal"
        data = bytearray(file.read_bytes())
        for start, end in journal_records(data)[1:]:
            name = data.find(b"train/loss", start, end)
            if name >= 0 and struct.unpack_from("<q", data, name + 10)[0] == 42:
                struct.pack_into("<d", data, name + 18, 0.5)
                struct.pack_into("<I", data, end - 4, crc32c(data[start:end - 4]))
        self.assertNotEqual(file.read_bytes(), data)
        file.write_bytes(data)
        done = self.succeeds("resume", "part.h5")
        said = "not deterministic from step 42, metric train/loss: was 0.5, came out as "
        self.assertIn("continues after step 40; ", done.stderr)
        self.assertIn(said, done.stderr)
        self.assertTrue([what for step, what in table(self.folder / "part.h5", "history")
                         if step == "42" and what.startswith(said)])

    def test_a_forced_run_that_ends_at_once_leaves_only_its_file(self):
        self.write("tiny.yaml", TINY_GPT)
        self.succeeds("run", "tiny.yaml", "-o", "part.h5", "--force")
        self.assertEqual([f.name for f in self.folder.glob("part*")], ["part.h5"])
        self.assertEqual(self.shown("part.h5")["steps"], 6)


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

    def test_rerun_says_nothing_about_bits_where_it_ran_nothing(self):
        self.succeeds("run", "tiny.yaml", "-o", "one.h5")
        self.succeeds("rerun", "one.h5")
        self.fails(2, "one.rerun.h5: is complete already, so nothing would be run; choose another file with -o, or "
                      "--force to replace it", "rerun", "one.h5")
        self.assertIn("the same bits: ", self.succeeds("rerun", "one.h5", "--force").stdout)
        (self.folder / "link.h5").symlink_to("one.h5")
        for output in ("one.h5", "./one.h5", "link.h5"):
            self.fails(2, f"{output}: is the file that is to be run again; choose another with -o",
                       "rerun", "one.h5", "--force", "-o", output)

    def test_rerun_of_an_extended_run_says_that_it_is_one(self):
        self.succeeds("run", "tiny.yaml", "-o", "one.h5")
        self.succeeds("resume", "one.h5", "train.steps=8")
        said = "train.steps: 6 before, 8 now; schedules follow the new total from step 6 on"
        self.assertIn(["6", said], [list(entry) for entry in table(self.folder / "one.h5", "history")])
        self.fails(5, f"one.h5: not what it was run with:\n  was extended: {said}\n--inexact runs it all the same",
                   "rerun", "one.h5")

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
    parser.add_argument("--seed", type=int, default=SEED)
    known, rest = parser.parse_known_args()
    RUNS, SEED = known.runs, known.seed
    unittest.main(argv=[sys.argv[0], *rest])
