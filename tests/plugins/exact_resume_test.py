"""A run of every bundled plugin, killed twice and continued at other thread counts, has the bits of one that was not (D06).

By default half of the experiments once, others and at other steps from day to day. All, killed after each of 60 steps:
ASSAY=build/release/bin/assay ASSAY_BUILD=build/release python3 tests/plugins/exact_resume_test.py --all
"""
import argparse
import datetime
import os
import pathlib
import random
import signal
import subprocess
import sys
import unittest

import h5py

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "cli"))
from program import BUILD, ProgramTest
from result_tables import table

EVERY_STEP = False
DAY = datetime.date.today().toordinal()
KINDS = ("model", "tokenizer", "dataset", "objective", "optimizer", "scheduler", "sampler")

# Passes over the data end in the middle of the run, and kills come between: 8 examples for each update in two
# micro-batches, in shuffled order, of fewer than 80.
TEXT = {
    "dataset": "{type: grammar, length: 100}",
    "tokenizer": "{type: char, unknown: true}",
    "model": "{type: gpt, width: 8, heads: 2, layers: 1, dropout: 0.1}",
    "objective": "{type: next_token}",
    "optimizer": "{type: adamw, learning_rate: 3e-3, weight_decay: 0.01}",
    "scheduler": "{type: warmup_cosine, warmup: 3}",
    "samples": "{prompts: [a, b], length: 5, count: 2, samplers: "
               "[[{type: temperature, temperature: 0.8}, {type: top_k}], {type: beam, width: 2}]}",
}
PAIRS = {
    "dataset": "{type: reverse, symbols: 5, length: 3, shortest: 2, validation: 16}",
    "model": "{type: seq2seq_rnn, units: 5, embedding: 3, dropout: 0.1}",
    "objective": "{type: seq2seq}",
    "optimizer": "{type: adam}",
}
LABELS = {
    "dataset": "{type: labelled_text, source: pets.csv, validation: 0.2}",
    "tokenizer": "{type: char}",
    "model": "{type: lstm, units: 5, bidirectional: true, dropout: 0.1}",
    "objective": "{type: classify}",
    "optimizer": "{type: adam}",
}
SAMPLES = "{{prompt: a, length: 5, sampler: {{type: {}}}}}"
COUNTING = {"optimizer": None, "scheduler": None, "train": None, "checkpoint": None}
EXPERIMENTS = {
    "gpt": TEXT,
    "llama": TEXT | {"model": "{type: gpt, width: 8, heads: 2, key_heads: 1, layers: 1, norm: rms, positions: rotary, "
                              "mlp: swiglu, qk_norm: true, window: 3, dropout: 0.1}",
                     "samples": SAMPLES.format("top_p")},
    "bert": TEXT | {"model": "{type: bert, width: 8, heads: 2, layers: 1, positions: relative, dropout: 0.1}",
                    "objective": "{type: masked_token}", "samples": None},
    "rnn": TEXT | {"dataset": "{type: text, source: play.txt, validation: 0.3}", "tokenizer": "{type: word}",
                   "model": "{type: rnn, units: 5, layers: 2, dropout: 0.1}",
                   "optimizer": "{type: sgd, momentum: 0.9, nesterov: true, weight_decay: 0.1}",
                   "scheduler": "{type: constant}", "samples": None},
    "gru": TEXT | {"dataset": "{type: text, source: play.txt, validation: 0.3}",
                   "tokenizer": "{type: byte_bpe, merges: 20}", "model": "{type: gru, units: 5, dropout: 0.1}",
                   "optimizer": "{type: adam, weight_decay: 0.1}", "samples": SAMPLES.format("greedy")},
    "lstm": LABELS | {"tokenizer": "{type: bpe, merges: 20}"},
    "reverse": PAIRS,
    "encoder_decoder": PAIRS | {"model": "{type: encoder_decoder, width: 8, heads: 2, layers: 1, dropout: 0.1}"},
    "copy": PAIRS | {"dataset": "{type: copy, symbols: 5, length: 3, validation: 16}",
                     "model": "{type: seq2seq_rnn, cell: lstm, units: 4, layers: 2}"},
    "sort": PAIRS | {"dataset": "{type: sort, symbols: 5, length: 3, validation: 16}",
                     "optimizer": "{type: sgd, momentum: 0.9}"},
    "addition": PAIRS | {"dataset": "{type: addition, digits: 2, validation: 16}",
                         "model": "{type: seq2seq_rnn, cell: rnn, units: 4}"},
    "pairs": PAIRS | {"dataset": "{type: pairs, file: pairs.tsv, validation: 0.2}", "tokenizer": "{type: char}"},
    "conll": LABELS | {"dataset": "{type: conll, source: names.conll, validation: 0.2}", "tokenizer": "{type: char}",
                       "objective": "{type: label_tokens}",
                       "model": "{type: bert, width: 8, heads: 2, layers: 1, dropout: 0.1}"},
    "word2vec": TEXT | {"dataset": "{type: text, source: play.txt, validation: 0.3}",
                        "tokenizer": "{type: unigram, vocabulary: 60, unknown: true}", "model": "{type: word2vec, width: 5}",
                        "objective": "{type: negative_sampling, window: 2}", "samples": None},
    "hmm": TEXT | {"dataset": "{type: grammar, length: 1000}", "optimizer": None, "scheduler": None,
                   "model": "{type: hmm, states: 3, iterations: 60, tolerance: 0}", "train": None,
                   "samples": SAMPLES.format("min_p")},
    "ngram": TEXT | COUNTING | {"model": "{type: ngram, context: 2}", "samples": SAMPLES.format("top_k")},
    "naive_bayes": LABELS | COUNTING | {"model": "{type: naive_bayes}"},
}


