"""kill -9 of a whole sweep at any moment, then the same command: the final table is that of a sweep that nothing
disturbed, bit for bit.

On demand: ASSAY=build/release/bin/assay ASSAY_BUILD=build/release python3 tests/cli/sweep_kill_test.py --kills 50"""
import argparse
import json
import random
import shutil
import subprocess
import sys
import time
import unittest

from program import TINY_GPT, ProgramTest

KILLS, SEED = 2, 1
# Steps enough that runs have checkpoints when they are killed.
SWEEP = TINY_GPT.replace("steps: 6", "steps: 40").replace("every: 3", "every: 10") + """\
checkpoint: {every: 7}
sweep:
  grid:
    optimizer.learning_rate: {logspace: [1e-4, 1e-2], points: 5}
    model.width: [8, 16]
  replicates: 4
"""
SEARCH = TINY_GPT.replace("steps: 6", "steps: 40").replace("every: 3", "every: 10") + """\
checkpoint: {every: 7}
sweep:
  search: {type: tpe, startup: 4}
  space: {optimizer.learning_rate: {log_uniform: [1e-4, 1e-1]}, model.width: {choice: [8, 16, 32]}}
  trials: 20
  batch: 4
  prune: {type: asha, first: 10}
"""
POPULATION = TINY_GPT.replace("steps: 6", "steps: 60").replace("every: 3", "every: 5") + """\
checkpoint: {every: 7}
sweep:
  search: {type: sobol}
  space: {optimizer.learning_rate: {log_uniform: [1e-4, 1e-1]}, optimizer.weight_decay: {uniform: [0, 0.2]}}
  trials: 12
  population: {every: 10}
"""
# Everything that a run is and found; not when, how long, and how often it was continued.
COLUMNS = "status, message, steps, digest, train/loss, first(train/loss), mean(train/loss), val/loss, min(val/loss)"


class SweepKills(ProgramTest):
    def table(self):
        listed = self.succeeds("ls", "results/tiny", "--json", "--columns", COLUMNS)
        return json.loads(listed.stdout)

    def check(self, text, kills):
        self.write("tiny.yaml", text)
        start = time.monotonic()
        self.succeeds("run", "tiny.yaml")
        seconds = time.monotonic() - start
        whole = self.table()
        draw = random.Random(SEED)
        for kill in range(kills):
            shutil.rmtree(self.folder / "results")
            for _ in range(draw.choice([1, 1, 2])):
                process = self.start("run", "tiny.yaml")
                try:
                    process.communicate(timeout=draw.uniform(0, seconds))
                except subprocess.TimeoutExpired:
                    process.kill()
                    process.communicate()
            self.succeeds("run", "tiny.yaml")
            self.assertEqual(self.table(), whole, f"kill {kill}")
            left = [file.name for file in (self.folder / "results/tiny").iterdir() if not file.name.endswith(".h5")]
            self.assertEqual(left, ["plan.yaml"])

    def test_a_grid_ends_with_the_same_table(self):
        self.check(SWEEP, KILLS)

    def test_a_search_that_prunes_ends_with_the_same_table(self):
        self.check(SEARCH, KILLS)

    def test_a_population_ends_with_the_same_table(self):
        self.check(POPULATION, KILLS)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--kills", type=int, default=KILLS)
    arguments, rest = parser.parse_known_args()
    KILLS = arguments.kills
    unittest.main(argv=sys.argv[:1] + rest)
