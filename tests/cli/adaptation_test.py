"""Training that starts from trained weights: `model: {from, trainable, lora}`, `assay merge`, GPT-2's names."""
import json
import pathlib
import unittest

import h5py
from result_tables import table

from program import TEXT_GPT, ProgramTest

PLAY = "First Citizen:\nBefore we proceed any further, hear me speak.\n\nAll:\nSpeak, speak.\n" * 20
GOLDEN = pathlib.Path(__file__).resolve().parents[1] / "golden/gpt2_tiny"
MODEL = "{type: gpt, width: 16, heads: 2, layers: 1}"
AGAIN = TEXT_GPT.replace("{type: char}", "{from: base.h5}")


def weights(file):
    with h5py.File(file, "r") as f:
        return {name.replace("%2F", "/"): array[()] for name, array in f["checkpoints/final/weights"].items()}


class Adaptation(ProgramTest):
    def setUp(self):
        super().setUp()
        self.write("play.txt", PLAY)
        self.write("base.yaml", TEXT_GPT)
        self.succeeds("run", "base.yaml", "-o", "base.h5")

    def run_with(self, model, name="again", text=AGAIN):
        self.write(name + ".yaml", text.replace(MODEL, model))
        self.succeeds("run", name + ".yaml", "-o", name + ".h5")
        return self.folder / (name + ".h5")

    def val_loss_at_0(self, file):
        with h5py.File(file, "r") as f:
            return f["metrics"]["val%2Floss"]["value"][0]

    def last_loss(self, file):
        with h5py.File(file, "r") as f:
            return f["metrics"]["val%2Floss"]["value"][-1]

    def test_goes_on_from_the_weights_of_a_file(self):
        file = self.run_with("{from: base.h5}")
        self.assertEqual(self.val_loss_at_0(file), self.last_loss(self.folder / "base.h5"))
        self.assertEqual(dict(table(file, "data"))["started from"], "base.h5, step 6")
        self.succeeds("rerun", "again.h5", "-o", "third.h5")
        self.assertEqual(self.shown("again.h5")["digest"], self.shown("third.h5")["digest"])

    def test_trains_what_is_asked_for_and_nothing_else(self):
        file = self.run_with("{from: base.h5, trainable: [head/*, layer0/mlp/project/bias]}")
        before, after = weights(self.folder / "base.h5"), weights(file)
        changed = sorted(path for path in before if (before[path] != after[path]).any())
        self.assertEqual(changed, ["head/bias", "head/weight", "layer0/mlp/project/bias"])

    def test_a_head_of_another_size_is_new(self):
        self.write("masked.yaml", TEXT_GPT.replace("type: gpt", "type: bert").replace("next_token", "masked_token"))
        self.succeeds("run", "masked.yaml", "-o", "base.h5", "--force")
        self.write("pets.csv", "text,label\n" + "".join(f"hear me {i},{'cat' if i % 2 else 'dog'}\n" for i in range(40)))
        text = (AGAIN.replace("{type: text, source: play.txt}", "{type: labelled_text, source: pets.csv}")
                .replace("next_token", "classify"))
        self.write("masked.yaml", text.replace(MODEL, "{from: base.h5}"))
        self.fails(5, "U+0030", "run", "masked.yaml")
        self.write("pets.csv", "text,label\n" + "hear me,cat\nspeak,dog\n" * 20)
        self.succeeds("run", "masked.yaml", "-o", "pets.h5")
        facts = dict(table(self.folder / "pets.h5", "data"))
        self.assertEqual(facts["new parameters"], "head/weight and head/bias")

    def test_adapters_start_as_nothing_and_are_all_that_is_trained(self):
        file = self.run_with("{from: base.h5, lora: {rank: 2, on: [layer*/attention/q, layer*/attention/v]}}")
        self.assertEqual(self.val_loss_at_0(file), self.last_loss(self.folder / "base.h5"))
        before, after = weights(self.folder / "base.h5"), weights(file)
        for path, array in before.items():
            self.assertTrue((after[path] == array).all(), path)
        self.assertEqual(sorted(set(after) - set(before)),
                         [f"layer0/attention/{m}/lora_{part}" for m in "qv" for part in "ab"])
        self.assertTrue(after["layer0/attention/q/lora_b"].any())
        self.assertTrue(dict(table(file, "data"))["trained numbers"].startswith("128 of "))  # 2 x 2 x (16 + 16)

    # D49: one dataset in the file, still tied after it is loaded and after it is continued.
    def test_tied_weights_are_one_in_the_file_and_stay_tied(self):
        tied = MODEL.replace("layers: 1", "layers: 1, tied: true")
        for name, text in (("whole", TEXT_GPT.replace("steps: 6", "steps: 9")), ("part", TEXT_GPT)):
            self.write(name + ".yaml", text.replace(MODEL, tied))
            self.succeeds("run", name + ".yaml", "-o", name + ".h5")
        self.assertFalse([path for path in weights(self.folder / "part.h5") if path.startswith("head")])
        self.succeeds("resume", "part.h5", "train.steps=9")
        self.assertEqual(self.shown("part.h5")["digest"], self.shown("whole.h5")["digest"])
        self.write("from.yaml", AGAIN.replace(MODEL, "{from: whole.h5}").replace("base.h5", "whole.h5"))
        self.succeeds("run", "from.yaml", "-o", "from.h5")
        self.assertEqual(self.val_loss_at_0(self.folder / "from.h5"), self.last_loss(self.folder / "whole.h5"))
        self.assertEqual(sorted(weights(self.folder / "from.h5")), sorted(weights(self.folder / "whole.h5")))

    # REFERENCE S20: exact to 1e-5.
    def test_merged_weights_give_the_same_text(self):
        self.run_with("{from: base.h5, lora: {rank: 2, alpha: 8, on: ['layer0/*']}}")
        self.succeeds("merge", "again.h5", "-o", "merged.h5")
        self.assertNotIn("layer0/attention/q/lora_a", weights(self.folder / "merged.h5"))
        scores = [json.loads(self.succeeds("sample", file, "--prompt", "All:", "--score", " hear me speak",
                                           "--json").stdout) for file in ("again.h5", "merged.h5", "base.h5")]
        for a, b in zip(scores[0]["tokens"], scores[1]["tokens"]):
            self.assertAlmostEqual(a["log_probability"], b["log_probability"], delta=1e-5)
        self.assertNotAlmostEqual(scores[0]["log_probability"], scores[2]["log_probability"], delta=1e-4)
        self.fails(2, "merged.h5: its model has no adapters to be merged", "merge", "merged.h5", "-o", "x.h5")
        self.fails(2, "merged.h5 exists; --force replaces it", "merge", "again.h5", "-o", "merged.h5")

    def test_says_what_is_wrong(self):
        def fails(code, message, model, text=AGAIN):
            self.write("bad.yaml", text.replace(MODEL, model))
            self.fails(code, message, "run", "bad.yaml")
        fails(2, "error: bad.yaml:5:39: model.trainable: 'haed/*' matches no parameter; did you mean head/*?\n",
              "{from: base.h5, trainable: ['haed/*']}")
        fails(2, "bad.yaml:5:39: model.lora.on: 'layer*/atention/q' matches no linear layer; did you mean "
              "layer*/attention/q?\n", "{from: base.h5, lora: {on: ['layer*/atention/q']}}")
        fails(2, "model.lora.on: 'blocks.9' matches no linear layer; this model has token, ",
              "{from: base.h5, lora: {on: ['blocks.9']}}")
        self.write("model.safetensors", (GOLDEN / "model.safetensors").read_bytes())
        fails(2, "error: bad.yaml:5:12: model.type: is missing, and model.safetensors has weights alone; write the type and "
              "options of their model beside from, such as type: gpt\n", "{from: model.safetensors}")
        fails(2, "token has shape (30, 16) in base.h5, step 6, and (30, 32) here", "{from: base.h5, width: 32}")
        fails(2, "model.type: lstm, but the weights of base.h5 are those of gpt", "{from: base.h5, type: lstm}")
        fails(2, "base.h5, step 6 learned from the ids of another tokenizer; write tokenizer: {from: base.h5}",
              "{from: base.h5}", TEXT_GPT.replace("{type: char}", "{type: bpe, merges: 3}"))
        fails(5, "nothing.h5", "{from: nothing.h5}")


