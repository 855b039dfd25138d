"""`assay neighbours`, and word vectors as text."""
import json
import math
import unittest

from program import TEXT_GPT, ProgramTest

WORDS = """\
name: words
seed: 1
dataset:   {type: text, source: play.txt}
tokenizer: {type: word, spaces: drop}
model:     {type: word2vec, width: 8}
objective: {type: negative_sampling, window: 2, subsample: 0}
optimizer: {type: adam, learning_rate: 2e-2}
train:     {steps: 60, batch: 16, context: 32}
evaluate:  {windows: random, batches: 1, batch: 8}
"""
# Kings and queens do what they do; dogs and cats something else.
PLAY = "".join(f"the {a} rules the land . the {b} runs after mice . "
               for a in ("king", "queen") for b in ("dog", "cat")) * 40


class Neighbours(ProgramTest):
    def setUp(self):
        super().setUp()
        self.write("play.txt", PLAY)
        self.write("words.yaml", WORDS)
        self.succeeds("run", "words.yaml")
        self.file = self.results()[0]

    def vectors(self):
        """As a reader of the word2vec format would."""
        lines = self.succeeds("export", self.file, "--format", "word2vec").stdout.splitlines()
        count, width = map(int, lines[0].split(" "))
        vectors = {fields[0]: [float(x) for x in fields[1:]] for fields in (line.split(" ") for line in lines[1:])}
        self.assertEqual(len(vectors), count)
        self.assertTrue(all(len(v) == width == 8 for v in vectors.values()))
        return vectors

    def unit(self, vector):
        length = math.sqrt(sum(x * x for x in vector))
        return [x / length for x in vector]

    def test_words_used_alike_are_near(self):
        found = json.loads(self.succeeds("neighbours", self.file, "king", "-n", "1", "--json").stdout)
        self.assertEqual((found["words"], found["neighbours"][0]["word"]), (["king"], "queen"))
        table = self.succeeds("neighbours", self.file, "dog").stdout.splitlines()
        self.assertEqual((table[0].split(), table[2].split()[0]), (["word", "cosine"], "cat"))

    def test_an_analogy_is_the_nearest_to_a_minus_b_plus_c(self):
        vectors = self.vectors()
        a, b, c = (self.unit(vectors[word]) for word in ("king", "the", "dog"))
        wanted = self.unit([x - y + z for x, y, z in zip(a, b, c)])
        cosines = {word: sum(x * y for x, y in zip(wanted, self.unit(v))) for word, v in vectors.items()
                   if word not in ("king", "the", "dog")}
        found = json.loads(self.succeeds("neighbours", self.file, "--analogy", "king", "the", "dog", "-n", 3,
                                         "--json").stdout)["neighbours"]
        self.assertEqual([n["word"] for n in found], sorted(cosines, key=cosines.get, reverse=True)[:3])
        for n in found:
            self.assertAlmostEqual(n["cosine"], cosines[n["word"]], places=5)

    def test_a_word_that_is_not_there_is_named_with_a_near_one(self):
        self.fails(2, "no token 'kind' among 12; did you mean 'king'?\n", "neighbours", self.file, "kind")
        self.fails(2, "no token 'zebra' among 12\n", "neighbours", self.file, "zebra")

    def test_says_what_is_wrong_with_the_request(self):
        self.fails(2, "neighbours: wanted a result file and one word; usage: assay neighbours FILE WORD",
                   "neighbours", self.file)
        self.fails(2, "wanted a result file and three words, of a - b + c", "neighbours", self.file, "--analogy", "king")
        self.fails(5, f"{self.file}: no matrix 'head' with a row for each of its 12 tokens; --weights can be output or "
                      "token\n", "neighbours", self.file, "king", "--weights", "head")
        self.fails(5, f"{self.file}: no checkpoint 'first'; it has ", "neighbours", self.file, "king",
                   "--checkpoint", "first")

    def test_other_models_have_vectors_too(self):
        self.write("tiny.yaml", TEXT_GPT)
        self.succeeds("run", "tiny.yaml")
        file = [f for f in self.results() if "tiny" in str(f)][0]
        self.assertEqual(len(json.loads(self.succeeds("neighbours", file, "k", "--json").stdout)["neighbours"]), 10)
        vectors = self.succeeds("export", file, "--format", "word2vec").stdout.splitlines()
        self.assertEqual(vectors[1].split(" ")[0], "\u2581")  # the space, first of the sorted characters


if __name__ == "__main__":
    unittest.main()
