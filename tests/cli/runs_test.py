"""Runs from the command line to their result files: names, repetition, threads, signals."""
import json
import signal
import unittest

from program import TINY_GPT, ProgramTest


class Runs(ProgramTest):
    def setUp(self):
        super().setUp()
        self.write("tiny.yaml", TINY_GPT)

    def test_a_run_writes_one_file_and_prints_a_table_on_standard_output(self):
        done = self.succeeds("run", "tiny.yaml")
        self.assertEqual(len(self.results()), 1)
        self.assertEqual(self.results()[0].parent, self.folder / "results" / "tiny")
        self.assertRegex(done.stdout, r"^run +status +parameters +steps +val/loss")
        self.assertNotIn("\r", done.stderr)
        self.assertNotIn("\033", done.stdout + done.stderr)

    def test_show_json_is_one_object_of_the_documented_shape(self):
        self.succeeds("run", "tiny.yaml", "-o", "one.h5")
        shown = self.shown("one.h5")
        for key in ("name", "run", "status", "seed", "parameters", "steps", "digest", "metrics",
                    "environment", "plugins", "samples"):
            self.assertIn(key, shown)
        self.assertEqual((shown["name"], shown["status"], shown["seed"], shown["steps"]), ("tiny", "done", 1, 6))
        self.assertEqual(set(shown["metrics"]["val/loss"]), {"last", "min", "step_of_min"})
        self.assertRegex(shown["digest"], "^[0-9a-f]{64}$")

    def test_a_lower_instruction_set_can_be_forced_and_is_recorded(self):
        self.environment["ASSAY_KERNELS"] = "scalar"
        self.succeeds("run", "tiny.yaml", "-o", "one.h5")
        self.assertIn("SCALAR", json.dumps(self.shown("one.h5")["environment"]))
        self.environment["ASSAY_KERNELS"] = "fast"
        done = self.assay("run", "tiny.yaml", "--force")
        self.assertEqual(done.returncode, 2)
        self.assertIn("ASSAY_KERNELS: no kernels named 'fast' for this processor; there are: ", done.stderr)

    def test_show_draws_the_loss_in_plain_ascii_where_the_locale_is_c(self):
        self.succeeds("run", "tiny.yaml", "-o", "one.h5")
        self.environment["LC_ALL"] = "C"
        text = self.succeeds("show", "one.h5").stdout
        self.assertTrue(text.isascii())
        self.assertIn("o val/loss", text)

    def test_several_seeds_make_several_files_and_a_mean(self):
        done = self.succeeds("run", "tiny.yaml", "seed=1,2")
        self.assertEqual(len(self.results()), 2)
        self.assertEqual({self.shown(file)["seed"] for file in self.results()}, {1, 2})
        self.assertIn("mean over seeds", done.stdout)

    def test_a_mistake_in_all_runs_stops_them_early_and_says_so(self):
        seeds = ",".join(str(seed) for seed in range(1, 31))
        diverge = ["tiny.yaml", "optimizer.learning_rate=1e38", "--jobs", "1"]
        stopped = self.assay("run", *diverge, f"seed={seeds}")
        self.assertEqual(stopped.returncode, 1, stopped.stderr)
        self.assertRegex(stopped.stderr, r"8 runs in a row failed alike: .*; 22 of 30 runs were not started: the same "
                                         r"command starts them, --on-fail continue in any case")
        stopped = self.assay("run", *diverge, "seed=1,2,3", "--on-fail", "stop", "--out", "other")
        self.assertIn("a run failed; 2 of 3 runs were not started", stopped.stderr)
        self.assertNotIn("not started", self.assay("run", *diverge, f"seed={seeds}", "--on-fail", "continue").stderr)
        self.fails(2, "error: --on-fail: wanted continue, stop or stop-after=N with N from 1, got 'stop-after=0'\n",
                   "run", "tiny.yaml", "--on-fail", "stop-after=0")

    def test_the_same_thing_again_says_that_it_is_complete_and_changes_nothing(self):
        first = self.succeeds("run", "tiny.yaml")
        before = self.results()[0].read_bytes()
        again = self.succeeds("run", "tiny.yaml")
        self.assertIn("already complete", again.stderr)
        self.assertEqual(self.results()[0].read_bytes(), before)
        self.assertEqual(again.stdout, first.stdout)

    def test_force_does_it_anew_with_the_same_bits(self):
        self.succeeds("run", "tiny.yaml", "-o", "one.h5")
        before = self.shown("one.h5")
        done = self.succeeds("run", "tiny.yaml", "-o", "one.h5", "--force")
        self.assertNotIn("already complete", done.stderr)
        after = self.shown("one.h5")
        self.assertEqual(after["digest"], before["digest"])
        self.assertEqual(after["metrics"], before["metrics"])

    def test_the_number_of_threads_changes_no_bit(self):
        outcomes = []
        for threads in (1, 2, 4):
            self.succeeds("run", "tiny.yaml", "-o", f"{threads}.h5", "--threads", threads)
            shown = self.shown(f"{threads}.h5")
            outcomes.append((shown["digest"], json.dumps(shown["metrics"])))
        self.assertEqual(len(set(outcomes)), 1, outcomes)

    def test_neighbours_and_jobs_change_no_bit(self):
        digests = set()
        for jobs in (1, 3):
            self.succeeds("run", "tiny.yaml", "seed=1,2,3", "--out", f"jobs{jobs}", "--jobs", jobs, "--threads", 2)
            digests.add(tuple(sorted(self.shown(file)["digest"] for file in self.results(f"jobs{jobs}"))))
        self.assertEqual(len(digests), 1)
        self.assertEqual(len(set(next(iter(digests)))), 3)

    def test_check_writes_nothing_and_tells_the_cost(self):
        done = self.succeeds("check", "tiny.yaml")
        self.assertEqual(self.results(), [])
        # 45 characters or fewer: token and head K x 16, the rest fixed; the configuration is printed whole.
        self.assertRegex(done.stdout, r"parameters +[\d,]+\n")
        self.assertRegex(done.stdout, r"work per step +[\d.e-]+ GFLOP")
        self.assertIn("    type: adamw\n", done.stdout)
        self.assertTrue(done.stdout.endswith("1 run, no problems\n"))

    def test_what_check_counts_is_what_a_run_trains(self):
        checked = self.succeeds("check", "tiny.yaml").stdout
        self.succeeds("run", "tiny.yaml", "-o", "one.h5")
        self.assertIn(f"{self.shown('one.h5')['parameters']:,}", checked)

    def test_a_sweep_multiplies_its_list_and_its_grid(self):
        self.write("sweep.yaml", TINY_GPT.replace("seed: 1\n", "") +
                   "sweep:\n  list: [{model: {layers: 1}}, {model: {layers: 2}}]\n  grid: {seed: [1, 2]}\n")
        self.succeeds("run", "sweep.yaml")
        self.assertEqual(len(self.results()), 4)


