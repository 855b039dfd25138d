"""`assay attention`: what the heads of a trained model look at."""
import base64
import json
import re
import struct
import unittest
import zlib

import h5py

from program import REVERSE, TEXT_GPT, ProgramTest

PLAY = "First Citizen:\nBefore we proceed any further, hear me speak.\n\nAll:\nSpeak, speak.\n" * 20
GPT = TEXT_GPT.replace("heads: 2, layers: 1", "heads: 4, layers: 2")


def png_size(data):
    """Checks the chunks and the pixels; returns width and height."""
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    at, pixels = 8, b""
    while at < len(data):
        length, = struct.unpack(">I", data[at:at + 4])
        kind, body = data[at + 4:at + 8], data[at + 8:at + 8 + length]
        assert struct.unpack(">I", data[at + 8 + length:at + 12 + length])[0] == zlib.crc32(kind + body)
        if kind == b"IHDR":
            width, height = struct.unpack(">II", body[:8])
        if kind == b"IDAT":
            pixels += body
        at += 12 + length
    assert len(zlib.decompress(pixels)) == height * (1 + 3 * width)
    return width, height


class Attention(ProgramTest):
    def setUp(self):
        super().setUp()
        self.write("play.txt", PLAY)

    def trained(self, text):
        self.write("run.yaml", text)
        self.succeeds("run", "run.yaml", "-o", "run.h5")

    def attended(self, *words):
        return json.loads(self.succeeds("attention", "run.h5", *words, "--json").stdout)

    def test_the_weights_of_a_decoder_are_causal_and_sum_to_one(self):
        self.trained(GPT)
        found = self.attended("--text", "hear me", "--layer", 1)
        self.assertEqual((found["layer"], found["rows"]), ("layer1/attention", list("hear_me")))
        self.assertEqual(len(found["heads"]), 4)
        for head in found["heads"]:
            for i, row in enumerate(head["weights"]):
                self.assertAlmostEqual(sum(row), 1, places=5)
                self.assertEqual(row[i + 1:], [0] * (6 - i))
            back = sum(w * (i - j) for i, row in enumerate(head["weights"]) for j, w in enumerate(row)) / 7
            self.assertAlmostEqual(head["look_back"], back, places=5)

    def test_picks_the_heads_with_the_shortest_and_the_longest_look_back(self):
        self.trained(GPT)
        every = [head["look_back"] for head in self.attended("--text", "hear me speak")["heads"]]
        picked = [head["look_back"] for head in self.attended("--text", "hear me speak", "--pick")["heads"]]
        self.assertEqual(picked, [min(every), max(every)])

    def test_draws_on_the_screen_and_in_a_picture(self):
        self.trained(GPT)
        lines = self.succeeds("attention", "run.h5", "--text", "me", "--layer", 0, "--head", 3).stdout.splitlines()
        self.assertRegex(lines[0], r"^layer0/attention head 3, looks back 0\.\d\d$")
        self.assertEqual(lines[1:3], ["  me", "m █"])
        done = self.succeeds("attention", "run.h5", "--text", "hear me", "--pick", "-o", "heads.png")
        self.assertEqual(done.stdout, "heads.png: 2 heads of layer1/attention\n")
        width, height = png_size((self.folder / "heads.png").read_bytes())
        self.assertGreater(width, 2 * 7 * 12)
        self.assertGreater(height, 7 * 12)

    def test_shows_what_a_decoder_looks_at_in_its_source(self):
        self.trained(REVERSE)
        found = self.attended("--text", "1 2 3 4")
        self.assertEqual((found["layer"], found["columns"]), ("decoder/layer0/cross", ["1", "2", "3", "4"]))
        self.assertEqual(found["rows"][0], "start")
        self.assertEqual(self.attended("--text", "1 2 3 4", "--layer", "encoder/layer0/attention")["rows"],
                         ["1", "2", "3", "4"])

    def test_an_encoder_has_a_class_token(self):
        self.trained(GPT.replace("type: gpt", "type: bert").replace("next_token", "masked_token"))
        found = self.attended("--text", "hear")
        self.assertEqual(found["columns"], ["[CLS]", *"hear"])
        self.assertGreater(found["heads"][0]["weights"][0][4], 0)

    def test_a_run_stores_what_its_heads_attend_to(self):
        self.trained(GPT + "attention: {text: hear me, layers: [layer1/*]}\n")
        self.assertEqual(self.attended(), self.attended("--text", "hear me"))
        self.assertEqual(self.attended()["layer"], "layer1/attention")
        self.fails(2, "no layer '0'; wanted a number from 0, or one of layer1/attention", "attention", "run.h5",
                   "--layer", "0")
        with h5py.File(self.folder / "run.h5") as file:
            maps = file["attention/layer1%2Fattention"]
            self.assertEqual((maps["weights"].shape, maps["step"][()]), ((4, 7, 7), 6))
            self.assertEqual(maps["queries/bytes"][()].tobytes(), b"hear me")
        self.succeeds("compare", "run.h5", "--html", "page.html")
        picture = re.search('src="data:image/png;base64,([^"]+)"', (self.folder / "page.html").read_text())[1]
        width, height = png_size(base64.b64decode(picture))
        self.assertGreater(width, 4 * 7 * 12)

    def test_what_cannot_be_stored_is_refused_before_the_first_step(self):
        for section, why in (("text: '#'", "text: U+0023 '#' at line 1"),
                             ("text: ''", "text: the text has no token; write some"),
                             (f"text: {'e' * 17}", "text: the text has 17 tokens, and the model sees 16; shorten it")):
            self.write("bad.yaml", GPT + f"attention: {{{section}}}\n")
            self.assertRegex(self.assay("run", "bad.yaml", "-o", "bad.h5").stderr,
                             r"^error: bad\.yaml:\d+:12: attention: " + re.escape(why))
            self.assertFalse((self.folder / "bad.h5").exists())
        self.write("bad.yaml", GPT + "attention: {text: me, layers: [layer7/*]}\n")
        self.fails(2, "attention.layers: no layer is like 'layer7/*'; there are layer0/attention and layer1/attention",
                   "check", "bad.yaml")

    def test_says_what_is_wrong_with_the_request(self):
        self.trained(GPT)
        self.fails(2, "attention: no result file given", "attention")
        self.fails(2, "attention: no text given, and the run stored no attention", "attention", "run.h5")
        self.fails(2, "the text has 17 tokens, and the model sees 16", "attention", "run.h5", "--text", "e" * 17)
        self.fails(2, "--layer: no layer '7'; wanted a number from 0, or one of layer0/attention and layer1/attention",
                   "attention", "run.h5", "--text", "me", "--layer", 7)
        self.fails(2, "--head: no head '4'; there are 4, counted from 0", "attention", "run.h5", "--text", "me",
                   "--head", 4)


if __name__ == "__main__":
    unittest.main()
