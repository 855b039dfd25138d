"""Samples that end at a special token, and runs that go on with the tokenizer that they were begun with."""
import shutil
import unittest

from program import TEXT_GPT, ProgramTest

SPELT = """\
name: spelt
dataset:   {type: text, source: play.txt}
tokenizer: {type: byte_bpe, merges: 0, special: ["<|e|>"], read_special: true}
model:     {type: ngram, context: 5, smoothing: 0}
objective: {type: next_token}
evaluate:  {windows: random, batches: 1, batch: 1, context: 8}
samples:   {prompt: "a", length: 12, stop: "<|e|>"}
"""


class Stop(ProgramTest):
    def sample(self, text):
        self.write("spelt.yaml", text)
        shutil.rmtree(self.folder / "results", ignore_errors=True)
        self.succeeds("run", "spelt.yaml")
        return self.shown(self.results()[0])["samples"][0]["text"]

    def test_a_sample_ends_at_the_special_token_and_not_at_its_text(self):
        self.write("play.txt", "abc<|e|>" * 100)
        self.assertEqual(self.sample(SPELT), "bc")
        self.assertEqual(self.sample(SPELT.replace(', stop: "<|e|>"', "")), "bc<|e|>abc<|e|>abc<|e|>a")
        self.assertEqual(self.sample(SPELT.replace("read_special: true", "read_special: false")), "bc<|e|>abc<|")

    def test_a_token_that_the_tokenizer_has_not_is_refused(self):
        self.write("play.txt", "abc" * 100)
        self.write("spelt.yaml", SPELT.replace('stop: "<|e|>"', "stop: <|f|>"))
        self.fails(2, "error: spelt.yaml:7:44: samples.stop: the tokenizer has no special token '<|f|>'; give it one, "
                      "such as tokenizer: {type: byte_bpe, special: ['<|f|>'], read_special: true}\n",
                   "run", "spelt.yaml")


class OtherTokenizer(ProgramTest):
    def test_a_run_on_a_file_beside_the_experiment_continues(self):
        self.write("play.txt", "First Citizen: speak, speak.\n" * 60)
        self.write("tiny.yaml", TEXT_GPT)
        self.succeeds("run", "tiny.yaml")
        self.succeeds("resume", self.results()[0], "train.steps=12")
        self.assertEqual(self.shown(self.results()[0])["steps"], 12)

    def test_a_run_does_not_continue_on_a_text_that_gives_another_tokenizer(self):
        self.write("play.txt", "First Citizen: speak, speak.\n" * 60)
        self.write("tiny.yaml", TEXT_GPT)
        self.succeeds("run", "tiny.yaml")
        self.write("play.txt", "All: resolved, resolved to die.\n" * 60)
        file = self.results()[0]
        self.fails(5, f"{file}: was begun with another tokenizer than the one that the data gives now: the text has "
                      "changed since; `assay run --force` begins anew\n", "resume", file, "train.steps=12")


if __name__ == "__main__":
    unittest.main()
