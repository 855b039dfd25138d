"""The page of `assay compare --html`: one file, no network, and in a browser without a complaint."""
import html
import json
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
        for title in ("Groups", "Differences of val/loss, against A", "Configuration: what differs", "Runs", "Samples", "Configurations"):
            self.assertIn(f"<h2>{title}</h2>", self.page)

    def in_browser(self, page):
        """The document in headless Chromium once its scripts have run, and what the console says."""
        browser = shutil.which("chromium")
        if not browser:
            self.skipTest("no chromium (Debian: chromium)")
        done = subprocess.run(
            [browser, "--headless", "--no-sandbox", "--disable-gpu", "--enable-logging=stderr",
             f"--user-data-dir={self.folder}/browser", "--virtual-time-budget=2000", "--dump-dom",
             (self.folder / page).as_uri()],
            env={**self.environment}, capture_output=True, encoding="utf-8", timeout=120)
        return done.stdout, [line for line in done.stderr.splitlines() if "CONSOLE" in line]

    def test_draws_its_curves_in_a_browser_without_a_complaint(self):
        document, complaints = self.in_browser("report.html")
        self.assertEqual(complaints, [])
        self.assertEqual(len(re.findall(r'<path d="M', document)), 4)

    def test_on_a_phone_nothing_is_wider_than_the_screen_and_everything_answers(self):
        frame = f'<iframe id="phone" width="375" height="800" srcdoc="{html.escape(self.page)}"></iframe>'
        self.write("phone.html", frame + PHONE)
        document, complaints = self.in_browser("phone.html")
        self.assertEqual(complaints, [])
        found = json.loads(html.unescape(re.search(r"<title>(.*?)</title>", document, re.S).group(1)))
        self.assertLessEqual(found.pop("wide"), 375)
        self.assertRegex(found.pop("read"), r"^step 3(?:[AB] .*?[0-9.]+){4}$")
        self.assertEqual(found, {"drawn": 4, "log": 4, "raw": 4, "one_off": 3, "none": 0, "all": 4, "left": ""})


# Uses the page in the frame as fingers would, and puts what it sees into the title.
PHONE = """<script>
const frame = document.getElementById("phone");
frame.onload = () => {
  const page = frame.contentDocument, get = id => page.getElementById(id), plot = get("plot");
  const curves = kind => page.querySelectorAll("path." + kind).length, found = {};
  const set = (id, change) => { change(get(id)); get(id).dispatchEvent(new Event("input")); };
  found.drawn = curves("curve");
  found.wide = page.documentElement.scrollWidth;
  const box = plot.getBoundingClientRect();
  plot.dispatchEvent(new PointerEvent("pointermove", {clientX: box.left + 56 + (box.width - 68) / 2, clientY: box.top + 60}));
  found.read = get("read").textContent;
  plot.dispatchEvent(new PointerEvent("pointerleave"));
  found.left = get("read").textContent;
  set("log", box => box.checked = true);
  found.log = curves("curve");
  set("smooth", range => range.value = 90);
  found.raw = curves("raw");
  page.querySelector("#legend button:not([id])").click();
  found.one_off = curves("curve");
  get("none").click();
  found.none = curves("curve");
  get("all").click();
  found.all = curves("curve");
  document.title = JSON.stringify(found);
};
</script>
"""


if __name__ == "__main__":
    unittest.main()
