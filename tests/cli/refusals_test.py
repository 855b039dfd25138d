"""What is wrong is said once, clearly, with the right exit code, before anything is written."""
import os
import shutil
import unittest

from program import BUILD, TEXT_GPT, TINY_GPT, ProgramTest


SAMPLES = 'samples: {prompt: "\\n", length: 5, sampler: {type: NAME}}\n'


class CommandLine(ProgramTest):
    def test_no_verb_prints_the_verbs_and_exits_2(self):
        done = self.assay()
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("Usage: assay VERB", done.stderr)

    def test_help_goes_to_standard_output(self):
        done = self.succeeds("--help")
        self.assertIn("Usage: assay VERB", done.stdout)
        self.assertEqual(done.stderr, "")

    def test_version_is_one_line(self):
        self.assertRegex(self.succeeds("--version").stdout, r"^assay \d+\.\d+\.\d+\n$")

    def test_an_unknown_verb_is_refused_with_the_one_that_was_meant(self):
        done = self.fails(2, "unknown verb 'rnu'; did you mean run?", "rnu", "x.yaml")
        self.assertEqual(done.stderr, "error: unknown verb 'rnu'; did you mean run?\n")

    def test_an_unknown_option_is_refused_with_the_one_that_was_meant(self):
        self.fails(2, "unknown option '--treads'; did you mean --threads?", "run", "x.yaml", "--treads", "2")

    def test_one_file_and_a_folder_cannot_both_be_named(self):
        self.fails(2, "give one of them", "run", "x.yaml", "-o", "a.h5", "--out", "b")

    def test_every_verb_has_help(self):
        for verb in ("run", "check", "show", "plugins", "bench", "help"):
            self.assertIn(f"Usage: assay {verb}", self.succeeds(verb, "--help").stdout)


class Experiment(ProgramTest):
    def test_a_missing_file(self):
        self.fails(2, "gone.yaml", "run", "gone.yaml")

    def test_a_folder_in_place_of_a_file(self):
        (self.folder / "folder.yaml").mkdir()
        self.fails(2, "folder.yaml", "run", "folder.yaml")

    def test_yaml_that_is_none(self):
        self.write("bad.yaml", "model: {type: gpt\ntrain: [\n")
        self.fails(2, "bad.yaml:", "check", "bad.yaml")

    def test_every_problem_is_told_with_its_place_and_a_near_match(self):
        self.write("bad.yaml", TINY_GPT.replace("width: 16", "widht: 16").replace("learning_rate", "learning_rte"))
        done = self.fails(2, "did you mean 'width'?", "run", "bad.yaml")
        self.assertIn("bad.yaml:5:", done.stderr)
        self.assertIn("bad.yaml:7:", done.stderr)
        self.assertIn("did you mean 'learning_rate'?", done.stderr)
        self.assertEqual(self.results(), [])

    def test_an_unknown_plugin_with_the_one_that_was_meant(self):
        self.write("e.yaml", TINY_GPT.replace("type: gpt", "type: gptt"))
        self.fails(2, "gptt", "run", "e.yaml")

    def test_heads_that_do_not_divide_the_width(self):
        self.write("e.yaml", TINY_GPT)
        self.fails(2, "width must be a multiple of heads", "run", "e.yaml", "model.heads=3")

    def test_a_model_that_looks_both_ways_where_the_next_token_is_wanted(self):
        wrong = ("objective: 'next_token' has the model predict what follows, but model 'bert' looks both ways and would "
                 "see it; choose another objective, or a causal model\n")
        self.write("x.yaml", TINY_GPT.replace("type: gpt", "type: bert"))
        self.fails(2, "error: x.yaml:6:12: " + wrong, "check", "x.yaml")
        self.write("x.yaml", TINY_GPT.replace("type: gpt", "type: bert").replace("objective: {type: next_token}\n", ""))
        self.fails(2, "error: x.yaml:5:12: " + wrong, "check", "x.yaml")

    def refused(self, said, code, *words):
        for verb in ("check", "run") if "with objective" not in said else ("check",):
            self.assertEqual(self.fails(code, "", verb, "e.yaml", *words).stderr, said)

    def test_what_a_plugin_refuses_is_told_with_the_place_of_its_option_or_section(self):
        self.write("e.yaml", TINY_GPT)
        self.refused("""\
error: argument 'scheduler={type: warmup_cosine, warmup: 100}':41: scheduler.warmup is 100 steps, but the run has only 6 \
steps: shorten the warm-up or raise train.steps
  scheduler={type: warmup_cosine, warmup: 100}
                                          ^
""", 2, "scheduler={type: warmup_cosine, warmup: 100}")
        self.refused("""\
error: argument 'tokenizer={type: bpe, vocabulary: 3}':35: tokenizer 'bpe': vocabulary: wanted 3 tokens, but the training \
text has 45 different characters; raise vocabulary to 45 or more
  tokenizer={type: bpe, vocabulary: 3}
                                    ^
""", 2, "tokenizer={type: bpe, vocabulary: 3}")
        self.refused("""\
error: e.yaml:6:12: objective 'seq2seq': the dataset has no 'source' (it has input, target)
  objective: {type: next_token}
             ^
""", 2, "objective.type=seq2seq")
        self.refused(f"""\
error: argument 'dataset={{type: text, source: gone.txt}}':9: dataset 'text': {self.folder}/gone.txt: no such file
  dataset={{type: text, source: gone.txt}}
          ^
""", 5, "dataset={type: text, source: gone.txt}")
        self.refused("""\
error: e.yaml:5:12: model 'gpt' with objective 'negative_sampling': the batch has no ids 'input': it has candidates \
(ids), context (ids), label (reals)
  model:     {type: gpt, width: 16, heads: 2, layers: 1}
             ^
""", 2, "objective.type=negative_sampling")

    def test_an_override_that_is_unknown_names_the_argument(self):
        self.write("e.yaml", TINY_GPT)
        self.fails(2, "argument 'model.widht=8'", "run", "e.yaml", "model.widht=8")

    def test_one_output_file_for_several_runs(self):
        self.write("e.yaml", TINY_GPT)
        self.fails(2, "-o one.h5", "run", "e.yaml", "seed=1,2", "-o", "one.h5")


