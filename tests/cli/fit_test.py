"""`assay fit`: a power law through the runs of a sweep."""
import json
import unittest

from program import TINY_GPT, ProgramTest


class Fit(ProgramTest):
    def setUp(self):
        super().setUp()
        self.write("sweep.yaml", TINY_GPT)
        self.succeeds("run", "sweep.yaml", "model.width=4,8,16,32", "seed=1,2", "--out", "runs")

    def test_gives_a_law_with_its_intervals(self):
        found = json.loads(self.succeeds("fit", "runs", "--no-floor", "--json").stdout)
        self.assertEqual((found["metric"], found["runs"], found["floor"]), ("val/loss", 8, None))
        exponent = found["terms"][0]["exponent"]
        self.assertLess(exponent["low"], exponent["value"])
        self.assertLess(exponent["value"], exponent["high"])
        text = self.succeeds("fit", "runs", "--no-floor", "--of", "parameters * 2").stdout
        self.assertRegex(text, r"exponent of parameters \* 2 +-?[\d.e-]+ +\[-?[\d.e-]+, -?[\d.e-]+\]")
        self.assertRegex(text, r"\nval/loss = [\d.e-]+ \(parameters \* 2\)\^-?[\d.e-]+\n8 runs, deviation ")

    def test_says_what_keeps_it_from_one(self):
        self.fails(2, "error: a power law of 3 numbers needs 4 points or more, got 2\n", "fit", "runs", "--filter",
                   "model.width == 8")
        self.fails(2, "did you mean", "fit", "runs", "--of", "parameter")


if __name__ == "__main__":
    unittest.main()