class Signals(ProgramTest):
    def setUp(self):
        super().setUp()
        # Long enough not to end by itself before the signal, evaluated often so that a line comes soon.
        self.write("long.yaml", TINY_GPT.replace("steps: 6", "steps: 400000").replace("every: 3", "every: 50"))

    def interrupted(self, *words, number=signal.SIGINT):
        process = self.start("run", "long.yaml", *words)
        for line in process.stderr:
            if "step 50/" in line:
                break
        process.send_signal(number)
        out, err = process.communicate(timeout=60)
        return process.returncode, out, err

    def test_ctrl_c_leaves_a_file_that_can_be_read_and_continued(self):
        code, out, _ = self.interrupted("-o", "long.h5")
        self.assertEqual(code, 75)
        self.assertIn("stopped", out)
        first = self.shown("long.h5")
        self.assertEqual(first["status"], "stopped")
        self.assertGreaterEqual(first["steps"], 50)
        code, _, _ = self.interrupted_later("long.h5", first["steps"])
        self.assertEqual(code, 75)
        second = self.shown("long.h5")
        self.assertGreater(second["steps"], first["steps"])

    def interrupted_later(self, file, before):
        process = self.start("run", "long.yaml", "-o", file)
        for line in process.stderr:
            if "step " in line and int(line.split("step ")[1].split("/")[0]) > before:
                break
        process.send_signal(signal.SIGTERM)
        out, err = process.communicate(timeout=60)
        return process.returncode, out, err

    def test_a_stopped_run_that_continues_has_the_bits_of_one_that_was_not(self):
        config = TINY_GPT.replace("steps: 6", "steps: 3000").replace("every: 3", "every: 50")
        self.write("long.yaml", config)
        code, _, _ = self.interrupted("-o", "parts.h5")
        self.assertEqual(code, 75)
        self.assertLess(self.shown("parts.h5")["steps"], 3000)
        self.succeeds("run", "long.yaml", "-o", "parts.h5")
        self.succeeds("run", "long.yaml", "-o", "whole.h5")
        parts, whole = self.shown("parts.h5"), self.shown("whole.h5")
        self.assertEqual((parts["status"], parts["steps"]), ("done", 3000))
        self.assertEqual(parts["digest"], whole["digest"])
        self.assertEqual(parts["metrics"], whole["metrics"])


if __name__ == "__main__":
    unittest.main()
