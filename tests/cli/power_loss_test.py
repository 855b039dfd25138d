"""A power cut at any moment: every call of a run is recorded, and replayed up to a moment onto a disk that has any of
the 4 KiB pages and names that were not synced by then. Every file can be read, and no row is lost that was promised.

In CI a sample. On demand: ASSAY=build/release/bin/assay ASSAY_BUILD=build/release \\
  python3 tests/cli/power_loss_test.py --samples 1000"""
import argparse
import random
import sys
import unittest

import h5py

from faults import KEPT, Disk, FaultTest

SAMPLES = 25


class PowerLoss(FaultTest):
    def setUp(self):
        super().setUp()
        self.write("kept.yaml", KEPT)
        self.succeeds("run", "kept.yaml", "-o", "whole.h5")
        self.rows = self.cells("whole.h5")
        done = self.under("run", "kept.yaml", "-o", "part.h5")
        self.assertEqual(done.returncode, 0)
        self.events = done.events
        self.clear()
        self.assertGreater(len(self.events), 30)

    def lost(self, draw, forgets=None):
        """What a power cut at a random moment costs: nothing (None), or a text."""
        disk = Disk(forgets)
        for event in self.events[:draw.randrange(len(self.events) + 1)]:
            disk.apply(*event)
        self.clear()
        disk.put_into(self.folder, draw)
        for file in self.folder.glob("part*.h5"):
            try:
                with h5py.File(file, "r") as f:
                    f["id"][()]
            except (OSError, KeyError) as error:
                return f"{file.name}: {error}"
        steps = 0
        if (self.folder / "part.h5").exists():
            try:
                cells = self.cells("part.h5")
            except AssertionError as error:
                return str(error)
            if not cells.items() <= self.rows.items():
                return "other rows"
            steps = sum(metric == "train/loss" for step, metric in cells)
        return None if steps >= disk.steps else f"{disk.steps} steps were promised, {steps} are there"

    def test_loses_nothing_that_was_promised(self):
        draw = random.Random(1)
        for sample in range(SAMPLES):
            self.assertIsNone(self.lost(draw), sample)
            if sample % 10 == 0:
                self.succeeds("run", "kept.yaml", "-o", "part.h5")
                self.assertEqual(self.ended("part.h5"), self.ended("whole.h5"))

    def test_would_be_seen_if_a_sync_were_missing(self):
        for forgets in (".assay-tmp", ".journal"):
            draw = random.Random(2)
            self.assertTrue(any(self.lost(draw, forgets) for _ in range(max(SAMPLES, 100))), forgets)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--samples", type=int, default=SAMPLES)
    known, rest = parser.parse_known_args()
    SAMPLES = known.samples
    unittest.main(argv=[sys.argv[0], *rest])
