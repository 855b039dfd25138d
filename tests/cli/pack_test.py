"""A sweep with packed results, through every verb; what verify and recover say about damaged files."""
import json
import unittest

from program import TINY_GPT, ProgramTest

SWEEP = TINY_GPT.replace("seed: 1\n", "sweep: {grid: {seed: [1, 2, 3]}}\nresults: {pack: 2}\n")


class Packed(ProgramTest):
    def setUp(self):
        super().setUp()
        self.write("sweep.yaml", SWEEP)
        self.succeeds("run", "sweep.yaml", "--jobs", "1")
        self.folder_of_runs = self.folder / "results/tiny"

    def runs(self, folder="results/tiny"):
        """path by seed"""
        listed = json.loads(self.succeeds("ls", folder, "--columns", "seed", "--json").stdout)
        return {run["seed"]: run["run"] for run in listed}

    def test_stands_in_packs_and_is_complete_afterwards(self):
        self.assertEqual([file.name for file in self.results()], ["pack-0001.h5", "pack-0002.h5"])
        self.assertEqual(sorted(self.folder_of_runs.iterdir()), [*self.results(), self.folder_of_runs / "plan.yaml"])
        runs = self.runs()
        self.assertEqual([run.partition("::")[0] for run in runs.values()],
                         ["results/tiny/pack-0001.h5"] * 2 + ["results/tiny/pack-0002.h5"])
        again = self.succeeds("run", "sweep.yaml")
        self.assertEqual(again.stderr.count("already complete"), 3)
        self.assertIn(runs[1], again.stderr)
        # Also where packs are no longer asked for, and for one run alone.
        self.assertEqual(self.succeeds("run", "sweep.yaml", "results.pack=1").stderr.count("already complete"), 3)
        self.assertIn("already complete", self.succeeds("run", "sweep.yaml", "seed=2").stderr)
        self.assertEqual(len(self.results()), 2)

    def test_has_the_bits_of_files_of_their_own(self):
        self.succeeds("run", "sweep.yaml", "--out", "alone", "results.pack=1")
        alone = self.runs("alone")
        for seed, path in self.runs().items():
            a, b = self.shown(path), self.shown(alone[seed])
            self.assertEqual((a["digest"], a["metrics"]), (b["digest"], b["metrics"]))
            same = json.loads(self.succeeds("diff", path, alone[seed], "--json").stdout)
            self.assertEqual((same["weights"], same["first_difference"]), ([], None))
        groups = json.loads(self.succeeds("compare", "results", "--format", "json").stdout)["groups"]
        self.assertEqual([group["n"] for group in groups], [3])

    def test_one_run_by_each_verb(self):
        runs = self.runs()
        path = runs[2]
        self.assertEqual(self.shown(path)["seed"], 2)
        self.assertIn("step,", self.succeeds("export", path).stdout)
        self.succeeds("export", path, "--format", "safetensors", "-o", "w.safetensors")
        self.assertIn(f"{path}: sound: done, 6 steps, ", self.succeeds("verify", path).stdout)
        self.assertIn("the same bits: ", self.succeeds("rerun", path).stdout)
        self.assertTrue((self.folder_of_runs / (path.partition("::")[2] + ".rerun.h5")).exists())
        self.fails(2, "results/tiny/pack-0001.h5: is the file that is to be run again; choose another with -o",
                   "rerun", path, "--force", "-o", "results/tiny/pack-0001.h5")
        self.write("play.txt", "ab" * 40)
        self.succeeds("tokenize", "play.txt", "--from", path, "--json")
        self.write("from.yaml", TINY_GPT.replace("{type: char}", "{from: %s}" % path))
        self.succeeds("run", "from.yaml", "-o", "from.h5")
        self.assertIn("already complete", self.succeeds("resume", path).stderr)
        self.fails(5, "results/tiny/pack-0001.h5: holds 2 runs: name one, as " + runs[1] +
                   "; `assay ls results/tiny/pack-0001.h5` lists them", "show", "results/tiny/pack-0001.h5")

    def test_more_steps_take_a_run_out_of_its_pack(self):
        path = self.runs()[1]
        self.succeeds("resume", path, "train.steps=8")
        own = path.partition("::")[2] + ".h5"
        self.assertEqual(self.shown(f"results/tiny/{own}")["steps"], 8)
        self.assertEqual(self.runs()[1], f"results/tiny/{own}")
        self.assertEqual(len(self.runs()), 3)
        self.succeeds("run", "sweep.yaml", "train.steps=8", "seed=1", "-o", "eight.h5")
        self.assertEqual(self.shown("eight.h5")["digest"], self.shown(f"results/tiny/{own}")["digest"])

    def test_runs_go_to_the_trash_and_come_back(self):
        before = self.runs()
        self.succeeds("rm", before[1], before[3])
        self.assertEqual(list(self.runs()), [2])
        own = f"results/tiny/{before[1].partition('::')[2]}.h5"
        self.succeeds("rm", "--restore", own)
        self.assertEqual(self.runs()[1], own)
        self.succeeds("rm", "results", "--filter", "seed == 2")
        self.assertEqual(list(self.runs()), [1])
        self.succeeds("rm", "results")
        self.assertEqual(sorted(file.name for file in self.folder_of_runs.iterdir()), [".trash", "plan.yaml"])

    def test_is_split_by_unpack(self):
        done = self.succeeds("unpack", "results/tiny/pack-0001.h5", "--out", "split")
        self.assertEqual(done.stderr, "2 files written; results/tiny/pack-0001.h5 stays as it is\n")
        self.assertEqual(done.stdout.split(), [str(f.relative_to(self.folder)) for f in self.results("split")])
        self.assertEqual(sorted(self.runs("split")), [1, 2])
        first = done.stdout.split()[0]
        self.fails(5, f"{first}: exists already, so nothing is unpacked; choose another folder with --out",
                   "unpack", "results/tiny/pack-0001.h5", "--out", "split")

    def test_forced_it_is_done_anew_and_stands_once(self):
        before = self.runs()
        self.succeeds("run", "sweep.yaml", "--force", "--jobs", "1")
        after = self.runs()
        self.assertEqual(len(after), 3)
        self.assertFalse(set(before.values()) & set(after.values()))
        self.assertEqual([file.name for file in self.results()], ["pack-0003.h5", "pack-0004.h5"])

    def test_runs_that_fail_have_files_of_their_own(self):
        done = self.assay("run", "sweep.yaml", "--out", "mixed", "optimizer.learning_rate=1e-3,1e30", "seed=1")
        names = sorted(file.name for file in (self.folder / "mixed").iterdir())
        self.assertEqual(done.returncode, 4, done.stderr)
        self.assertEqual(names[1:], ["pack-0001.h5", "plan.yaml"])
        self.assertTrue(names[0].startswith("learning_rate=1e30_seed=1"), names)


