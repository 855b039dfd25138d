"""Plugins that misbehave while they train: never a silent end, and always a name."""
import json
import pathlib
import shutil
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "cli"))
from program import BUILD, TINY_GPT, ProgramTest

EXPERIMENT = TINY_GPT.replace("{type: gpt, width: 16, heads: 2, layers: 1}", "{type: misbehaves, by: nothing}")


class Misbehaviour(ProgramTest):
    def setUp(self):
        super().setUp()
        self.file = self.folder / "plugins/models/misbehaves.so"
        self.file.parent.mkdir(parents=True)
        shutil.copy(BUILD / "tests/plugins/misbehaves.so", self.file)
        self.write("tiny.yaml", EXPERIMENT)

    def train(self, by):
        return self.assay("run", "tiny.yaml", f"model.by={by}", "--threads", 2, "-o", "tiny.h5")

    def blamed(self, by, ending):
        done = self.train(by)
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertEqual(done.stderr.splitlines()[-1],
                         f"error: model 'misbehaves' ({self.file}) {ending}; runs in flight are not finished; "
                         "try: assay plugins test FILE.so")

    def failed(self, by, message):
        done = self.train(by)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn(message, done.stderr)
        shown = self.shown("tiny.h5")
        self.assertEqual((shown["status"], shown["message"]), ("failed", message))

    def contract(self, code, message, by):
        done = self.assay("plugins", "test", self.file, f"by={by}")
        self.assertEqual((done.returncode, done.stderr), (code, message), done.stdout)
        return done.stdout

    def test_healthy_it_trains(self):
        self.assertEqual(self.train("nothing").returncode, 0)

    def test_a_crash_names_plugin_and_file(self):
        self.blamed("crash", "crashes with signal 11 (Segmentation fault)")

    def test_an_abort_names_plugin_and_file(self):
        self.blamed("abort", "crashes with signal 6 (Aborted)")

    def test_an_exception_that_passes_noexcept_names_plugin_and_file(self):
        self.blamed("terminate", "crashes with signal 6 (Aborted)")

    def test_exit_is_no_success(self):
        self.blamed("exit", "ends the program by calling exit")

    def test_an_error_fails_the_run(self):
        self.failed("throw", "the table is missing")

    def test_what_is_no_exception_fails_the_run_too(self):
        self.failed("throw_int", "a plugin threw something that is no std::exception")

    # In a process of its own it is one failed run, and the others go on.

    def isolated(self, by, *words):
        return self.assay("run", "tiny.yaml", f"model.by={by}", "--isolate", "process", "--threads", 2, *words)

    def costs_one_run(self, by, message):
        done = self.isolated(f"nothing,{by}", "--out", "runs")
        self.assertEqual(done.returncode, 4, done.stderr)
        self.assertIn(message, done.stderr)
        shown = {("nothing" if "by=nothing" in file.name else by): self.shown(file) for file in self.results("runs")}
        self.assertEqual((shown["nothing"]["status"], shown["nothing"]["steps"]), ("done", 6))
        self.assertEqual((shown[by]["status"], shown[by]["message"]), ("failed", message))

    def test_isolated_a_crash_costs_one_run(self):
        self.costs_one_run("crash", f"model 'misbehaves' ({self.file}) crashes with signal 11 (Segmentation fault)")

    def test_isolated_an_abort_costs_one_run(self):
        self.costs_one_run("abort", f"model 'misbehaves' ({self.file}) crashes with signal 6 (Aborted)")

    def test_isolated_a_call_of_exit_costs_one_run(self):
        self.costs_one_run("exit", f"model 'misbehaves' ({self.file}) ends the program by calling exit")

    def test_isolated_an_error_is_a_failed_run_as_ever(self):
        self.costs_one_run("throw", "the table is missing")

    def test_isolated_runs_give_the_same_bits(self):
        self.isolated("nothing", "seed=1,2", "--out", "apart")
        self.assay("run", "tiny.yaml", "model.by=nothing", "seed=1,2", "--out", "together")
        digests = [[self.shown(file)["digest"] for file in self.results(folder)] for folder in ("apart", "together")]
        self.assertEqual(len(digests[0]), 2)
        self.assertEqual(*digests)

    def test_isolated_runs_that_are_done_go_into_a_pack_and_what_crashes_does_not(self):
        done = self.isolated("nothing,crash", "seed=1,2", "results.pack=8", "--out", "runs")
        self.assertEqual(done.returncode, 4, done.stderr)
        alone = [file.name for file in self.results("runs") if not file.name.startswith("pack-")]
        self.assertEqual(len(alone), 2, alone)
        for file in alone:
            self.assertIn("by=crash", file)
        pack = self.succeeds("ls", "runs/pack-0001.h5").stdout
        self.assertEqual((pack.count("by=nothing"), pack.count("by=crash")), (2, 0), pack)

    def test_isolated_runs_that_are_complete_are_not_done_again(self):
        self.assertEqual(self.isolated("nothing", "-o", "one.h5").returncode, 0)
        before = (self.folder / "one.h5").stat().st_mtime_ns
        self.assertEqual(self.isolated("nothing", "-o", "one.h5").returncode, 0)
        self.assertEqual((self.folder / "one.h5").stat().st_mtime_ns, before)

    def test_the_contract_of_a_healthy_one_is_kept(self):
        self.assertEqual(self.contract(0, "", "nothing"), f"""\
model misbehaves, {self.file}
  passed   options have names and help
  passed   defaults satisfy their own bounds
  passed   shape of the logits
  passed   causality
  passed   blind to the targets
  passed   rows are independent
  passed   same bits from several threads
  skipped  key-value cache changes nothing: caches() is false
  passed   gradients against differences
  passed   same gradients at any thread count
all 9 checks passed
""")

    def test_the_contract_as_json(self):
        done = self.assay("plugins", "test", self.file, "by=throw", "--json")
        self.assertEqual((done.returncode, done.stderr), (1, ""))
        told = json.loads(done.stdout)
        self.assertEqual((told["kind"], told["name"], told["file"], told["passed"]),
                         ("model", "misbehaves", str(self.file), False))
        checks = {check["name"]: check for check in told["checks"]}
        self.assertEqual(checks["causality"]["outcome"], "passed")
        self.assertEqual(checks["key-value cache changes nothing"],
                         {"name": "key-value cache changes nothing", "outcome": "skipped",
                          "skipped": "caches() is false", "failures": []})
        self.assertEqual(checks["gradients against differences"]["outcome"], "failed")
        self.assertIn("it throws: the table is missing", checks["gradients against differences"]["failures"][0])

    def test_a_check_that_fails_is_explained(self):
        self.assertTrue(self.contract(1, "", "throw").endswith("""\
  failed   gradients against differences
           it throws: the table is missing
  failed   same gradients at any thread count
           it throws: the table is missing
2 of 9 checks failed
"""))

    def test_a_crash_names_the_check(self):
        self.contract(3, "error: model 'misbehaves' cannot be used: it crashes with signal 11 (Segmentation fault) "
                       "in the check 'gradients against differences'\n", "crash")

    def test_exit_names_the_check(self):
        self.contract(3, "error: model 'misbehaves' cannot be used: it ends the program with exit code 0 "
                       "in the check 'gradients against differences'\n", "exit")

    def test_a_stack_without_end_names_the_check(self):
        self.contract(3, "error: model 'misbehaves' cannot be used: it crashes with signal 11 (Segmentation fault) "
                       "in the check 'gradients against differences'\n", "overflow")


class TestOfPlugins(ProgramTest):
    def test_a_plugin_is_named_by_kind_and_name_with_options(self):
        done = self.succeeds("plugins", "test", "scheduler", "warmup_cosine", "warmup=5")
        self.assertTrue(done.stdout.endswith("all 3 checks passed\n"), done.stdout)

    def test_bad_options_are_a_mistake_of_the_command_line(self):
        self.fails(2, "error: argument 'layers=0':8: model.layers: wanted an integer, at least 1; got 0\n",
                   "plugins", "test", "model", "gpt", "layers=0")

    def test_a_file_that_is_no_plugin_is_refused(self):
        self.write("notes.so", "notes")
        self.fails(3, "error: notes.so is no shared library\n", "plugins", "test", "notes.so")

    def test_a_file_where_no_experiment_would_find_it_is_refused(self):
        shutil.copy(BUILD / "plugins/models/gpt.so", self.folder / "gpt.so")
        self.fails(3, "error: gpt.so says that it is model 'gpt', but its path is not models/gpt.so, by which an "
                      "experiment would find it\n", "plugins", "test", "gpt.so")


if __name__ == "__main__":
    unittest.main()
