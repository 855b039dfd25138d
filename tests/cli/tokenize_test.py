"""`assay tokenize`, and experiments that take the tokenizer of an earlier run."""
import json
import subprocess
import unittest

from program import ASSAY, TEXT_GPT, ProgramTest

PLAY = "First Citizen:\nBefore we proceed any further, hear me speak.\n\nAll:\nSpeak, speak.\n" * 20
BPE = TEXT_GPT.replace("{type: char}", "{type: bpe, merges: 30}")


class Tokenize(ProgramTest):
    def setUp(self):
        super().setUp()
        self.write("play.txt", PLAY)

    def tokens(self, *words):
        return json.loads(self.succeeds("tokenize", *words, "--json").stdout)

    def test_json_has_every_token(self):
        self.write("line.txt", "hear me\n")
        tokens = self.tokens("line.txt", "--type", "bpe", "--merges", 30, "--train", "play.txt")
        self.assertEqual("".join(tokens["pieces"]), "hear me\n")
        self.assertEqual(tokens["tokens"], len(tokens["ids"]))
        self.assertEqual(tokens["characters"], 8)
        self.assertEqual(tokens["characters_per_token"], 8 / tokens["tokens"])
        self.assertEqual(tokens["vocabulary"], len(set(PLAY)) + 30)

    def test_pieces_are_shown_apart_with_newlines_and_lone_bytes_to_be_seen(self):
        self.write("line.txt", "a\né")
        done = self.succeeds("tokenize", "line.txt", "--type", "byte_bpe", "--merges", 0)
        self.assertEqual(done.stdout, "a|\\n|\n<C3>|<A9>|\nids: 97 10 195 169\n"
                                      "4 tokens, 3 characters, 0.75 characters per token, vocabulary 256\n")

    def test_a_dash_is_standard_input(self):
        done = subprocess.run([ASSAY, "tokenize", "-", "--type", "char", "--train", "play.txt", "--json"],
                              cwd=self.folder, env=self.environment, input="speak", capture_output=True,
                              encoding="utf-8", timeout=60)
        self.assertEqual(json.loads(done.stdout)["pieces"], list("speak"))
        self.fails(2, "standard input is read once", "tokenize", "-", "--type", "char")

    def piped(self, text, *words):
        return subprocess.run([ASSAY, "tokenize", "-", "--train", "play.txt", "--json", *words], cwd=self.folder,
                              env=self.environment, input=text, capture_output=True, timeout=60)

    def test_standard_input_is_read_as_a_file_is(self):
        text = b"\xef\xbb\xbfhear\r\nme\rspeak"
        self.write("line.txt", text)
        done = self.piped(text, "--type", "char")
        self.assertEqual(json.loads(done.stdout), self.tokens("line.txt", "--type", "char", "--train", "play.txt"))
        self.assertEqual("".join(json.loads(done.stdout)["pieces"]), "hear\nme\nspeak")
        empty = self.piped(b"", "--type", "char")
        self.assertEqual((empty.returncode, empty.stderr), (5, b"error: standard input: is empty: wanted text\n"))
        bytes_only = self.piped(b"a\xff", "--type", "char")
        self.assertEqual(bytes_only.returncode, 5)
        self.assertIn(b"standard input: byte 1 (0xFF) is not UTF-8", bytes_only.stderr)

    def test_says_what_is_wrong_with_the_request(self):
        self.fails(2, "wanted one of --type", "tokenize", "play.txt")
        self.fails(2, "no text given", "tokenize", "--type", "char")
        self.fails(2, "no tokenizer 'bpee'", "tokenize", "play.txt", "--type", "bpee")
        self.fails(2, "merge: unknown", "tokenize", "play.txt", "merge=3", "--type", "bpe")
        self.fails(2, "--merges is for training", "tokenize", "play.txt", "--from", "x.h5", "--merges", 3)
        self.fails(5, "x.h5", "tokenize", "play.txt", "--from", "x.h5")

    def test_a_trained_tokenizer_serves_another_run(self):
        self.write("bpe.yaml", BPE)
        self.succeeds("run", "bpe.yaml", "-o", "trained.h5")
        wanted = self.tokens("play.txt", "--from", "trained.h5")["ids"]
        self.write("other.txt", PLAY[::-1])
        self.write("again.yaml", BPE.replace("{type: bpe, merges: 30}", "{from: trained.h5}")
                   .replace("play.txt", "other.txt"))
        self.succeeds("run", "again.yaml", "-o", "again.h5")
        self.assertEqual(self.tokens("play.txt", "--from", "again.h5")["ids"], wanted)
        self.fails(2, "tokenizer.merges: 5, but the tokenizer in trained.h5 has 30", "check", "again.yaml",
                   "tokenizer.merges=5")
        self.succeeds("check", "again.yaml", "tokenizer.merges=30")
        self.fails(2, "tokenizer.digest: trained.h5 holds another tokenizer", "check", "again.yaml",
                   "tokenizer.digest=abc")

    def test_losses_of_tokens_of_several_characters_are_also_told_by_character(self):
        self.write("bpe.yaml", BPE)
        self.succeeds("run", "bpe.yaml", "-o", "bpe.h5")
        shown = self.shown("bpe.h5")["metrics"]
        end = PLAY[len(PLAY) * 9 // 10:]
        self.write("end.txt", end)
        tokens = self.tokens("end.txt", "--from", "bpe.h5")["tokens"]
        self.assertAlmostEqual(shown["val/nats_per_character"]["last"],
                               shown["val/loss"]["last"] * tokens / len(end), places=12)
        self.write("char.yaml", TEXT_GPT)
        self.succeeds("run", "char.yaml", "-o", "char.h5")
        self.assertNotIn("val/nats_per_character", self.shown("char.h5")["metrics"])

    def test_check_says_that_the_text_has_too_few_pairs(self):
        self.write("bpe.yaml", BPE)
        note = self.succeeds("check", "bpe.yaml", "tokenizer.merges=9999").stdout
        self.assertIn("merges: the training text has no other pair", note)


if __name__ == "__main__":
    unittest.main()
