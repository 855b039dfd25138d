"""The page of `assay compare --html`: one file, no network, and in a browser without a complaint."""
import json
import pathlib
import re
import shutil
import subprocess
import unittest

from program import TINY_GPT, ProgramTest


class Report(ProgramTest):
    def setUp(self):
        super().setUp()
        config = TINY_GPT + "samples: {prompt: \"a\", length: 20}\n"
        self.write("tiny.yaml", config.replace("name: tiny", "name: \"</script><b>&\""))
        self.succeeds("run", "tiny.yaml", "seed=1,2", "model.layers=1,2", "--out", "runs")
        self.succeeds("compare", "runs", "--html", "report.html")
        self.page = (self.folder / "report.html").read_text(encoding="utf-8")

    def test_names_nothing_outside_itself(self):
        self.assertEqual(re.findall(r"""(?:src|href)\s*=|url\(|@import|fetch\(""", self.page), [])
        self.assertEqual(set(re.findall(r"https?://[^\"]*", self.page)), {"http://www.w3.org/2000/svg"})

    def test_holds_the_curves_and_no_markup_of_the_user(self):
        data = re.search(r'<script type="application/json" id="data">(.*?)</script>', self.page, re.S)
        runs = json.loads(data.group(1))
        self.assertEqual(len(runs), 4)
        self.assertEqual(runs[0]["curves"]["val/loss"]["s"], [0, 3, 6])
        self.assertNotIn("<b>&", self.page)
        self.assertEqual(self.page.count("</script>"), 2)
        for title in ("Groups", "Differences of val/loss, against A", "Runs", "Samples", "Configurations"):
            self.assertIn(f"<h2>{title}</h2>", self.page)

    def test_draws_its_curves_in_a_browser_without_a_complaint(self):
        browser = shutil.which("chromium")
        if not browser:
            self.skipTest("no chromium (Debian: chromium)")
        done = subprocess.run(
            [browser, "--headless", "--no-sandbox", "--disable-gpu", "--enable-logging=stderr",
             f"--user-data-dir={self.folder}/browser", "--virtual-time-budget=2000", "--dump-dom",
             pathlib.Path(self.folder / "report.html").as_uri()],
            env={**self.environment}, capture_output=True, encoding="utf-8", timeout=120)
        complaints = [line for line in done.stderr.splitlines() if "CONSOLE" in line]
        self.assertEqual(complaints, [])
        self.assertEqual(len(re.findall(r'<path d="M', done.stdout)), 4)


if __name__ == "__main__":
    unittest.main()
