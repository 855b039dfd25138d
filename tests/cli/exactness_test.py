"""What a resume or a rerun to the same bits depends on is compared first, and what differs is named."""
import hashlib
import pathlib
import subprocess
import unittest

import h5py
import numpy as np

from program import BUILD, TINY_GPT, ProgramTest
from result_tables import table

EXPERIMENT = TINY_GPT + "checkpoint: {every: 2}\n"


def sealed(image, layout):
    """An HDF5 image as a result file (results/README.md), without a summary."""
    trailer = bytes.fromhex("8a6173736179" "0d0a") + layout + len(image).to_bytes(8, "little")
    return image + trailer + hashlib.sha256(image + trailer).digest()


class Exactness(ProgramTest):
    def setUp(self):
        super().setUp()
        self.write("tiny.yaml", EXPERIMENT)

    def stopped(self, *settings):
        self.write("tiny.yaml", EXPERIMENT + "".join(settings))
        done = subprocess.run([BUILD / "bin/interrupted_run", "run", "tiny.yaml", "part.h5", "2", "stop", "5"],
                              cwd=self.folder, env=self.environment, capture_output=True, encoding="utf-8")
        self.assertEqual(done.returncode, 75, done.stderr)

    def forge(self, name, **facts):
        """Says of a file that its run had another environment."""
        file = self.folder / name
        raw = file.read_bytes()
        image = self.folder / "image.h5"
        image.write_bytes(raw[:int.from_bytes(raw[-40:-32], "little")])
        rows = [(key, facts.get(key.replace(" ", "_"), value)) for key, value in table(file, "environment")]
        cells = [cell.encode() for row in rows for cell in row]
        with h5py.File(image, "r+", libver="latest") as f:
            before = dict(table(file, "environment"))
            del f["environment/bytes"], f["environment/ends"]
            f.create_dataset("environment/bytes", data=np.frombuffer(b"".join(cells), "u1"))
            ends = np.cumsum([len(cell) for cell in cells]).reshape(-1, 2)
            f.create_dataset("environment/ends", data=ends.astype("<i8"))
        file.write_bytes(sealed(image.read_bytes(), raw[-48:-40]))
        return before

    OTHER = {"build": "0123456789abcdef", "matrix_library": "oneDNN 2.6.0 (1234567)",
             "thread_library": "oneTBB 2021.5.0", "C_library": "glibc 2.31", "caches": "L2 1 KiB",
             "kernels": "SSE4, oneDNN sse41"}

    def differences(self, now):
        names = ("matrix library", "thread library", "C library", "caches", "kernels")
        lines = [f"  {name}: {self.OTHER[name.replace(' ', '_')]} then, {now[name]} now\n" for name in names]
        return "".join(lines) + f"  build: 0123456789ab then, {now['build'][:12]} now\n"

    def test_the_build_recorded_is_that_of_the_library(self):
        self.succeeds("run", "tiny.yaml", "-o", "one.h5")
        notes = subprocess.run(["readelf", "-n", BUILD / "lib/libassay.so"], capture_output=True, text=True,
                               check=True).stdout
        self.assertIn(f"Build ID: {self.shown('one.h5')['environment']['build']}\n", notes)

    def test_a_resume_elsewhere_is_refused_with_every_difference(self):
        self.stopped()
        now = self.forge("part.h5", **self.OTHER)
        self.fails(5, "error: part.h5: cannot be continued to the same bits:\n" + self.differences(now) +
                   "--inexact continues all the same and records that; `assay run --force` begins anew\n",
                   "resume", "part.h5")
        self.succeeds("resume", "part.h5", "--inexact")
        history = [what for _, what in table(self.folder / "part.h5", "history")]
        self.assertTrue(history[-1].startswith("continued with "), history)
        self.assertIn(f"inexact: matrix library: oneDNN 2.6.0 (1234567) then, {now['matrix library']} now; ",
                      history[-1])

    def test_a_rerun_elsewhere_is_refused_with_every_difference(self):
        self.succeeds("run", "tiny.yaml", "-o", "one.h5")
        now = self.forge("one.h5", **self.OTHER)
        self.fails(5, "error: one.h5: not what it was run with:\n" + self.differences(now) +
                   "--inexact runs it all the same\n", "rerun", "one.h5")
        self.assertIn("the same bits: ", self.succeeds("rerun", "one.h5", "--inexact").stdout)

    def test_the_processors_name_and_the_threads_are_recorded_and_no_reason(self):
        self.stopped()
        self.forge("part.h5", processor="Another of the same class", threads="64")
        self.assertIn("continues after step 5", self.succeeds("resume", "part.h5").stderr)

    def test_another_best_metric_is_refused_and_the_one_before_continues(self):
        self.stopped()
        before = (self.folder / "part.h5").read_bytes()
        for words in (("resume", "part.h5"), ("run", "tiny.yaml", "-o", "part.h5")):
            done = self.assay(*words, "checkpoint.best=val/other")
            self.assertEqual(done.returncode, 2)
            self.assertIn("part.h5: checkpoint.best is val/other now, and was val/loss: the weights that were best by "
                          "val/other so far are not kept; continue with checkpoint.best=val/loss, or begin anew with "
                          "`assay run --force`", done.stderr)
            self.assertEqual((self.folder / "part.h5").read_bytes(), before)
        self.succeeds("resume", "part.h5", "checkpoint.best=val/loss")


