"""`assay sample`: text from the model of a result file."""
import json
import math
import unittest

from program import REVERSE, TEXT_GPT, ProgramTest

PLAY = "First Citizen:\nBefore we proceed any further, hear me speak.\n\nAll:\nSpeak, speak.\n" * 20


class Sample(ProgramTest):
    def setUp(self):
        super().setUp()
        self.write("play.txt", PLAY)
        self.write("play.yaml", TEXT_GPT)
        self.succeeds("run", "play.yaml", "-o", "play.h5")

    def sampled(self, *words):
        return json.loads(self.succeeds("sample", "play.h5", "--prompt", "All:", *words, "--json").stdout)

    def test_streams_the_prompt_and_what_follows(self):
        text = self.succeeds("sample", "play.h5", "--prompt", "All:", "-n", 20).stdout
        self.assertTrue(text.startswith("All:"))
        self.assertEqual(len(text), len("All:") + 20 + 1)
        self.assertEqual(text, "All:" + self.sampled("-n", 20)["samples"][0]["text"] + "\n")

    def test_the_text_depends_on_the_seed_and_not_on_the_threads(self):
        one, three = (self.sampled("-n", 60, "--samples", 3, "--threads", threads) for threads in (1, 3))
        self.assertEqual(one, three)
        self.assertNotEqual(one, self.sampled("-n", 60, "--samples", 3, "--seed", 2))
        self.assertEqual(len({sample["text"] for sample in one["samples"]}), 3)

    def test_samplers_are_chained(self):
        greedy = self.sampled("-n", 9, "--sampler", "greedy")
        for chain in (["--temperature", 0, "--k", 3], ["--k", 1], ["--sampler", "top_p", "--p", 0],
                      ["--sampler", "top_k", "k=1"], ["--min-p", 1]):
            self.assertEqual(self.sampled("-n", 9, *chain)["samples"], greedy["samples"], chain)
        self.assertEqual(self.sampled("-n", 9, "--beam", 1)["samples"][0]["text"], greedy["samples"][0]["text"])

    def test_a_beam_finds_a_text_at_least_as_likely_as_the_greedy_one(self):
        greedy = self.sampled("-n", 9, "--sampler", "greedy")["samples"][0]["log_probability"]
        beams = self.sampled("-n", 9, "--beam", 5)["samples"]
        self.assertEqual(self.sampled("-n", 9, "--sampler", "beam", "width=5", "--samples", 2)["samples"], beams[:2])
        self.assertEqual(len(beams), 5)
        self.assertGreaterEqual(beams[0]["log_probability"], greedy - 1e-5)
        self.assertEqual(sorted((b["log_probability"] for b in beams), reverse=True),
                         [b["log_probability"] for b in beams])

    def test_scores_agree_with_what_was_sampled(self):
        sample = self.sampled("-n", 12)["samples"][0]
        scored = json.loads(self.succeeds("sample", "play.h5", "--prompt", "All:", "--score", sample["text"],
                                          "--json").stdout)
        self.assertAlmostEqual(scored["log_probability"], sample["log_probability"], places=4)
        self.assertAlmostEqual(scored["log_probability_per_token"], scored["log_probability"] / 12, places=9)

    def test_the_next_token_has_an_entropy_that_rises_with_the_temperature(self):
        entropies = [json.loads(self.succeeds("sample", "play.h5", "--next", 3, "--temperature", t, "--json").stdout)
                     ["entropy"] for t in (0, 0.5, 1, 2)]
        self.assertEqual(entropies[0], 0)
        self.assertEqual(entropies, sorted(entropies))
        self.assertLess(entropies[3], math.log(len(set(PLAY))))

    def test_ends_at_a_stop_text_or_id(self):
        sample = self.sampled("-n", 80)["samples"][0]["text"]
        stop = sample[5:7]
        stopped = self.sampled("-n", 80, "--stop", stop)["samples"][0]
        self.assertEqual(stopped["text"], sample[:sample.index(stop)])
        self.assertTrue(stopped["stopped"])
        by_id = self.sampled("-n", 80, "--stop-id", self.sampled("-n", 80)["samples"][0]["tokens"][3]["id"])
        self.assertTrue(by_id["samples"][0]["stopped"])
        self.assertLessEqual(len(by_id["samples"][0]["tokens"]), 4)

    # D36: a context of 16.
    def test_of_a_prompt_longer_than_the_context_the_end_is_seen(self):
        prompt = PLAY[:40]
        for length in (1, 15, 16, 17, 40):
            sample, end = (json.loads(self.succeeds("sample", "play.h5", "--prompt", text, "-n", 5, "--sampler", "greedy",
                                                    "--json").stdout)["samples"][0]
                           for text in (prompt[-length:], prompt[-length:][-16:]))
            self.assertEqual(len(sample["tokens"]), 5)
            self.assertEqual(sample["text"], end["text"])
            streamed = self.succeeds("sample", "play.h5", "--prompt", prompt[-length:], "-n", 5, "--sampler", "greedy")
            self.assertEqual(streamed.stdout, prompt[-length:] + sample["text"] + "\n")

    # D37: tokens are bytes, and an untrained model draws what is no UTF-8; stdout is decoded strictly.
    def test_streams_characters_and_not_bytes(self):
        self.write("bytes.yaml", TEXT_GPT.replace("{type: char}", "{type: byte_bpe, merges: 0}").replace("steps: 6",
                                                                                                       "steps: 1"))
        self.succeeds("run", "bytes.yaml", "-o", "bytes.h5")
        for prompt, length in (("é🙂", 40), ("a", 1)):
            words = ("sample", "bytes.h5", "--prompt", prompt, "-n", length, "--temperature", 9)
            whole = json.loads(self.succeeds(*words, "--json").stdout)["samples"][0]
            self.assertEqual(len(whole["tokens"]), length)
            streamed = self.succeeds(*words).stdout
            self.assertEqual(streamed.count("\uFFFD"), (prompt + whole["text"]).count("\uFFFD"))
            unix = (prompt + whole["text"] + "\n").replace("\r\n", "\n").replace("\r", "\n")  # as `streamed` was read
            self.assertEqual(streamed, unix)

    def test_does_not_need_the_data(self):
        (self.folder / "play.txt").unlink()
        self.succeeds("sample", "play.h5", "-n", 5)

    # D47: the tokenizer is stored with the weights.
    def test_names_a_character_that_training_never_saw(self):
        self.fails(5, "the prompt: U+00E9 'é' at line 1, column 2", "sample", "play.h5", "--prompt", "Aé")

    def test_says_what_is_wrong_with_the_request(self):
        self.fails(2, "sample: no result file given; usage: assay sample FILE", "sample")
        self.fails(2, "the prompt is empty: a model needs at least one token", "sample", "play.h5", "--prompt", "")
        self.fails(2, "sampler.p: wanted a number, at least 0 and at most 1; got 1.5", "sample", "play.h5", "--p", 1.5)
        self.fails(2, "sampler.temperature: wanted a number, at least 0; got -1", "sample", "play.h5", "--temperature=-1")
        self.fails(2, "no sampler 'topp'", "sample", "play.h5", "--sampler", "topp")
        self.fails(2, "'k=3' is an option of a sampler, and --sampler names none", "sample", "play.h5", "k=3")
        self.fails(2, "wanted one of --samples, --score and --next", "sample", "play.h5", "--next", 2, "--score", "a")
        self.fails(2, "a beam writes text: --next does not go with it", "sample", "play.h5", "--beam", 2, "--next", 3)
        self.fails(2, "--samples 3: a beam of width 2 finds no more than that", "sample", "play.h5", "--beam", 2,
                   "--samples", 3)
        self.fails(2, "--beam says the width of the beam already: remove --width", "sample", "play.h5", "--beam", 2,
                   "--width", 3)
        self.fails(2, "--score is of the model's own distribution: no sampler goes with it", "sample", "play.h5",
                   "--score", "a", "--k", 3)
        self.fails(2, "--stop-id: wanted an id from 0 to ", "sample", "play.h5", "--stop-id", 999)
        self.fails(2, "sampler.temperature: wanted a number, at least 0; got nan", "sample", "play.h5", "--temperature",
                   "nan")
        self.fails(2, "--width is for --sampler beam", "sample", "play.h5", "--width", 2)
        self.fails(2, "a beam looks for the likeliest text, and draws nothing: no other sampler goes with it", "sample",
                   "play.h5", "--sampler", "beam", "--k", 2)
        self.fails(2, "--checkpoint: wanted final or best, got 'last'", "sample", "play.h5", "--checkpoint", "last")
        self.fails(5, "none.h5", "sample", "none.h5")

    def test_a_model_that_reads_a_source_writes_its_target(self):
        self.write("reverse.yaml", REVERSE)
        self.succeeds("run", "reverse.yaml", "-o", "reverse.h5")
        words = self.succeeds("sample", "reverse.h5", "--prompt", "1 2 3 4", "--sampler", "greedy").stdout.split()
        self.assertEqual(len(words), 4)
        beams = json.loads(self.succeeds("sample", "reverse.h5", "--prompt", "1 2 3 4", "--beam", 3, "--json").stdout)
        self.assertEqual(len(beams["samples"]), 3)
        self.fails(2, "the prompt: 'one' is no id; this model has no tokenizer: write ids below 11 with spaces",
                   "sample", "reverse.h5", "--prompt", "one")

    def test_no_text_comes_from_a_model_that_looks_both_ways(self):
        self.write("bert.yaml", TEXT_GPT.replace("type: gpt", "type: bert").replace("next_token", "masked_token"))
        self.succeeds("run", "bert.yaml", "-o", "bert.h5")
        self.fails(2, "bert.h5: model 'bert' looks both ways, so that no text can be generated from it", "sample",
                   "bert.h5")


if __name__ == "__main__":
    unittest.main()
