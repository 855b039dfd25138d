"""Searches on problems whose answer is known, or whose budget is: TPE and the Gaussian process end nearer to the least
value of Branin's function than random search in as many trials, and successive halving finds better runs than random
search in as many steps.

Over 20 seeds: ASSAY=build/release/bin/assay ASSAY_BUILD=build/release python3 tests/cli/search_reference_test.py \\
  --seeds 20"""
import argparse
import json
import pathlib
import statistics
import sys
import unittest

from program import ProgramTest

EXPERIMENTS = pathlib.Path(__file__).resolve().parents[2] / "experiments/search"
SEEDS = 3
# Two-sided 95% quantiles of Student's t by degrees of freedom.
T = {2: 4.303, 9: 2.262, 19: 2.093}


class Reference(ProgramTest):
    def runs(self, metric, experiment, *settings):
        self.succeeds("run", EXPERIMENTS / f"{experiment}.yaml", *settings, "--out", "out", "--force")
        listed = json.loads(self.succeeds("ls", "out", "--json", "--columns", f"steps, status, {metric}").stdout)
        for file in (self.folder / "out").iterdir():
            file.unlink()
        return listed

    def compare(self, what, gains):
        mean, error = statistics.mean(gains), statistics.stdev(gains) / len(gains) ** 0.5
        half = T[len(gains) - 1] * error
        print(f"{what}: better by {mean:.4f}, 95% interval {mean - half:.4f} to {mean + half:.4f}, {len(gains)} seeds")
        return mean - half

    def least(self, metric, *words):
        return min(run[metric] for run in self.runs(metric, *words) if run["status"] == "done")

    def test_searches_that_learn(self):
        seeds = range(1, SEEDS + 1)
        found = {search: [self.least("regret", "branin", f"seed={seed}", f"sweep.search={{type: {search}}}")
                          for seed in seeds] for search in ("random", "tpe", "gp")}
        for search in ("tpe", "gp"):
            low = self.compare(f"branin, {search} against random",
                               [a - b for a, b in zip(found["random"], found[search])])
            if SEEDS >= 20:
                self.assertGreater(low, 0)

    def test_successive_halving(self):
        gains = []
        for seed in range(1, SEEDS + 1):
            halved = self.runs("val/loss", "rates", f"seed={seed}")
            whole = self.runs("val/loss", "rates", f"seed={seed}", "~sweep.prune", "sweep.trials=3", "sweep.batch=3")
            budget = sum(run["steps"] for run in whole)
            self.assertLessEqual(sum(run["steps"] for run in halved), budget)
            gains.append(min(run["val/loss"] for run in whole if run["status"] == "done") -
                         min(run["val/loss"] for run in halved if run["status"] == "done"))
        low = self.compare("rates, asha against random in as many steps", gains)
        if SEEDS >= 20:
            self.assertGreater(low, 0)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--seeds", type=int, choices=[3, 10, 20], default=SEEDS)
    arguments, rest = parser.parse_known_args()
    SEEDS = arguments.seeds
    unittest.main(argv=sys.argv[:1] + rest)
