"""`decode:`, what a run measures of its text at its end, and the figures of `attention:`."""
import json
import math
import unittest

from program import EXPERIMENTS, REVERSE, TEXT_GPT, TINY_GPT, ProgramTest

PLAY = "First Citizen:\nBefore we proceed any further, hear me speak.\n\nAll:\nSpeak, speak.\n" * 20


class Decode(ProgramTest):
    def setUp(self):
        super().setUp()
        self.write("play.txt", PLAY)

    def figures(self, text, name="e", *words):
        self.write(name + ".yaml", text)
        self.succeeds("run", name + ".yaml", "-o", name + ".h5", *words)
        return {metric: series for metric, series in self.shown(name + ".h5")["metrics"].items()
                if metric.startswith(("decode/", "attention/"))}

    # S16: with p(a) = 0.6, p(b) = 0.4, p(.|a) = (0.5, 0.5), p(.|b) = (0.9, 0.1).
    def test_a_beam_finds_what_greedy_search_misses(self):
        self.succeeds("run", EXPERIMENTS / "decoding/two_steps.yaml", "-o", "two.h5")
        metrics = self.shown("two.h5")["metrics"]
        self.assertAlmostEqual(math.exp(3 * metrics["decode/greedy_log_probability"]["last"]), 0.30, places=6)
        self.assertAlmostEqual(math.exp(3 * metrics["decode/beam_log_probability"]["last"]), 0.36, places=6)
        self.assertEqual(metrics["decode/tokens_to_cover_0.9"]["last"], 2)  # a and b
        entropy = -(0.6 * math.log(0.6) + 0.4 * math.log(0.4))
        self.assertAlmostEqual(metrics["decode/entropy_at_1"]["last"], entropy, places=6)

    def test_a_prompt_is_continued_as_sample_does(self):
        found = self.figures(TEXT_GPT + "decode: {prompt: 'All:', length: 7, beam: 3, temperatures: []}\n")
        self.assertEqual(sorted(found), ["decode/beam_log_probability", "decode/greedy_log_probability",
                                         "decode/tokens_to_cover_0.9"])
        for name, words in (("greedy", ("--sampler", "greedy")), ("beam", ("--beam", 3))):
            sampled = json.loads(self.succeeds("sample", "e.h5", "--prompt", "All:", "-n", 7, "--json", *words).stdout)
            tokens = sampled["samples"][0]["tokens"]
            self.assertEqual(len(tokens), 7)
            self.assertAlmostEqual(found[f"decode/{name}_log_probability"]["last"],
                                   sum(token["log_probability"] for token in tokens) / 7, places=5)

    def test_figures_are_the_same_for_any_number_of_threads_and_change_no_weight(self):
        text = TEXT_GPT + "decode: {prompts: 3, context: 5, length: 6}\n"
        one, two = self.figures(text, "e", "--threads", 1), self.figures(text, "f", "--threads", 2)
        self.assertEqual(one, two)
        self.assertIn("decode/text_log_probability", one)
        without = self.figures(TEXT_GPT, "g")
        self.assertEqual(without, {})
        self.assertEqual(self.shown("e.h5")["digest"], self.shown("g.h5")["digest"])

    def test_a_run_that_goes_on_measures_anew(self):
        self.figures(TEXT_GPT + "decode: {prompts: 1, context: 5, length: 2}\n")
        self.succeeds("resume", "e.h5", "train.steps=9")
        self.assertEqual(self.shown("e.h5")["metrics"]["decode/beam_log_probability"]["step_of_min"], 9)

    def test_what_cannot_be_decoded_is_refused_before_it_is_trained(self):
        def refused(text, code=2):
            self.write("bad.yaml", text)
            done = self.assay("run", "bad.yaml")
            self.assertEqual((done.returncode, self.results()), (code, []), done.stderr)
            return done.stderr.split("\n")[0]
        self.assertEqual(refused(REVERSE + "decode: {length: 5}\n"),
                         "error: bad.yaml:8:9: decode: the model reads a source, and there is none beside a beginning; "
                         "remove the section")
        self.write("pets.csv", "text,label\n" + "hear me,cat\nspeak,dog\n" * 20)
        labelled = TEXT_GPT.replace("{type: text, source: play.txt}", "{type: labelled_text, source: pets.csv}")
        self.assertEqual(refused(labelled.replace("next_token", "classify").replace("type: gpt", "type: bert") +
                                 "decode: {length: 5}\n"),
                         "error: bad.yaml:11:9: decode: needs a model that tells what follows, and objective 'classify' "
                         "teaches something else; remove the section")
        self.assertEqual(refused(TINY_GPT + "decode: {temperatures: [0]}\n"),
                         "error: bad.yaml:11:9: decode: temperatures must be above 0")
        self.assertIn("has 400 tokens", refused(TINY_GPT + "decode: {context: 300, length: 200}\n", 5))
        self.assertIn("decode.prompt", refused(TINY_GPT + "decode: {prompt: é}\n", 5))

    def test_attention_tells_how_far_its_heads_look(self):
        found = self.figures(TEXT_GPT + "attention: {text: hear me speak}\n")
        heads = json.loads(self.succeeds("attention", "e.h5", "--json").stdout)["heads"]
        back = [head["look_back"] for head in heads]
        self.assertAlmostEqual(found["attention/layer0/attention/shortest_look_back"]["last"], min(back), places=6)
        self.assertAlmostEqual(found["attention/layer0/attention/longest_look_back"]["last"], max(back), places=6)

    def test_cross_attention_tells_how_near_the_diagonals_it_is(self):
        found = self.figures(REVERSE + "attention: {text: 3 1 0 2, layers: ['*/cross']}\n")
        heads = json.loads(self.succeeds("attention", "e.h5", "--json").stdout)["heads"]
        share = [sum(w for head in heads for i, row in enumerate(head["weights"]) for j, w in enumerate(row)
                     if abs(place(i) - j) <= 1) / (4 * len(heads)) for place in (lambda i: i, lambda i: 3 - i)]
        self.assertAlmostEqual(found["attention/decoder/layer0/cross/diagonal"]["last"], share[0], places=5)
        self.assertAlmostEqual(found["attention/decoder/layer0/cross/anti_diagonal"]["last"], share[1], places=5)


if __name__ == "__main__":
    unittest.main()