def plugin_names():
    """(kind, name) of every bundled plugin that a run that trains may have."""
    return {(kind, file.stem) for kind in KINDS for file in (BUILD / "plugins" / f"{kind}s").glob("*.so")}


def named_in(sections):
    text = " ".join(value or "" for value in sections.values())
    return {(kind, name) for kind, name in plugin_names() if f"type: {name}" in text}


def arrays_of(file):
    """Everything in a result file that does not depend on time, machine or interruptions, as bytes."""
    found = {}
    with h5py.File(file, "r") as f:
        def add(name, item):
            if isinstance(item, h5py.Dataset):
                found[name] = (item.shape, str(item.dtype), item[()].tobytes())
        for part in ("metrics", "checkpoints", "samples", "tokenizer", "trajectories"):
            if part in f:
                f[part].visititems(lambda name, item, part=part: add(f"{part}/{name}", item))
        for part in ("digest", "status", "steps", "config"):
            add(part, f[part])
    return found


class ExactResume(ProgramTest):
    def setUp(self):
        super().setUp()
        self.steps = 60 if EVERY_STEP else 20
        lines = [f"citizen {line} has resolved rather to die than to famish\n" for line in range(12)]
        self.write("play.txt", "".join(lines))
        self.write("names.conll", "".join(f"Ann B-PER\nsees O\nRome B-LOC\nn{n} O\n\n" for n in range(40)))
        self.write("pairs.tsv", "".join(f"{line}\t{7 * line}\n" for line in range(60)))
        self.write("pets.csv", "text,label\n" + "".join(f"{pet} number {n},{pet}\n"
                                                       for pet in ("cat", "dog") for n in range(10, 40)))

    def write_experiment(self, sections):
        sections = {"name": "resumed", "seed": "7", "evaluate": "{every: 4, windows: all, context: 8}",
                    "train": f"{{steps: {self.steps}, batch: 4, context: 8, accumulate: 2, shards: 2, clip: 1, "
                             "order: shuffled}",
                    "checkpoint": "{every: 3}"} | sections
        self.write("it.yaml", "".join(f"{key}: {value}\n" for key, value in sections.items() if value))

    def interrupted(self, how, step, threads):
        """Runs it.yaml, or continues its file, up to a step."""
        words = ("resume", "part.h5", "-") if (self.folder / "part.h5").exists() else ("run", "it.yaml", "part.h5")
        done = subprocess.run([BUILD / "bin/interrupted_run", *words, str(threads), how, str(step)], cwd=self.folder,
                              env=self.environment, capture_output=True, encoding="utf-8", timeout=120)
        if how == "kill":
            self.assertEqual(done.returncode, -signal.SIGKILL, done.stderr)
        return done

    def finished(self, threads):
        words = ("resume", "part.h5") if (self.folder / "part.h5").exists() else ("run", "it.yaml", "-o", "part.h5")
        return self.succeeds(*words, "--threads", threads)

    def same_as_whole(self):
        whole, part = arrays_of(self.folder / "whole.h5"), arrays_of(self.folder / "part.h5")
        self.assertEqual(sorted(part), sorted(whole))
        self.assertEqual([name for name in whole if part[name] != whole[name]], [])

    def remove_part(self):
        for file in self.folder.glob("part*"):
            file.unlink()

    def kills(self, first, second, how):
        self.remove_part()
        self.interrupted("kill", first, 1)
        self.interrupted(how, second, 3)
        self.finished(2)
        self.same_as_whole()
        history = [what for _, what in table(self.folder / "part.h5", "history")]
        self.assertTrue(all(what.startswith("continued with ") and "inexact" not in what for what in history), history)
        self.assertEqual([file.name for file in self.folder.glob("part*")], ["part.h5"])

    def counted(self):
        self.remove_part()
        self.interrupted("kill", 0, 1)
        self.finished(3)
        self.same_as_whole()

    def exact(self, name, sections):
        self.write_experiment(sections)
        self.succeeds("run", "it.yaml", "-o", "whole.h5", "--force", "--threads", "2")
        if "checkpoint" in sections:
            self.counted()
            return
        draw = random.Random(f"{DAY} {name}")
        for first in range(1, self.steps) if EVERY_STEP else [draw.randrange(1, self.steps)]:
            second, how = draw.randrange(first, self.steps) + 1, draw.choice(("kill", "stop"))
            with self.subTest(experiment=name, killed_after=first, then=how, after=second):
                self.kills(first, second, how)

    def fitting(self, kind, name):
        """Sections of an experiment with a plugin that no experiment above names."""
        for base in (TEXT, PAIRS, LABELS):
            sections = base | ({"samples": f"{{prompt: a, sampler: {{type: {name}}}}}"} if kind == "sampler" else
                               {kind: f"{{type: {name}}}"})
            for kept in (sections, sections | COUNTING):
                self.write_experiment(kept)
                if self.assay("check", "it.yaml").returncode == 0:
                    return kept
        self.fail(f"no experiment of this test takes {kind} '{name}': give it one in EXPERIMENTS")

    def test_of_every_bundled_plugin(self):
        for number, (name, sections) in enumerate(EXPERIMENTS.items()):
            if EVERY_STEP or (number + DAY) % 2 == 0:
                self.exact(name, sections)
        named = set().union(*(named_in(sections) for sections in EXPERIMENTS.values()))
        for kind, name in sorted(plugin_names() - named):
            self.exact(name, self.fitting(kind, name))


