"""Sweeps that decide as they go: the same trials whatever the number of jobs, found again after a kill, pruned at the
same steps, ended for the same reasons. And what they refuse."""
import json
import unittest

from program import TINY_GPT, ProgramTest

HEAD = TINY_GPT.replace("steps: 6", "steps: 12").replace("every: 3", "every: 2")
SEARCH = HEAD + """\
sweep:
  search: {type: tpe, startup: 4}
  space: {optimizer.learning_rate: {log_uniform: [1e-4, 1e-1]}, model.width: [8, 16, 32]}
  trials: 9
  batch: 4
  prune: {type: asha, first: 2}
"""
BRANIN = """\
name: branin
probe: {type: branin}
sweep:
  search: {type: random}
  space: {probe.x: {uniform: [-5, 10]}, probe.y: {uniform: [0, 15]}}
  trials: 12
  batch: 4
  metric: {name: regret}
"""
COLUMNS = "status, message, steps, digest, train/loss, mean(train/loss), val/loss"


class Search(ProgramTest):
    def rows(self, folder, columns=COLUMNS):
        return json.loads(self.succeeds("ls", folder, "--json", "--columns", columns).stdout)

    def nameless(self, folder):
        return [{key: value for key, value in row.items() if key != "run"} for row in self.rows(folder)]

    def test_jobs_and_threads_change_nothing(self):
        self.write("tiny.yaml", SEARCH)
        self.succeeds("run", "tiny.yaml", "--out", "a", "--jobs", "1", "--threads", "1")
        one = self.nameless("a")
        self.assertEqual({row["status"] for row in one}, {"done", "pruned"})
        for jobs in ("2", "8"):
            self.succeeds("run", "tiny.yaml", "--out", "b" + jobs, "--jobs", jobs, "--threads", "3")
            self.assertEqual(self.nameless("b" + jobs), one)

    def test_runs_in_processes_of_their_own_come_out_the_same(self):
        self.write("tiny.yaml", SEARCH)
        self.succeeds("run", "tiny.yaml", "--out", "together")
        self.succeeds("run", "tiny.yaml", "--out", "apart", "--isolate", "process", "--jobs", "2")
        self.assertEqual(self.nameless("apart"), self.nameless("together"))

    def test_a_rerun_of_the_folder_does_each_run_as_far_as_it_got(self):
        self.write("tiny.yaml", SEARCH)
        self.succeeds("run", "tiny.yaml")
        rows = self.rows("results/tiny")
        pruned = sum(row["status"] == "pruned" for row in rows)
        done = self.succeeds("rerun", "results/tiny")
        self.assertEqual(done.stdout, f"the same bits: {len(rows)} of {len(rows)} runs, {pruned} of them pruned where "
                                      "they were\n")
        self.assertEqual(self.nameless("results/tiny.rerun"), self.nameless("results/tiny"))
        self.fails(2, "results/tiny.rerun: is there already; choose another folder with -o, or --force to replace the "
                      "files in it\n", "rerun", "results/tiny/")
        self.succeeds("rerun", "results/tiny", "--force")

    def test_a_stop_by_the_clock_is_not_decided_again_by_a_rerun(self):
        self.write("clock.yaml", BRANIN.replace("trials: 12", "trials: 900").replace("  metric: ", "  stop: "
                                                "{after: 0.2s}\n  metric: "))
        self.succeeds("run", "clock.yaml", "--out", "clocked")
        rows = self.rows("clocked", "status")
        self.assertLess(len(rows), 900)
        self.assertIn(f"{len(rows)} of {len(rows)} runs; ended after {len(rows)} trials, as then: 0.2s have passed\n",
                      self.succeeds("rerun", "clocked").stdout)

    def test_resume_must_continues_a_search_and_begins_none(self):
        self.write("tiny.yaml", SEARCH)
        self.fails(2, ": there is no stopped run to continue (--resume must)\n", "run", "tiny.yaml", "--resume", "must")
        self.succeeds("run", "tiny.yaml")
        whole = self.rows("results/tiny")
        self.results()[0].unlink()
        self.succeeds("run", "tiny.yaml", "--resume", "must")
        self.assertEqual(self.rows("results/tiny"), whole)

    def test_the_same_command_repeats_nothing(self):
        self.write("tiny.yaml", SEARCH)
        self.succeeds("run", "tiny.yaml")
        before = {file: file.stat().st_mtime_ns for file in self.results()}
        again = self.succeeds("run", "tiny.yaml")
        self.assertEqual({file: file.stat().st_mtime_ns for file in self.results()}, before)
        self.assertIn("already pruned (2 steps)", again.stderr)
        self.assertNotIn("another plan", again.stderr)

    def test_more_trials_go_on_where_it_ended(self):
        self.write("branin.yaml", BRANIN)
        self.succeeds("run", "branin.yaml")
        first = set(self.results())
        more = self.succeeds("run", "branin.yaml", "sweep.trials=16")
        self.assertIn("branin: note: another plan than results/branin/plan.yaml: sweep.trials: 12 before, 16 now\n",
                      more.stderr)
        self.assertEqual(len(self.results()), 16)
        self.assertTrue(first < set(self.results()))

    def test_log_uniform_takes_values_and_stays_within_them(self):
        """D55: bounds are not exponents."""
        self.write("branin.yaml", BRANIN.replace("{uniform: [0, 15]}", "{log_uniform: [1e-5, 1e-1]}") +
                   "results: {pack: 256}\n")
        self.succeeds("run", "branin.yaml", "sweep.trials=200")
        values = sorted(row["probe.y"] for row in self.rows("results/branin", "probe.y"))
        self.assertEqual(len(values), 200)
        self.assertGreaterEqual(values[0], 1e-5)
        self.assertLessEqual(values[-1], 1e-1)
        self.assertLess(5e-4, values[100])
        self.assertLess(values[100], 2e-3)  # the median of 200 is within a factor of 2 of 1e-3 in all but 1 of 10^4

    def test_a_step_gives_multiples_and_settings_that_are_equal_are_run_once(self):
        self.write("branin.yaml", BRANIN.replace("{uniform: [-5, 10]}", "{uniform: [0, 1], step: 0.5}")
                   .replace("{uniform: [0, 15]}", "{choice: [1, 2]}"))
        self.succeeds("run", "branin.yaml", "sweep.trials=40")
        rows = self.rows("results/branin", "probe.x, probe.y")
        # 40 trials of 6 settings: those that came again are no runs.
        self.assertEqual(sorted((row["probe.x"], row["probe.y"]) for row in rows),
                         [(x, y) for x in (0, 0.5, 1) for y in (1, 2)])

    def test_it_ends_early_when_it_should(self):
        self.write("branin.yaml", BRANIN)
        for setting, why in (("sweep.stop={target: 1e6}", "after 4 of 12 trials: the target of 1000000 is reached"),
                             ("sweep.stop={runs: 8}", "after 8 of 12 trials: there are 8 runs"),
                             ("sweep.stop={after: 0s}", "after 4 of 12 trials: 0s have passed")):
            done = self.succeeds("run", "branin.yaml", setting, "--out", why)
            self.assertIn("branin: note: ends " + why + "\n", done.stderr)
            self.assertIn(why, self.succeeds("run", "branin.yaml", setting, "--out", why).stderr)

    def test_the_best_is_told(self):
        self.write("branin.yaml", BRANIN)
        done = self.succeeds("run", "branin.yaml")
        rows = self.rows("results/branin", "regret")
        self.assertIn(f"branin: note: best of 12 trials: regret {min(row['regret'] for row in rows):.6g}, ", done.stderr)

    def test_seeds_beside_a_search_are_averaged(self):
        self.write("branin.yaml", BRANIN.replace("{type: branin}", "{type: branin, noise: 1}"))
        done = self.succeeds("run", "branin.yaml", "seed=1,2,3", "sweep.metric.name=value", "sweep.trials=4")
        self.assertEqual(len(self.results()), 12)
        values = {}
        for row in self.rows("results/branin", "probe.x, value"):
            values.setdefault(row["probe.x"], []).append(row["value"])
        self.assertIn(f"value {min(sum(v) / 3 for v in values.values()):.6g}, ", done.stderr)

    def test_settings_that_do_not_go_together_are_told_and_are_no_run(self):
        self.write("tiny.yaml", HEAD + "sweep: {search: {type: sobol}, space: {model.heads: [1, 2, 3]}, trials: 6}\n")
        done = self.succeeds("run", "tiny.yaml")
        self.assertEqual(len(self.results()), 2)
        self.assertRegex(done.stderr, r"tiny: note: trial \d is not run, and counts as the worst: .*multiple")

    def test_a_trial_that_failed_can_be_tried_again(self):
        self.write("tiny.yaml", HEAD.replace("type: adamw", "type: sgd") +
                   "sweep: {search: {type: sobol}, space: {optimizer.learning_rate: {choice: [1e-3, 1e30]}}, trials: 4}\n")
        self.assertEqual(self.assay("run", "tiny.yaml").returncode, 4)
        again = self.assay("run", "tiny.yaml")
        self.assertEqual(again.returncode, 4)
        self.assertIn("failed before, left so", again.stderr)
        retried = self.assay("retry", "--failed", "results/tiny")
        self.assertEqual(retried.returncode, 1)
        self.assertNotIn("already complete", retried.stderr)
        self.assertIn("tiny: 2 runs: 1 done, 1 failed; chosen by a search of 4 trials\n",
                      self.succeeds("status", "results/tiny").stdout)

    def test_brackets_prune_some_early_and_train_some_whole(self):
        self.write("tiny.yaml", SEARCH.replace("{type: asha, first: 2}", "{type: hyperband, first: 2}"))
        self.succeeds("run", "tiny.yaml", "sweep.trials=12", "sweep.batch=12")
        steps = [row["steps"] for row in self.rows("results/tiny")]
        # Of 12 steps, from 2 on: brackets in proportion 9, 5 and 3, which become 6, 4 and 2 of 12 trials.
        self.assertEqual(len(steps), 12)
        self.assertTrue({2, 6, 12} <= set(steps), steps)
        self.assertGreaterEqual(steps.count(12), 4)

    def test_where_holds_of_its_trials(self):
        self.write("branin.yaml", BRANIN + "  where: probe.x > 2\n")
        done = self.succeeds("run", "branin.yaml")
        self.assertIn(" is not run, and counts as the worst: branin.yaml:9:10: probe.x > 2 does not hold\n", done.stderr)
        for row in self.rows("results/branin", "probe.x"):
            self.assertGreater(row["probe.x"], 2)

    def test_a_grid_can_be_pruned(self):
        self.write("tiny.yaml", HEAD + "sweep: {grid: {optimizer.learning_rate: {logspace: [1e-4, 1e-1], points: 6}}, "
                                       "prune: {type: median, every: 4, least: 2}}\n")
        done = self.succeeds("run", "tiny.yaml")
        self.assertRegex(done.stderr, r"pruned, 4 steps in .*: pruned by median after 4 of 12 steps, at val/loss \d")
        whole = [row for row in self.rows("results/tiny") if row["status"] == "done"]
        self.succeeds("run", "tiny.yaml", "sweep.prune=null", "--out", "unpruned")
        unpruned = {row["digest"] for row in self.rows("unpruned")}
        self.assertTrue(whole)
        for row in whole:
            self.assertIn(row["digest"], unpruned)

    def test_check_and_dry_run_show_the_first_batch(self):
        self.write("branin.yaml", BRANIN)
        self.assertIn("note: these are the first of 12 trials; later ones depend on how they do\n",
                      self.succeeds("run", "branin.yaml", "--dry-run").stdout)
        self.assertEqual(self.results(), [])

    def test_it_has_no_one_file(self):
        self.write("branin.yaml", BRANIN)
        self.fails(2, "error: -o one.h5: names the file of one run, but this experiment has several; use --out FOLDER\n",
                   "run", "branin.yaml", "-o", "one.h5")

    def test_mistakes_are_told_before_anything_runs(self):
        def refuses(message, sweep):
            self.write("x.yaml", "probe: {type: branin}\nsweep: " + sweep + "\n")
            self.fails(2, "error: x.yaml:" + message, "run", "x.yaml")

        refuses("2:17: sweep.space: missing beside a search; write space: {optimizer.learning_rate: {log_uniform: "
                "[1e-4, 1e-1]}}\n", "{search: {type: random}, trials: 3}")
        refuses("2:17: sweep.trials: missing beside a search; write trials: 40\n",
                "{search: {type: random}, space: {probe.x: [1, 2]}}")
        refuses("2:41: sweep.batch: of no use without search, prune or stop\n", "{grid: {probe.x: [1, 2]}, batch: 2}")
        space = "{search: {type: random}, trials: 3, space: {probe.x: SPACE}}"
        refuses("2:76: sweep.space.probe.x: log_uniform: wanted a number above 0, got 0; the ends are values, not "
                "exponents\n", space.replace("SPACE", "{log_uniform: [0, 1]}"))
        refuses("2:71: sweep.space.probe.x: uniform: the highest value, 1, is not above the lowest, 2\n",
                space.replace("SPACE", "{uniform: [2, 1]}"))
        refuses("2:61: sweep.space.probe.x: wanted a list of values, or a map with one of uniform, log_uniform or "
                "choice, got a map\n", space.replace("SPACE", "{normal: [2, 1]}"))
        refuses("2:24: no search 'rando'; did you mean 'random'? (searches: gp, random, sobol, tpe)\n",
                space.replace("random", "rando").replace("SPACE", "[1, 2]"))


if __name__ == "__main__":
    unittest.main()