class Data(ProgramTest):
    def setUp(self):
        super().setUp()
        self.write("e.yaml", TEXT_GPT)

    def test_a_missing_file(self):
        self.fails(5, "play.txt: no such file", "run", "e.yaml")

    def test_an_empty_file(self):
        self.write("play.txt", "")
        self.fails(5, "play.txt", "run", "e.yaml")

    def test_a_folder(self):
        (self.folder / "play.txt").mkdir()
        self.fails(5, "play.txt", "run", "e.yaml")

    def test_a_file_shorter_than_the_context_names_tokens_and_context(self):
        self.write("play.txt", "to be or not")
        self.fails(5, "play.txt: the training split has 10 tokens, but a window of context 16 and its last target "
                   "take 17", "run", "e.yaml")

    @unittest.skipIf(os.geteuid() == 0, "root may read everything")
    def test_a_file_that_may_not_be_read(self):
        self.write("play.txt", "to be or not to be " * 100)
        (self.folder / "play.txt").chmod(0)
        self.fails(5, "play.txt", "run", "e.yaml")


class Output(ProgramTest):
    def setUp(self):
        super().setUp()
        self.write("e.yaml", TINY_GPT)
        self.write("file", "not a folder")

    def test_a_folder_that_is_a_file_is_found_before_training(self):
        done = self.fails(5, "file", "run", "e.yaml", "--out", "file")
        self.assertNotIn("step", done.stderr)

    def test_a_folder_below_a_file(self):
        self.fails(5, "file", "run", "e.yaml", "-o", "file/run.h5")

    @unittest.skipIf(os.geteuid() == 0, "root may write everywhere")
    def test_a_folder_that_cannot_be_written(self):
        (self.folder / "locked").mkdir(mode=0o500)
        self.fails(5, "locked", "run", "e.yaml", "--out", "locked")

    def test_a_result_file_that_is_none(self):
        self.fails(5, "file", "show", "file")
        self.fails(5, "gone.h5", "show", "gone.h5")

    def test_another_runs_file_is_not_overwritten(self):
        self.succeeds("run", "e.yaml", "-o", "one.h5")
        before = (self.folder / "one.h5").read_bytes()
        self.fails(2, "one.h5: holds another run", "run", "e.yaml", "seed=2", "-o", "one.h5")
        self.assertEqual((self.folder / "one.h5").read_bytes(), before)


class Plugins(ProgramTest):
    def place(self, fault):
        """A broken sampler (tests/plugin/bad) where the program looks for plugins."""
        built = BUILD / "tests" / "plugins" / f"{fault}.so"
        self.assertTrue(built.is_file(), f"{built} is not built")
        target = self.folder / "plugins" / "samplers" / f"{fault}.so"
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(built, target)

    def test_a_refused_plugin_is_listed_with_its_reason_and_fatal_only_when_named(self):
        self.place("other_abi")
        listed = self.succeeds("plugins")
        self.assertIn("refused sampler 'other_abi'", listed.stdout)
        self.assertIn("was built for 'assay-0 gcc-9", listed.stdout)
        self.write("e.yaml", TINY_GPT)
        self.succeeds("run", "e.yaml")
        self.write("f.yaml", TINY_GPT + SAMPLES.replace("NAME", "other_abi"))
        self.fails(3, "was built for 'assay-0 gcc-9", "run", "f.yaml")

    def test_a_plugin_with_a_missing_symbol_names_it(self):
        self.place("missing_symbol")
        self.write("e.yaml", TINY_GPT + SAMPLES.replace("NAME", "missing_symbol"))
        self.fails(3, "needs assay::not_in_any_library(int)", "run", "e.yaml")

    def test_options_are_documented(self):
        shown = self.succeeds("plugins", "show", "model", "gpt").stdout
        self.assertIn("width  integer, at least 1; default 64", shown)

    def test_an_unknown_plugin_to_show(self):
        self.fails(2, "gptt", "plugins", "show", "model", "gptt")
        self.fails(2, "usage: assay plugins", "plugins", "shwo")


if __name__ == "__main__":
    unittest.main()