class Faults(ExactResume):
    def setUp(self):
        super().setUp()
        for kind, name in (("optimizer", "leaky"), ("objective", "dies")):
            folder = self.folder / "plugins" / f"{kind}s"
            folder.mkdir(parents=True)
            (folder / f"{name}.so").symlink_to(BUILD / "tests/plugins" / f"{name}.so")

    test_of_every_bundled_plugin = None

    def test_a_kill_in_mid_accumulation_costs_nothing(self):
        self.write_experiment(TEXT | {"objective": "{type: dies}"})
        self.succeeds("run", "it.yaml", "-o", "whole.h5")
        batches = 1 + 2 * 6 + 1 + 2  # an evaluation at 0 and at 4, six updates; in the second half of the seventh
        self.environment["ASSAY_TEST_DIES_AT"] = str(batches)
        self.assertEqual(self.assay("run", "it.yaml", "-o", "part.h5", "--threads", 1).returncode, -signal.SIGKILL)
        del self.environment["ASSAY_TEST_DIES_AT"]
        self.assertIn("continues after step 6", self.finished(2).stderr)
        self.same_as_whole()

    def test_a_plugin_that_leaks_its_state_is_caught_with_step_and_metric(self):
        self.write_experiment(TEXT | {"optimizer": "{type: leaky}"})
        self.interrupted("kill", 5, 1)
        done = self.finished(2)
        said = "not deterministic from step 4, metric val/loss: was "
        self.assertIn("continues after step 3; 2 more were done and are computed again", done.stderr)
        self.assertIn(said, done.stderr)
        self.assertTrue([what for step, what in table(self.folder / "part.h5", "history")
                         if step == "4" and what.startswith(said)])

    def test_a_plugin_that_leaks_its_state_at_an_orderly_stop_is_found_by_rerun(self):
        self.write_experiment(TEXT | {"optimizer": "{type: leaky}"})
        self.interrupted("stop", 5, 1)
        self.assertNotIn("deterministic", self.finished(2).stderr)
        done = self.assay("rerun", "part.h5")
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertRegex(done.stdout, r"^not the same bits: step 6: train/gradient_norm was [0-9.]+, is [0-9.]+; "
                         r"weights part at step 8: \S+ is the first of \d+ parameters \(of \d+\) that differ; "
                         r"the same at step 4\n$")


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--all", action="store_true", help="every step of 60")
    known, rest = parser.parse_known_args()
    EVERY_STEP = known.all
    unittest.main(argv=[sys.argv[0], *rest])
