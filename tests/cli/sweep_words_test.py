"""CASES.md D08, D09, D11 and D55 where several runs are written: sweeps, tables of settings, lists of experiments."""
import unittest

from program import TINY_GPT, ProgramTest


class Words(ProgramTest):
    def setUp(self):
        super().setUp()
        self.write("tiny.yaml", TINY_GPT)

    def config(self, sweep, *words):
        self.write("x.yaml", TINY_GPT + sweep)
        return self.assay("config", "x.yaml", *words)

    def refused(self, sweep, *words):
        done = self.config(sweep, *words)
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        return done.stderr

    def values(self, key, sweep):
        """What each run has at this key."""
        done = self.config(sweep)
        self.assertEqual(done.returncode, 0, done.stderr)
        return [line.split(": ", 1)[1] for line in done.stdout.splitlines() if line.strip().startswith(key + ":")]

    # D08

    def test_a_misspelt_key_of_an_axis_is_told_once(self):
        self.assertEqual(self.refused("""\
sweep:
  grid: {model.widht: [8, 16], optimzer.lr: [1, 2]}
  zip: {train.bacth: [1, 2], train.context: [8, 16]}
"""), """\
error: x.yaml:12:16: model.widht: unknown option of model 'gpt'; did you mean 'width'?
    grid: {model.widht: [8, 16], optimzer.lr: [1, 2]}
                 ^
x.yaml:12:32: optimzer: unknown option of an experiment; did you mean 'optimizer'?
    grid: {model.widht: [8, 16], optimzer.lr: [1, 2]}
                                 ^
x.yaml:13:15: train.bacth: unknown option of section 'train'; did you mean 'batch'?
    zip: {train.bacth: [1, 2], train.context: [8, 16]}
                ^
""")

    def test_a_misspelt_word_of_the_sweep_itself(self):
        self.assertEqual(self.refused("""\
sweep:
  grid: {seed: [1, 2]}
  when: {sed: model.width == 16}
  replicate: 3
"""), """\
error: x.yaml:13:10: sweep.when: neither grid nor zip has an axis sed
    when: {sed: model.width == 16}
           ^
x.yaml:14:3: sweep.replicate: unknown; a sweep has list, grid, zip, union, where, when, replicates, \
retries, search, space, trials, batch, metric, prune, stop, async and population
    replicate: 3
    ^
""")
        self.assertEqual(self.refused("sweep: {grid: {seed: [1, 2]}, where: model.widht > 3}\n"), """\
error: x.yaml:11:38: sweep.where: no run has a name 'model.widht'; did you mean model.width?
  model.widht > 3
  ^
""")

    def test_a_misspelt_key_of_listed_settings(self):
        self.assertEqual(self.refused("sweep: {list: [{model.head: 2}, {model: {widht: 8}}, {optimizer.type: adamm}]}\n"),
                         """\
error: x.yaml:11:23: model.head: unknown option of model 'gpt'; did you mean 'heads'?
  sweep: {list: [{model.head: 2}, {model: {widht: 8}}, {optimizer.type: adamm}...
                        ^
x.yaml:11:42: model.widht: unknown option of model 'gpt'; did you mean 'width'?
  sweep: {list: [{model.head: 2}, {model: {widht: 8}}, {optimizer.type: adamm}...
                                           ^
x.yaml:11:71: no optimizer 'adamm'; did you mean 'adam'? (optimizers: adam, adamw, sgd)
  ...l.head: 2}, {model: {widht: 8}}, {optimizer.type: adamm}]}
                                                       ^
""")

    def test_a_misspelt_key_of_a_table(self):
        self.write("t.csv", "seed,model.widht\n1,8\n2,9\n")
        self.assertEqual(self.refused("sweep: {list: t.csv}\n"), """\
error: t.csv:1:12: model.widht: unknown option of model 'gpt'; did you mean 'width'?
  seed,model.widht
             ^
""")

    def test_misspelt_words_of_a_list_of_experiments_are_told_where_the_list_says_them(self):
        self.write("list.yaml", """\
experiments:
  - {file: tiny.yaml, with: ["model.widht=3", "train.stpes=08"]}
  - {file: tinny.yaml}
""")
        for verb in ("run", "check"):
            done = self.assay(verb, "list.yaml")
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertEqual(done.stderr, """\
error: list.yaml:2:29: argument 'model.widht=3':7: model.widht: unknown option of model 'gpt'; did you mean 'width'?
    - {file: tiny.yaml, with: ["model.widht=3", "train.stpes=08"]}
                              ^
list.yaml:2:29: argument 'train.stpes=08':7: train.stpes: unknown option of section 'train'; did you mean 'steps'?
    - {file: tiny.yaml, with: ["model.widht=3", "train.stpes=08"]}
                              ^
list.yaml:3:12: tinny.yaml: no such file; did you mean 'tiny.yaml'?
    - {file: tinny.yaml}
             ^
""")
        self.write("list.yaml", "experiments:\n  - {fiel: tiny.yaml}\nnmae: x\n")
        self.assertEqual(self.assay("run", "list.yaml").stderr, """\
error: list.yaml:2:5: experiments.0.file: is missing; wanted text: The experiment.
    - {fiel: tiny.yaml}
      ^
list.yaml:2:6: experiments.0.fiel: unknown option of an entry; did you mean 'file'?
    - {fiel: tiny.yaml}
       ^
list.yaml:3:1: nmae: unknown option of a list of experiments; did you mean 'name'?
  nmae: x
  ^
""")

    def test_a_misspelt_preset_and_group(self):
        self.assertEqual(self.refused("", "model=gpt-smal"), """\
error: argument 'model=gpt-smal':7: model: no file 'model/gpt-smal.yaml' on the search path (see assay config \
--searchpath); did you mean 'gpt-small'?
  model=gpt-smal
        ^
""")
        self.assertEqual(self.refused("defaults: [{modle: gpt-small}, {model: gpt-smal}]\n"), """\
error: x.yaml:11:20: defaults: no file 'modle/gpt-small.yaml' on the search path (see assay config --searchpath); no \
folder 'modle/' is there
  defaults: [{modle: gpt-small}, {model: gpt-smal}]
                     ^
x.yaml:11:40: defaults: no file 'model/gpt-smal.yaml' on the search path (see assay config --searchpath); did you mean \
'gpt-small'?
  defaults: [{modle: gpt-small}, {model: gpt-smal}]
                                         ^
""")

    # D09

    def test_duplicate_keys_and_second_documents(self):
        self.assertEqual(self.refused("sweep: {grid: {seed: [1, 2]}, grid: {seed: [3, 4]}}\n"), """\
error: x.yaml:11:31: 'grid' stands here a second time; first at x.yaml:11:9; keep one
  sweep: {grid: {seed: [1, 2]}, grid: {seed: [3, 4]}}
                                ^
""")
        self.assertEqual(self.refused("sweep: {grid: {seed: [1, 2], seed: [3, 4]}}\n"), """\
error: x.yaml:11:30: 'seed' stands here a second time; first at x.yaml:11:16; keep one
  sweep: {grid: {seed: [1, 2], seed: [3, 4]}}
                               ^
""")
        self.write("t.json", '[{"seed": 1, "seed": 2}]')
        self.assertEqual(self.refused("sweep: {list: t.json}\n"), """\
error: x.yaml:11:15: sweep.list: t.json:1:14: 'seed' stands here a second time; first at t.json:1:3; keep one
  [{"seed": 1, "seed": 2}]
               ^
""")
        self.write("t.yaml", "- {seed: 1}\n---\n- {seed: 2}\n")
        self.assertEqual(self.refused("sweep: {list: t.yaml}\n"), """\
error: x.yaml:11:15: sweep.list: t.yaml:2:1: a second document; keep one, and remove the rest from this '---' on
  ---
  ^
""")
        self.write("t.csv", "seed,seed\n1,2\n")
        self.assertEqual(self.refused("sweep: {list: t.csv}\n"), """\
error: x.yaml:11:15: sweep.list: t.csv:1: seed: is there twice
  sweep: {list: t.csv}
                ^
""")
        self.write("list.yaml", "experiments: [{file: tiny.yaml, file: tiny.yaml}]\nexperiments: []\n")
        self.assertEqual(self.assay("run", "list.yaml").stderr, """\
error: list.yaml:1:33: 'file' stands here a second time; first at list.yaml:1:16; keep one
  experiments: [{file: tiny.yaml, file: tiny.yaml}]
                                  ^
list.yaml:2:1: 'experiments' stands here a second time; first at list.yaml:1:1; keep one
  experiments: []
  ^
""")

    # D11

    def test_numbers_of_an_axis_are_read_as_everywhere(self):
        self.assertEqual(self.values("batch", "sweep: {grid: {train.batch: [010, 08, 2.0, 1e2]}}\n")[::2],
                         ["10", "8", "2", "100"])
        self.assertEqual(self.refused("sweep: {grid: {train.batch: [-1, 1_000, 0x10, 2.5, 30000000000000000000]}}\n"), """\
error: x.yaml:11:30: train.batch: wanted an integer, at least 1; got -1
  sweep: {grid: {train.batch: [-1, 1_000, 0x10, 2.5, 30000000000000000000]}}
                               ^
x.yaml:11:34: train.batch: wanted an integer, at least 1; got 1_000
  sweep: {grid: {train.batch: [-1, 1_000, 0x10, 2.5, 30000000000000000000]}}
                                   ^
x.yaml:11:41: train.batch: wanted an integer, at least 1; got 0x10
  sweep: {grid: {train.batch: [-1, 1_000, 0x10, 2.5, 30000000000000000000]}}
                                          ^
x.yaml:11:47: train.batch: wanted an integer, at least 1; got 2.5
  sweep: {grid: {train.batch: [-1, 1_000, 0x10, 2.5, 30000000000000000000]}}
                                                ^
x.yaml:11:52: train.batch: wanted an integer, at least 1; got 30000000000000000000, which does not fit 64 bits
  sweep: {grid: {train.batch: [-1, 1_000, 0x10, 2.5, 30000000000000000000]}}
                                                     ^
""")

    def test_units_of_an_axis_are_read_as_everywhere(self):
        self.assertEqual(self.values("steps", "sweep: {grid: {train.steps: [010, 1e1, 2e, 1kt, 010t]}}\n"),
                         ["10", "2e", "1kt", "10t"])  # 010 and 1e1 are the same run
        wanted = "train.steps: wanted steps (100), tokens (20Mt) or epochs (2e), at least 1; got "
        for bad, end in (("1_000", ""), ("0x10", ""), ("1.5", ", which is not whole"), ("-1e", ""), ("2ee", "")):
            self.assertEqual(self.refused(f"sweep: {{grid: {{train.steps: [{bad}]}}}}\n"),
                             f"error: x.yaml:11:30: {wanted}{bad}{end}\n  sweep: {{grid: {{train.steps: [{bad}]}}}}\n"
                             "                               ^\n")

    def test_numbers_of_a_condition(self):
        self.assertEqual(self.values("layers", "sweep: {grid: {model.layers: [1, 2]}, where: model.layers > 01}\n"), ["2"])
        self.assertEqual(self.refused("sweep: {grid: {model.layers: [1, 2]}, where: model.layers > 0x1}\n"), """\
error: x.yaml:11:46: sweep.where: wanted an operator or the end, got 'x1'
  model.layers > 0x1
                  ^
""")

    def test_numbers_of_a_table(self):
        self.write("t.csv", "seed,optimizer.learning_rate\n010,1e-3\n08,2e-05\n")
        self.assertEqual(self.values("learning_rate", "sweep: {list: t.csv}\n"), ["0.001", "2e-05"])
        self.write("t.csv", "seed,optimizer.learning_rate\n010,1e-3\n08,0x10\n")
        self.assertEqual(self.refused("sweep: {list: t.csv}\n"), """\
error: t.csv:3:4: optimizer.learning_rate: wanted a number, above 0; got 0x10
  08,0x10
     ^
""")

    # D55

    def test_words_stay_text(self):
        self.assertEqual(self.values("name", "sweep: {grid: {name: [no, 1.10, yes]}}\n"), ['"no"', '"1.10"', '"yes"'])
        self.assertEqual(self.values("name", "sweep: {grid: {name: [no, 1.10, yes]}, where: name == no}\n"), ['"no"'])
        self.write("t.csv", "seed,name\n1,no\n2,1.10\n")
        self.assertEqual(self.values("name", "sweep: {list: t.csv}\n"), ['"no"', '"1.10"'])
        self.write("list.yaml", 'experiments: [{file: tiny.yaml, with: [name=no]}, {file: tiny.yaml, with: ["name=a=b"]}]\n')
        self.succeeds("run", "list.yaml")
        self.assertEqual([file.parent.name for file in self.results()], ["a=b", "no"])

    def test_a_logspace_are_its_ends_and_the_powers_between(self):
        self.assertEqual(self.values("learning_rate", "sweep: {grid: {optimizer.learning_rate: {logspace: [1e-5, 1e-1], "
                                     "points: 5}}}\n"), ["1e-05", "0.0001", "0.001", "0.01", "0.1"])


if __name__ == "__main__":
    unittest.main()
