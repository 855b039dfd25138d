"""Sweeps as wholes: what they are is settled before the first run, finished runs are never repeated (D24), failed ones
are left until asked for (D25), and status says how far they are."""
import json
import re
import unittest

from program import TINY_GPT, ProgramTest

HEADS = TINY_GPT.replace("steps: 6", "steps: 2").replace("every: 3", "every: 2")


class Sweeps(ProgramTest):
    def setUp(self):
        super().setUp()
        self.write("tiny.yaml", HEADS + "sweep: {grid: {model.width: [16, 32], seed: [1, 2]}}\n")

    def lines(self, done, word):
        return [line for line in done.stderr.splitlines() if word in line]

    def plan(self, folder="results/tiny"):
        return (self.folder / folder / "plan.yaml").read_text()

    def test_the_plan_stands_in_the_folder(self):
        self.succeeds("run", "tiny.yaml")
        documents = self.plan().split("\n---\n")
        self.assertEqual(len(documents), 5)
        self.assertIn(f'experiment: "{self.folder}/tiny.yaml"', documents[0])
        names = sorted(file.stem for file in self.results())
        self.assertEqual(sorted(document.splitlines()[0].removeprefix("run: ").strip('"') for document in documents[1:]), names)

    def test_what_is_missing_is_run_and_nothing_twice(self):
        """D24: 12 combinations, of which 5 are done, then one more learning rate."""
        self.write("nested.yaml", HEADS + "sweep: {grid: {optimizer.learning_rate: [0.1, 0.2], model.width: [8, 16, 32], "
                                          "tokenizer.type: [char, word]}}\n")
        self.succeeds("run", "nested.yaml", "--out", "a", "--jobs", "3")
        names = {file.name for file in self.results("a")}
        self.assertEqual(len(names), 12)
        for file in self.results("a")[5:]:
            file.unlink()
        again = self.succeeds("run", "nested.yaml", "--out", "a", "--jobs", "1")
        self.assertEqual(len(self.lines(again, "already complete")), 5)
        self.assertEqual({file.name for file in self.results("a")}, names)
        more = self.succeeds("run", "nested.yaml", "optimizer.learning_rate=0.1,0.2,0.3", "--out", "a")
        self.assertEqual(len(self.lines(more, "already complete")), 12)
        self.assertEqual(len(self.results("a")), 18)

    def test_stopped_failed_and_killed_runs_are_each_treated_as_they_should(self):
        """D24 as it stands: of 12 combinations 5 are done, one has failed, one is killed half-way; then a rate more."""
        self.write("nested.yaml", HEADS.replace("steps: 2", "steps: 400").replace("type: adamw", "type: sgd") +
                   "checkpoint: {every: 5}\nsweep: {grid: {optimizer.learning_rate: [1e-3, 1e30], model.width: [8, 16, 32], "
                   "tokenizer.type: [char, word]}}\n")
        self.assay("run", "nested.yaml", "--out", "whole", "--jobs", "3")
        digests = {file.name: self.shown(file)["digest"] for file in self.results("whole")}
        self.assertEqual(len(digests), 12)
        self.assay("run", "nested.yaml", "--out", "a", "optimizer.learning_rate=1e30", "model.width=8",
                   "tokenizer.type=char")
        failed = self.results("a")
        self.assertEqual([self.shown(file)["status"] for file in failed], ["failed"])
        process = self.start("run", "nested.yaml", "--out", "a", "--jobs", "1", "--progress", "json")
        finished = 0
        for line in process.stderr:
            event = json.loads(line) if line.startswith("{") else {"event": ""}
            finished += event["event"] == "finished"
            if finished == 5 and event["event"] == "started":
                break
        while process.poll() is None and not list((self.folder / "a").glob("*.ckpt-*")):
            pass
        process.kill()
        process.communicate()
        done = {file: file.stat().st_mtime_ns for file in self.results("a")
                if ".ckpt-" not in file.name and self.shown(file)["status"] == "done"}
        self.assertEqual(len(done), 5)
        again = self.assay("run", "nested.yaml", "--out", "a", "--jobs", "2")
        self.assertEqual(len(self.lines(again, "already complete")), 5)
        self.assertEqual(len(self.lines(again, "failed before, left so")), 1)
        self.assertEqual(len(self.lines(again, "continues after step")), 1)
        self.assertEqual({file: file.stat().st_mtime_ns for file in done}, done)
        self.assertEqual(sorted(self.shown(file)["digest"] for file in self.results("a")), sorted(digests.values()))
        more = self.assay("run", "nested.yaml", "optimizer.learning_rate=1e-3,1e30,2e-3", "--out", "a")
        self.assertEqual(len(self.lines(more, "already complete")), 6)
        self.assertEqual(len(self.lines(more, "failed before, left so")), 6)
        self.assertEqual(len(self.results("a")), 18)

    def test_an_axis_that_is_empty_or_says_a_value_twice_is_refused(self):
        """D24."""
        self.write("axes.yaml", HEADS + "sweep: {grid: {optimizer.learning_rate: [0.1, 0.1]}}\n")
        self.fails(2, "sweep.grid.optimizer.learning_rate: ", "run", "axes.yaml")
        self.write("axes.yaml", HEADS + "sweep: {grid: {optimizer.learning_rate: []}}\n")
        self.fails(2, "sweep.grid.optimizer.learning_rate: ", "run", "axes.yaml")

    def test_one_run_has_no_plan(self):
        self.succeeds("run", "tiny.yaml", "~sweep")
        self.assertFalse((self.folder / "results/tiny/plan.yaml").exists())

    def test_a_changed_sweep_says_how_and_runs_only_what_is_new(self):
        self.succeeds("run", "tiny.yaml")
        files = {file: file.stat().st_mtime_ns for file in self.results()}
        again = self.succeeds("run", "tiny.yaml")
        self.assertEqual(len(self.lines(again, "already complete")), 4)
        self.assertNotIn("another plan", again.stderr)
        self.write("tiny.yaml", HEADS + "sweep: {grid: {model.width: [16, 48], seed: [1, 2]}}\n")
        changed = self.succeeds("run", "tiny.yaml")
        start = "tiny: note: another plan than results/tiny/plan.yaml: "
        self.assertEqual(self.lines(changed, "another plan"),
                         [start + "model.width: 16 and 32 before, 16 and 48 now", start + "2 runs are new",
                          start + "2 runs are no longer part of it; what they found stays"])
        self.assertEqual(len(self.lines(changed, "already complete")), 2)
        self.assertEqual(len(self.results()), 6)
        for file, time in files.items():
            self.assertEqual(file.stat().st_mtime_ns, time)

    def test_equal_runs_are_run_once(self):
        self.write("twice.yaml", HEADS + "sweep: {list: [{model.width: 16}, {model: {width: 16}}, {model.width: 32}]}\n")
        self.succeeds("run", "twice.yaml", "name=twice")
        self.assertEqual(len(self.results("results/twice")), 2)

    def test_status_says_how_far_it_is(self):
        self.succeeds("run", "tiny.yaml")
        self.results()[0].unlink()
        said = self.succeeds("status", "results/tiny").stdout
        self.assertIn("tiny: 4 runs: 3 done, 1 waiting\n", said)
        self.assertIn("assay retry results/tiny  does all that are not complete, as planned\n", said)
        self.assertEqual(json.loads(self.succeeds("status", "results/tiny", "--json").stdout)["counts"],
                         {"done": 3, "waiting": 1})

    def test_status_wants_a_sweep(self):
        (self.folder / "empty").mkdir()
        self.fails(2, "error: empty: has no plan.yaml: it is not the folder of a sweep; `assay ls empty` lists the runs "
                      "of any folder\n", "status", "empty")

    def test_retry_runs_the_plan_whatever_the_file_says_by_now(self):
        self.succeeds("run", "tiny.yaml")
        gone = self.results()[0]
        digest = self.shown(gone)["digest"]
        gone.unlink()
        self.write("tiny.yaml", "name: something else\n")
        self.succeeds("retry", "results/tiny")
        self.assertEqual(self.shown(gone)["digest"], digest)
        self.assertEqual(self.succeeds("retry", "results/tiny").stdout,
                         "results/tiny: nothing to do: every run is complete\n")

    def test_a_damaged_plan_is_said_to_be(self):
        self.succeeds("run", "tiny.yaml")
        (self.folder / "results/tiny/plan.yaml").write_text("experiment: x\n")
        self.fails(5, "error: results/tiny/plan.yaml: results/tiny/plan.yaml:1:1: is no plan that assay wrote: it does "
                      "not say its name; remove it to begin a new one\n", "run", "tiny.yaml")


    def test_many_runs_are_asked_about(self):
        self.write("many.yaml", "probe: {type: branin}\nsweep: {grid: {probe.x: {linspace: [0, 10], points: 1001}}}\n"
                                "results: {pack: 4096}\n")
        self.fails(2, "error: these are 1,001 runs: --yes runs more than 1,000 without asking, --dry-run says what they "
                      "cost\n", "run", "many.yaml")
        self.assertEqual(self.results(), [])
        self.assertFalse((self.folder / "results/many/plan.yaml").exists())
        self.succeeds("run", "many.yaml", "-y")
        self.assertIn("many: 1,001 runs: 1,001 done\n", self.succeeds("status", "results/many").stdout)

    def test_progress_for_programs_is_an_object_a_line(self):
        events = [json.loads(line) for line in
                  self.succeeds("run", "tiny.yaml", "--progress", "json").stderr.splitlines() if line.startswith("{")]
        self.assertEqual(events[0], {"event": "planned", "runs": 4, "steps": 8})
        finished = [event for event in events if event["event"] == "finished"]
        self.assertEqual({event["status"] for event in finished}, {"done"})
        self.assertEqual(sorted(event["file"] for event in finished),
                         sorted(str(file.relative_to(self.folder)) for file in self.results()))
        self.assertEqual({type(event["val/loss"]) for event in finished}, {float})

    def test_a_run_that_needs_more_memory_than_there_is_is_refused_before_any_runs(self):
        done = self.assay("run", "tiny.yaml", "--memory", "0.01MB")
        self.assertEqual(done.returncode, 2)
        self.assertRegex(done.stderr, r"error: width=16_seed=1_\w+: needs about \S+ GB of memory, and there are 1e-05: ")
        self.assertEqual(self.results(), [])
        self.succeeds("run", "tiny.yaml", "--memory", "1GB")
        self.fails(2, "error: --memory: wanted a size such as 800MB or 16GB, got '1'\n",
                   "run", "tiny.yaml", "--memory", "1")


    def test_runs_wait_until_their_memory_fits(self):
        command = ("run", "tiny.yaml", "model.width=32", "seed=1,2,3,4", "--jobs", "3")
        need = float(re.search(r"needs about (\S+) GB", self.assay(*command, "--memory", "0.01MB").stderr)[1])
        done = self.succeeds(*command, "--memory", f"{1500 * need}MB", "--progress", "json")
        events = [json.loads(line)["event"] for line in done.stderr.splitlines() if line.startswith("{")]
        self.assertEqual([event for event in events if event in ("started", "finished")], ["started", "finished"] * 4)