class Gpt2(ProgramTest):
    GPT2 = ("{type: gpt, from: model.safetensors, width: 8, heads: 2, layers: 2, mlp: gelu_tanh, "
            "attention_bias: true, tied: true}")

    # One update with a learning rate too small to change a bit.
    def setUp(self):
        super().setUp()
        self.write("letters.txt", "abcdefghijk" * 100)
        (self.folder / "model.safetensors").write_bytes((GOLDEN / "model.safetensors").read_bytes())
        text = (TEXT_GPT.replace("play.txt", "letters.txt").replace(MODEL, self.GPT2)
                .replace("{type: adamw, learning_rate: 3e-3}", "{type: sgd, learning_rate: 1e-30}")
                .replace("steps: 6, batch: 8, context: 16", "steps: 1, batch: 2, context: 12")
                .replace("every: 3", "every: 1"))
        self.write("gpt2.yaml", text)
        self.succeeds("run", "gpt2.yaml", "-o", "gpt2.h5")

    def test_gives_the_logits_that_pytorch_gives(self):
        golden = json.loads((GOLDEN / "log_probabilities.json").read_text())
        letters = "".join("abcdefghijk"[token] for token in golden["tokens"])
        scored = json.loads(self.succeeds("sample", "gpt2.h5", "--prompt", letters[0], "--score", letters[1:],
                                          "--json").stdout)
        for token, wanted in zip(scored["tokens"], golden["log_probabilities"]):
            self.assertAlmostEqual(token["log_probability"], wanted, delta=1e-5)

    def test_comes_out_as_it_went_in(self):
        self.succeeds("export", "gpt2.h5", "--format", "safetensors", "--names", "gpt2", "-o", "back.safetensors")
        there, back = ((self.folder / name).read_bytes() for name in ("model.safetensors", "back.safetensors"))
        self.assertEqual(there, back)

    def test_a_model_that_is_no_gpt2_has_no_such_names(self):
        self.write("play.txt", PLAY)
        self.write("base.yaml", TEXT_GPT)
        self.succeeds("run", "base.yaml", "-o", "base.h5")
        self.fails(2, "this model has no layer0/attention/o/weight: GPT-2 is a gpt with mlp: gelu_tanh (or gelu)",
                   "export", "base.h5", "--format", "safetensors", "--names", "gpt2", "-o", "x.safetensors")

    def test_a_damaged_file_is_refused(self):
        whole = (GOLDEN / "model.safetensors").read_bytes()
        for damaged in (whole[:5], whole[:200], whole[:-4], b"\xff" * 8 + whole[8:]):
            self.write("model.safetensors", damaged)
            self.fails(5, "model.safetensors: no safetensors file: ", "run", "gpt2.yaml")


if __name__ == "__main__":
    unittest.main()