class Damaged(ProgramTest):
    def setUp(self):
        super().setUp()
        self.write("tiny.yaml", TINY_GPT)
        self.succeeds("run", "tiny.yaml", "-o", "runs/one.h5")
        self.good = (self.folder / "runs/one.h5").read_bytes()

    def damage(self, needle=b"train%2Floss"):
        bad = bytearray(self.good)
        bad[bad.rindex(needle)] ^= 1
        self.write("runs/one.h5", bytes(bad))

    def test_verify_says_so_in_a_line_for_each_file(self):
        self.write("runs/two.h5", self.good)
        self.damage()
        said = ("is damaged: its SHA-256 is not the one it was written with; `assay recover runs/one.h5` saves what can "
                "be saved")
        done = self.assay("verify", "runs")
        self.assertEqual(done.returncode, 5)
        lines = done.stdout.splitlines()
        self.assertEqual(lines[0], f"runs/one.h5: damaged: {said}")
        self.assertRegex(lines[1], r"^runs/two.h5: sound: done, 6 steps, \d+ metrics, [0-9.]+ KiB$")
        listed = json.loads(self.assay("verify", "runs", "--json").stdout)
        self.assertEqual(listed[0], {"file": "runs/one.h5", "sound": False, "what": said})
        self.assertTrue(listed[1]["sound"])
        for words in (["show"], ["export"], ["resume"], ["rerun"]):
            self.fails(5, f"runs/one.h5: {said}", *words, "runs/one.h5")

    def test_a_file_that_is_not_there_is_not_called_damaged(self):
        done = self.assay("verify", "runs/none.h5", "runs/one.h5")
        self.assertEqual(done.returncode, 5)
        self.assertEqual(done.stderr, "error: runs/none.h5: no such file\n")
        self.assertRegex(done.stdout, r"^runs/one.h5: sound: [^\n]*\n$")

    def test_recover_saves_the_rest_in_a_new_file(self):
        self.damage(b"train/loss")  # in the summary
        done = self.succeeds("recover", "runs/one.h5")
        self.assertNotIn("lost: ", done.stdout)
        self.assertTrue(done.stdout.endswith("wrote runs/one.recovered.h5\n"), done.stdout)
        self.succeeds("verify", "runs/one.recovered.h5")
        self.write("whole.h5", self.good)
        self.assertEqual(self.shown("runs/one.recovered.h5")["digest"], self.shown("whole.h5")["digest"])
        self.fails(5, "runs/one.recovered.h5: exists already, and is not overwritten; choose another file with -o",
                   "recover", "runs/one.h5")

    def test_what_was_cut_off_is_lost_and_said(self):
        self.write("runs/one.h5", self.good[:len(self.good) * 2 // 3])
        self.fails(5, "`assay recover runs/one.h5` saves what can be saved", "show", "runs/one.h5")
        done = self.succeeds("recover", "runs/one.h5", "-o", "saved.h5")
        self.assertIn("lost: ", done.stdout)
        self.assertEqual(self.shown("saved.h5")["status"], "stopped")

    def test_of_a_sound_file_and_of_none(self):
        self.assertEqual(self.succeeds("recover", "runs/one.h5").stdout,
                         "runs/one.h5: is sound: there is nothing to recover\n")
        self.fails(5, "none.h5: no such file", "recover", "none.h5")
        self.write("text.h5", "name: gpt\n")
        done = self.assay("recover", "text.h5")
        self.assertEqual(done.returncode, 5)
        self.assertIn("error: text.h5: nothing in it can be saved\n", done.stderr)
        self.assertFalse((self.folder / "text.recovered.h5").exists())


if __name__ == "__main__":
    unittest.main()