class Failures(ProgramTest):
    """A run that diverges: an infinite learning rate cannot be written, a huge one can."""

    def setUp(self):
        super().setUp()
        self.write("tiny.yaml", HEADS.replace("type: adamw", "type: sgd") +
                   "sweep: {grid: {optimizer.learning_rate: [1e-3, 1e30, 1e-2]}}\n")
        self.first = self.assay("run", "tiny.yaml", "--jobs", "2")

    def failed_file(self):
        return next(file for file in self.results() if "1e30" in file.name)

    def test_the_others_go_on_and_the_exit_code_says_some_failed(self):
        self.assertEqual(self.first.returncode, 4, self.first.stderr)
        self.assertEqual(len(self.results()), 3)
        self.assertEqual(self.shown(self.failed_file())["status"], "failed")

    def test_it_is_told_as_it_happens_and_compared_as_failed(self):
        """D25: the message in its own file, on stderr among the lines of the others, and in `compare`."""
        message = self.shown(self.failed_file())["message"]
        self.assertIn("step 1: ", message)
        told = [line for line in self.first.stderr.splitlines() if message in line]
        self.assertEqual(len(told), 1, self.first.stderr)
        self.assertIn("1e30", told[0])
        self.assertIn(": failed", told[0])
        self.assertRegex(self.assay("compare", "results/tiny").stdout, r"1e30\S* .*failed")

    def test_what_a_check_can_find_is_told_before_any_runs(self):
        """D25: 3 heads do not divide a width of 8."""
        self.write("heads.yaml", HEADS.replace("width: 16, heads: 2", "width: 8") +
                   "sweep: {grid: {model.heads: [2, 3, 4]}}\n")
        self.fails(2, "width must be a multiple of heads", "run", "heads.yaml", "--out", "heads", "--jobs", "2")
        self.assertEqual(self.results("heads"), [])

    def test_a_failed_run_is_left_so_until_it_is_asked_for(self):
        before = self.failed_file().stat().st_mtime_ns
        again = self.assay("run", "tiny.yaml")
        self.assertEqual(again.returncode, 4)
        self.assertIn(": failed before, left so", again.stderr)
        self.assertEqual(self.failed_file().stat().st_mtime_ns, before)
        self.assertIn("tiny: 3 runs: 2 done, 1 failed\n", self.succeeds("status", "results/tiny").stdout)
        retried = self.assay("retry", "--failed", "results/tiny")
        self.assertEqual(retried.returncode, 1)
        self.assertNotEqual(self.failed_file().stat().st_mtime_ns, before)
        self.assertNotIn("already complete", retried.stderr)

    def test_retries_begin_a_failed_run_anew(self):
        done = self.assay("run", "tiny.yaml", "sweep.retries=2", "--out", "again")
        self.assertEqual(done.returncode, 4)
        self.assertRegex(done.stderr, r"1e30.*: note: failed, and is begun anew \(1 of 2\): step 1: ")
        self.assertRegex(done.stderr, r"1e30.*: note: failed, and is begun anew \(2 of 2\): step 1: ")

    def test_retries_also_of_runs_in_processes_of_their_own(self):
        done = self.assay("run", "tiny.yaml", "sweep.retries=1", "--out", "apart", "--isolate", "process")
        self.assertEqual(done.returncode, 4)
        self.assertRegex(done.stderr, r"1e30.*: note: failed, and is begun anew \(1 of 1\): step 1: ")
        self.assertEqual(len([line for line in done.stderr.splitlines() if "begun anew" in line]), 1)

    def test_retry_finds_no_failed_run_where_there_is_none(self):
        self.failed_file().unlink()
        self.assertEqual(self.succeeds("retry", "--failed", "results/tiny").stdout,
                         "results/tiny: nothing to do: no run has failed\n")


if __name__ == "__main__":
    unittest.main()
