"""Composition, overrides, references and `assay config`, as a user meets them."""
import pathlib
import unittest

import h5py

from program import ProgramTest

BASE = """\
defaults: [{model: small}]
dataset: {type: text, source: play.txt}
tokenizer: {type: char}
optimizer: {type: adamw, learning_rate: 3e-3}
train: {steps: 6, batch: 8, context: 16}
evaluate: {batches: 1, batch: 8}
"""
EXPERIMENT = """\
defaults: [../shared/base.yaml]
name: w${model.width}
model: {dropout: 0.1}
train: {steps: "${env:STEPS,4}"}
"""


class Composed(ProgramTest):
    def setUp(self):
        super().setUp()
        for folder in ("exp", "shared", "model"):
            (self.folder / folder).mkdir()
        self.write("shared/base.yaml", BASE)
        self.write("shared/play.txt", "to be or not to be\n" * 200)
        self.write("model/small.yaml", "{type: gpt, width: 16, heads: 2, layers: 1}\n")
        self.write("model/wide.yaml", "{defaults: [small], width: 32}\n")
        self.write("exp/e.yaml", EXPERIMENT)

    def config(self, *words):
        return self.succeeds("config", "exp/e.yaml", *words).stdout

    def refused(self, *words):
        done = self.assay("config", "exp/e.yaml", *words)
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        return done.stderr

    def test_an_experiment_of_several_files_runs(self):
        self.succeeds("run", "exp/e.yaml", "model=small,wide", "seed=3")
        names = [file.parent.name for file in self.results()]
        self.assertEqual(names, ["w16", "w32"])
        self.assertEqual(self.shown(self.results()[0])["steps"], 4)

    def test_paths_are_relative_to_the_file_or_the_working_directory_that_says_them(self):
        self.assertIn("source: ../shared/play.txt\n", self.config())
        self.write("exp/own.txt", "x" * 500)
        self.assertIn("source: own.txt\n", self.config("dataset.source=exp/own.txt"))
        self.write("here.txt", "y" * 500)
        self.assertIn("source: ../here.txt\n", self.config("dataset.source=here.txt"))
        self.assertIn("source: tiny_shakespeare\n", self.config("dataset.source=tiny_shakespeare"))

    def test_what_is_printed_is_the_same_run_and_so_is_the_minimal(self):
        for words in ((), ("model=wide",), ("train.steps=2e", "name=\"$${x}\"")):
            whole = self.config(*words)
            for option in ((), ("--minimal",)):
                self.write("exp/again.yaml", self.config(*words, *option))
                self.assertEqual(self.succeeds("config", "exp/again.yaml").stdout, whole)

    def test_expectations_are_printed_as_they_were_written(self):
        self.write("exp/e.yaml", EXPERIMENT + "expect: {val/loss: {at_most: 3}}\n")
        for words in ((), ("--minimal",)):
            self.assertTrue(self.config(*words).endswith("expect:\n  val/loss:\n    at_most: 3\n"), words)

    def test_minimal_leaves_out_what_is_default(self):
        self.assertEqual(self.config("--minimal", "model.dropout=0", "name=m"), """\
name: "m"
dataset:
  type: text
  source: ../shared/play.txt
tokenizer:
  type: char
model:
  type: gpt
  layers: 1
  heads: 2
  width: 16
optimizer:
  type: adamw
  learning_rate: 0.003
train:
  steps: 4
  batch: 8
  context: 16
evaluate:
  batches: 1
  batch: 8
""")

    def test_why_tells_what_sets_a_value_and_over_what(self):
        self.assertEqual(self.config("--why", "train.steps", "train.steps=9"), """\
train.steps = 9
  set at   argument 'train.steps=9':13  9
  over     exp/e.yaml:4:16  "${env:STEPS,4}"
  over     shared/base.yaml:5:16  6
""")
        self.assertEqual(self.config("--why", "model", "model=wide"), """\
model.type = gpt
  set at   model/small.yaml:1:8  gpt
model.layers = 1
  set at   model/small.yaml:1:42  1
model.heads = 2
  set at   model/small.yaml:1:31  2
model.width = 32
  set at   model/wide.yaml:1:28  32
model.block = pre_norm  (default of model 'gpt')
model.norm = layer  (default of model 'gpt')
model.positions = learned  (default of model 'gpt')
model.mlp = gelu  (default of model 'gpt')
model.experts = 0  (default of model 'gpt')
model.experts_per_token = 2  (default of model 'gpt')
model.balance = 0.01  (default of model 'gpt')
model.attention_bias = false  (default of model 'gpt')
model.mlp_bias = true  (default of model 'gpt')
model.qk_norm = false  (default of model 'gpt')
model.dropout = 0.1
  set at   exp/e.yaml:3:18  0.1
model.tied = false  (default of model 'gpt')
""")
        self.assertEqual(self.refused("--why", "model.widht"),
                         "error: --why model.widht: this experiment has no such option; did you mean model.width?\n")

    def test_why_tells_what_another_type_dropped(self):
        self.write("exp/e.yaml", EXPERIMENT.replace("name: w${model.width}\n", ""))
        self.assertEqual(self.config("--why", "model.width", "model.type=ngram"), """\
model.width is not set
  dropped  model/small.yaml:1:20  16
""")

    def test_tree_shows_the_files(self):
        self.assertEqual(self.config("--tree"), """\
exp/e.yaml
└─ ../shared/base.yaml  shared/base.yaml
   └─ model: small  model/small.yaml
""")
        self.assertEqual(self.config("--tree", "model=wide", "seed=2"), """\
exp/e.yaml
└─ ../shared/base.yaml  shared/base.yaml
model=wide
└─ model: wide  model/wide.yaml
   └─ small  model/small.yaml
seed=2
""")

    def test_tree_shows_the_groups_that_a_grid_chooses_from(self):
        self.write("exp/e.yaml", EXPERIMENT + "sweep: {grid: {model: [small, wide], seed: [1, 2]}}\n")
        self.assertEqual(self.config("--tree"), """\
exp/e.yaml
└─ ../shared/base.yaml  shared/base.yaml
sweep.grid.model
├─ model: small  model/small.yaml
└─ model: wide  model/wide.yaml
   └─ small  model/small.yaml
""")

    def test_bundled_presets_are_groups(self):
        for preset, line in (("model=gpt-tiny", "  width: 32\n"), ("model=gpt-small", "  width: 64\n"),
                             ("model=gpt-medium", "  width: 384\n"), ("optimizer=adamw-gpt", "  weight_decay: 0.1\n")):
            self.assertIn(line, self.config(preset))
        self.assertRegex(self.config("--tree", "model=gpt-tiny"), r"└─ model: gpt-tiny  /.*/config/model/gpt-tiny.yaml\n")
        for file in (pathlib.Path(__file__).parents[2] / "plugins/config").rglob("*.yaml"):
            self.config(f"{file.parent.name}={file.stem}")  # each stands alone

    def test_one_thing_is_asked_at_a_time(self):
        self.assertEqual(self.refused("--why", "seed", "--tree"),
                         "error: config: give one of --why, --minimal, --tree and --searchpath\n")

    def test_several_runs_are_told_apart(self):
        done = self.config("seed=1,2", "--why", "seed")
        self.assertRegex(done, r"\A# seed=1_\w{8}\nseed = 1\n  set at .*\n---\n# seed=2_\w{8}\nseed = 2\n  set at .*\n\Z")

    def test_the_search_path(self):
        self.environment["ASSAY_CONFIG_PATH"] = "/a:/b"
        lines = self.succeeds("config", "exp/e.yaml", "--searchpath").stdout.splitlines()
        self.assertEqual(lines[:4], [".  (working directory)", "exp  (folder of the experiment)",
                                     "/a  ($ASSAY_CONFIG_PATH; not there)", "/b  ($ASSAY_CONFIG_PATH; not there)"])
        self.assertEqual(lines[4], f"{self.folder}/.config/assay  (yours; not there)")
        self.assertRegex(lines[-1], r"/config  \(built in")
        self.assertEqual(self.succeeds("config", "--searchpath").stdout.splitlines()[0], ".  (working directory)")

    def test_groups_are_found_in_every_folder_of_the_search_path(self):
        for folder in ("exp", "path", ".config/assay", "plugins/config"):
            (self.folder / folder / "model").mkdir(parents=True)
            name = folder.replace("/", "-").strip(".")
            self.write(f"{folder}/model/{name}.yaml", "{type: gpt, width: 24, heads: 2}")
        self.environment["ASSAY_CONFIG_PATH"] = "path"
        for name in ("exp", "path", "config-assay", "plugins-config"):
            self.assertIn("width: 24\n", self.config(f"model={name}"))

    def test_a_grid_may_choose_groups(self):
        self.write("exp/e.yaml", EXPERIMENT + "sweep: {grid: {model: [small, wide], seed: [1, 2]}}\n")
        self.assertEqual(self.config().count("width: 32"), 2)
        self.assertEqual(self.config("~sweep.grid.model").count("# "), 2)
        self.assertEqual(self.config("~sweep").count("# "), 0)

    # D08: a misspelt key is refused whatever the syntax, all of them at once, each with its place.
    def test_misspelt_keys_of_every_syntax_are_told_at_once(self):
        self.write("shared/base.yaml", BASE.replace("learning_rate", "learning_rte"))
        self.write("model/small.yaml", "{type: gpt, width: 16, head: 2, layers: 1}\n")
        self.assertEqual(self.refused("train.stpes=8", "+model.droput=0.1", "++evaluate.evry=3", "optimzer.lr=1",
                                      "scheduler:={\"type\": \"constant\", \"warmp\": 1}"), """\
error: argument 'optimzer.lr=1':1: optimzer: unknown option of an experiment; did you mean 'optimizer'?
  optimzer.lr=1
  ^
model/small.yaml:1:24: model.head: unknown option of model 'gpt'; did you mean 'heads'?
  {type: gpt, width: 16, head: 2, layers: 1}
                         ^
argument '+model.droput=0.1':8: model.droput: unknown option of model 'gpt'; did you mean 'dropout'?
  +model.droput=0.1
         ^
argument 'train.stpes=8':7: train.stpes: unknown option of section 'train'; did you mean 'steps'?
  train.stpes=8
        ^
shared/base.yaml:4:26: optimizer.learning_rte: unknown option of optimizer 'adamw'; did you mean 'learning_rate'?
  optimizer: {type: adamw, learning_rte: 3e-3}
                           ^
argument 'scheduler:={"type": "constant", "warmp": 1}':33: scheduler.warmp: unknown option of scheduler 'constant'; it has none
  scheduler:={"type": "constant", "warmp": 1}
                                  ^
argument '++evaluate.evry=3':12: evaluate.evry: unknown option of section 'evaluate'; did you mean 'every'?
  ++evaluate.evry=3
             ^
""")

    # D09: duplicates and second documents in every file that is read.
    def test_duplicates_and_second_documents_of_parts(self):
        self.write("shared/base.yaml", BASE + "train: {steps: 7}\n")
        self.assertEqual(self.refused(), "error: shared/base.yaml:7:1: 'train' stands here a second time; first at "
                         "shared/base.yaml:5:1; keep one\n  train: {steps: 7}\n  ^\n")
        self.write("shared/base.yaml", BASE)
        self.write("model/small.yaml", "type: gpt\n---\ntype: ngram\n")
        self.assertEqual(self.refused(), "error: model/small.yaml:2:1: a second document; keep one, and remove the "
                         "rest from this '---' on\n  ---\n  ^\n")
        self.write("model/small.yaml", "{type: gpt, width: 8, heads: 2}\n")
        self.assertEqual(self.refused("model:={\"type\": \"gpt\", \"type\": \"ngram\"}"),
                         "error: argument 'model:={\"type\": \"gpt\", \"type\": \"ngram\"}':24: 'type' stands here a "
                         "second time; keep one\n  model:={\"type\": \"gpt\", \"type\": \"ngram\"}\n                         ^\n")

    # D11: the same numbers in files, arguments, JSON, references and the environment.
    def test_numbers_are_read_alike_everywhere(self):
        wanted = "train.steps: wanted steps (100), tokens (20Mt) or epochs (2e), at least 1; got "
        for number, steps in (("010", 10), ("1e3", 1000), ("2.0", 2), ("1_000", None), ("0x10", None), ("-1", None),
                              ("08", 8)):
            self.environment["STEPS"] = number
            if steps:
                self.assertIn(f"  steps: {steps}\n", self.config())
                self.assertIn(f"  steps: {steps}\n", self.config(f"train.steps={number}"))
                self.assertIn(f"  steps: {steps}\n", self.config(f"++train.steps={number}"))
            else:
                self.assertEqual(self.refused(), f"error: exp/e.yaml:4:16: {wanted}{number}\n"
                                 "  train: {steps: \"${env:STEPS,4}\"}\n                 ^\n")
                self.assertEqual(self.refused(f"train.steps={number}"),
                                 f"error: argument 'train.steps={number}':13: {wanted}{number}\n"
                                 f"  train.steps={number}\n              ^\n")
        self.assertIn("  batch: 2\n", self.config("train.batch:=2.0", "train.steps=1"))
        self.assertEqual(self.refused("train.batch:=\"2\"", "train.steps=1"),
                         "error: argument 'train.batch:=\"2\"':14: train.batch: wanted an integer, at least 1; got "
                         "text \"2\", which is quoted: remove the quotes\n  train.batch:=\"2\"\n               ^\n")
        self.assertEqual(self.refused("train.batch=3000000000000000000000", "train.steps=1"),
                         "error: argument 'train.batch=3000000000000000000000':13: train.batch: wanted an integer, at "
                         "least 1; got 3000000000000000000000, which does not fit 64 bits\n"
                         "  train.batch=3000000000000000000000\n              ^\n")
        self.assertEqual(self.refused("model.dropout=${env:P,1.5}"),
                         "error: argument 'model.dropout=${env:P,1.5}':15: model.dropout: wanted a number, at least 0 "
                         "and below 1; got 1.5\n  model.dropout=${env:P,1.5}\n                ^\n")

    # D55: words and equals signs.
    def test_words_stay_text(self):
        self.assertIn('name: "no"\n', self.config("name=no"))
        self.assertIn('name: "1.10"\n', self.config("name=1.10"))
        self.assertIn('name: "a=b"\n', self.config("name=a=b"))
        self.assertIn('name: "1e3"\n', self.config("name:=\"1e3\""))
        self.environment["NAME"] = "yes"
        self.assertIn('name: "yes"\n', self.config("name=${env:NAME}"))
        self.assertIn("  learning_rate: 2e-05\n", self.config("optimizer.learning_rate=2e-05"))
        self.assertIn("  learning_rate: 0.001\n", self.config("optimizer.learning_rate=1e-3"))

    def test_what_was_overridden_is_in_the_result_file(self):
        self.succeeds("run", "exp/e.yaml", "name=\"1e3\"", "train.steps=2", "-o", "run.h5")
        with h5py.File(self.folder / "run.h5") as file:
            ends, text = file["origins/ends"][()].ravel(), bytes(file["origins/bytes"][()]).decode()
        starts = [0, *ends[:-1]]
        cells = [text[start:end] for start, end in zip(starts, ends)]
        origins = dict(zip(cells[::2], cells[1::2]))
        self.assertEqual(origins["name"], "argument 'name=\"1e3\"':6")
        self.assertEqual(origins["train.steps"], "argument 'train.steps=2':13")
        self.assertEqual(origins["train.batch"], "shared/base.yaml:5:26")
        self.assertEqual(origins["model.tied"], "default")

    # D02: merge keys in a part and in an experiment.
    def test_merge_keys(self):
        self.write("exp/e.yaml", EXPERIMENT + "optimizer: {<<: &o {type: adamw, learning_rate: 1e-3}, learning_rate: 5e-3}\n")
        self.assertIn("  learning_rate: 0.005\n", self.config())

    def test_references_that_are_wrong_are_told_once(self):
        self.write("exp/e.yaml", EXPERIMENT.replace("${env:STEPS,4}", "${env:STEPS}"))
        self.assertEqual(self.refused(), "error: exp/e.yaml:4:17: train.steps: the environment variable STEPS is not "
                         "set; set it, or write ${env:STEPS,default}\n  train: {steps: \"${env:STEPS}\"}\n                  ^\n")
        self.assertEqual(self.refused("train.steps=${model.width}", "model.width=${train.steps}"),
                         "error: argument 'train.steps=${model.width}':13: train.steps: refers to itself: model.width "
                         "-> train.steps -> model.width\n  train.steps=${model.width}\n              ^\n")

    def test_a_group_that_is_not_there_is_told_alone(self):
        self.assertEqual(self.refused("model=wid"),
                         "error: argument 'model=wid':7: model: no file 'model/wid.yaml' on the search path (see assay "
                         "config --searchpath); did you mean 'wide'?\n  model=wid\n        ^\n")
        self.write("exp/e.yaml", EXPERIMENT.replace("{dropout: 0.1}", "wid"))
        self.assertEqual(self.refused("name=x"),
                         "error: exp/e.yaml:3:8: model: no file 'model/wid.yaml' on the search path (see assay config "
                         "--searchpath); did you mean 'wide'? (a type is written model: {type: wid})\n  model: wid\n         ^\n")

    def test_a_name_in_place_of_a_section_is_a_group(self):
        self.write("exp/e.yaml", "model: gpt2-small\ndataset: {type: grammar}\ntokenizer: {type: char}\n"
                   "optimizer: adamw-gpt\ntrain: {steps: 4}\n")
        self.assertIn("width: 768\n", self.config())
        self.assertIn("width: 8\n", self.config("model=gpt-tiny", "model.width=8"))
        self.assertRegex(self.config("--why", "model.width"), r"= 768\n  set at +\S*/config/model/gpt2-small.yaml:\d+:\d+ ")
        self.assertIn("model: gpt2-small", self.config("--tree"))
        self.assertEqual(self.refused("dataset=text"),
                         "error: argument 'dataset=text':9: dataset: no file 'dataset/text.yaml' on the search path (see "
                         "assay config --searchpath); no folder 'dataset/' is there\n  dataset=text\n          ^\n")
        self.write("exp/e.yaml", "model: gpt2-small\ndataset: grammar\n")
        self.assertEqual(self.refused(), "error: exp/e.yaml:2:10: dataset: wanted a map that says its type; got text "
                         "\"grammar\"; write dataset: {type: grammar}; no group is on the search path (see assay config "
                         "--searchpath)\n  dataset: grammar\n           ^\n")

    def test_defaults_are_of_files_only(self):
        self.assertEqual(self.refused("defaults=[x]"), "error: argument 'defaults=[x]':1: defaults: only files have "
                         "them; choose a group by model=gpt-small\n  defaults=[x]\n  ^\n")

    # That each section is read once: Sweep.TrialsShareTheSectionsInWhichTheyAreEqual.
    def test_ten_thousand_runs_are_resolved(self):
        seeds, rates = (",".join(str(i) for i in range(1, 101)), ",".join(f"{i}e-5" for i in range(1, 101)))
        printed = self.config(f"seed={seeds}", f"optimizer.learning_rate={rates}")
        self.assertEqual(printed.count("\n# ") + 1, 10_000)

    def test_settings_of_the_sweep_itself(self):
        self.assertEqual(self.config("sweep={grid: {seed: [1, 2]}}").count("# "), 2)
        self.assertEqual(self.refused("sweep.grid.seed=1,2"),
                         "error: argument 'sweep.grid.seed=1,2':1: sweep.grid.seed: takes one value; a list stands in "
                         "brackets\n  sweep.grid.seed=1,2\n  ^\n")


if __name__ == "__main__":
    unittest.main()
