"""A process that is killed before any of its calls, and a disk that is full or broken from any call on: what was
acknowledged is there, every file can be read, the message says what happened, and the same command goes on to the bits
of a run that was never disturbed.

In CI every kill of one small workload and a sample of the errors. All of them:
  ASSAY=build/release/bin/assay ASSAY_BUILD=build/release python3 tests/cli/faults_test.py --all"""
import json
import random
import shutil
import signal
import sys
import unittest

import h5py

from faults import KEPT, FaultTest
from program import TINY_GPT

ALL = False
SAMPLE = 12
SAYS = {"ENOSPC": "No space left on device", "EDQUOT": "Disk quota exceeded", "EIO": "Input/output error",
        "short": "No space left on device"}


class OneRun(FaultTest):
    def setUp(self):
        super().setUp()
        self.write("kept.yaml", KEPT)
        self.succeeds("run", "kept.yaml", "-o", "whole.h5")  # which also fills the cache of probed plugins
        self.rows = self.cells("whole.h5")
        self.calls = self.under("run", "kept.yaml", "-o", "part.h5").calls
        self.assertGreater(self.calls, 30)

    def disturbed(self, **how):
        """A run that is disturbed so, then the same command: the process that was disturbed."""
        self.clear()
        done = self.under("run", "kept.yaml", "-o", "part.h5", **how)
        steps = 0
        for file in self.folder.glob("part*.h5"):
            with h5py.File(file, "r") as f:
                self.assertIn("id", f, how)
        if (self.folder / "part.h5").exists():
            cells = self.cells("part.h5")
            self.assertLessEqual(cells.items(), self.rows.items(), how)
            steps = sum(metric == "train/loss" for step, metric in cells)
        self.assertGreaterEqual(steps, done.steps, how)
        self.succeeds("run", "kept.yaml", "-o", "part.h5")
        self.assertEqual(self.ended("part.h5"), self.ended("whole.h5"), how)
        self.assertEqual([f.name for f in self.folder.glob("part*")], ["part.h5"], how)
        return done

    def test_killed_before_each_of_its_calls(self):
        seen = []
        while True:
            done = self.disturbed(kind="kill", at=len(seen) + 1)
            if done.returncode != -signal.SIGKILL:
                break
            self.assertEqual([f.name for f in self.folder.glob(".part*")], [])
            seen.append(done.steps)
        self.assertGreater(len(seen), 30)
        self.assertEqual(max(seen), 6)

    def fails_clearly(self, **how):
        done = self.disturbed(**how)
        self.assertGreaterEqual(done.returncode, 0, how)
        if done.returncode != 0:
            self.assertIn(SAYS[how["kind"]], done.stderr, how)
            self.assertIn("part", done.stderr, how)
        return done.returncode

    def test_errors_from_a_call_on_or_at_it_only(self):
        cases = [dict(kind=kind, calls="all", at=k, also=also) for kind in SAYS for also in (0, 1)
                 for k in range(1, self.calls + 1)]
        cases += [dict(kind="EIO", calls="sync", at=k, also=also) for also in (0, 1) for k in range(1, self.calls // 3)]
        chosen = cases if ALL else random.Random(1).sample(cases, SAMPLE)
        codes = [self.fails_clearly(**how) for how in chosen]
        print(f"{len(codes)} disturbed runs, {sum(code != 0 for code in codes)} of which failed", file=sys.stderr)
        self.assertIn(5, codes)


class Sweep(FaultTest):
    def setUp(self):
        super().setUp()
        self.write("packed.yaml", TINY_GPT.replace("seed: 1\n", "sweep: {grid: {seed: [1, 2, 3]}}\nresults: {pack: 2}\n"))
        self.write("alone.yaml", TINY_GPT.replace("seed: 1\n", "sweep: {grid: {seed: [1, 2, 3]}}\n"))
        self.command = ("run", "packed.yaml", "--jobs", "1", "--out", "part")
        self.succeeds("run", "alone.yaml", "--out", "whole")
        self.calls = self.under(*self.command).calls
        self.whole = self.listed("whole")
        self.assertEqual(self.listed("part"), self.whole)

    def listed(self, folder):
        if not (self.folder / folder).exists():
            return []
        done = self.assay("ls", folder, "--columns", "status, seed, digest, val/loss", "--json")
        return sorted(({key: value for key, value in run.items() if key != "run"}
                       for run in json.loads(done.stdout)), key=lambda run: run["seed"])

    def test_killed_before_its_calls(self):
        seen = []
        for k in range(1, self.calls + 1, 1 if ALL else 6):
            shutil.rmtree(self.folder / "part")
            done = self.under(*self.command, kind="kill", at=k)
            listed = self.listed("part")
            for run in listed:
                self.assertIn(run, self.whole, f"killed before call {k}")
            self.assertGreaterEqual(len(listed), len(seen), f"killed before call {k}")
            seen = listed
            self.succeeds(*self.command)
            self.assertEqual(self.listed("part"), self.whole, f"killed before call {k}")
            names = sorted(file.name for file in (self.folder / "part").iterdir())
            self.assertEqual(names.pop(), "plan.yaml")
            self.assertTrue(all(name.startswith("pack-") and name.endswith(".h5") for name in names), names)
        self.assertGreaterEqual(len(seen), 2)


if __name__ == "__main__":
    ALL = "--all" in sys.argv
    unittest.main(argv=[word for word in sys.argv if word != "--all"])