class Trajectory(ProgramTest):
    """Two runs that part: with the kernels of another instruction set, from the first update on."""

    def setUp(self):
        super().setUp()
        self.write("tiny.yaml", EXPERIMENT)
        self.succeeds("run", "tiny.yaml", "digest.every=1", "-o", "one.h5")
        self.environment["ASSAY_KERNELS"] = "scalar"
        self.succeeds("run", "tiny.yaml", "digest.every=2", "-o", "other.h5")
        del self.environment["ASSAY_KERNELS"]

    PART = (r"weights part at step 2: [a-z0-9/_]+ is the first of \d+ parameters \(of \d+\) that differ; "
            r"the same at step 0\n")

    def test_diff_and_compare_name_the_first_step_and_parameter(self):
        self.assertRegex(self.succeeds("diff", "one.h5", "other.h5").stdout, self.PART)
        self.assertRegex(self.succeeds("compare", "one.h5", "other.h5").stdout,
                         r"\nmetrics part at step \d: [a-z/_]+\n" + self.PART + "$")

    def test_how_often_weights_are_hashed_is_no_part_of_a_runs_identity_and_changes_no_number(self):
        self.succeeds("run", "tiny.yaml", "-o", "two.h5")
        self.assertEqual(self.shown("one.h5")["digest"], self.shown("two.h5")["digest"])
        self.assertIn("already complete", self.succeeds("run", "tiny.yaml", "-o", "one.h5").stderr)
        self.assertIn("weights: the same wherever both noted them, up to step 6\n",
                      self.succeeds("diff", "one.h5", "two.h5").stdout)


class ManyRuns(ProgramTest):
    """CASES.md D53."""

    def test_neither_jobs_nor_threads_nor_openmps_setting_change_a_bit(self):
        self.write("tiny.yaml", TINY_GPT)
        self.environment["OMP_NUM_THREADS"] = "5"
        digests = set()
        for jobs, threads in ((1, 1), (2, 1), (4, 2), (2, 2)):
            self.succeeds("run", "tiny.yaml", "seed=1,2,3,4", "--out", "it", "--force", "--jobs", jobs, "--threads",
                          threads)
            digests.add(tuple(self.shown(file)["digest"] for file in self.results("it")))
        self.assertEqual(len(digests), 1)
        self.assertEqual(len(set(next(iter(digests)))), 4)

    def test_no_more_threads_run_than_the_pool_has(self):
        self.write("tiny.yaml", TINY_GPT.replace("steps: 6", "steps: 100000"))
        self.environment["OMP_NUM_THREADS"] = "5"
        process = self.start("run", "tiny.yaml", "seed=1,2,3,4", "--threads", 2, "--jobs", 4)
        while not any(self.results()):  # files are there once the runs train
            self.assertIsNone(process.poll())
        status = pathlib.Path(f"/proc/{process.pid}/status").read_text()
        process.kill()
        process.wait()
        self.assertIn("Threads:\t2\n", status)


if __name__ == "__main__":
    unittest.main()
