"""Drives the built program ($ASSAY) in an empty folder, as a user would."""
import json
import os
import pathlib
import shutil
import signal
import subprocess
import tempfile
import unittest

ASSAY = os.environ["ASSAY"]
EXPERIMENTS = pathlib.Path(__file__).resolve().parents[2] / "experiments"
BUILD = pathlib.Path(os.environ["ASSAY_BUILD"])

TINY_GPT = """\
name: tiny
seed: 1
dataset:   {type: grammar, length: 4000}
tokenizer: {type: char}
model:     {type: gpt, width: 16, heads: 2, layers: 1}
objective: {type: next_token}
optimizer: {type: adamw, learning_rate: 3e-3}
scheduler: {type: constant}
train:     {steps: 6, batch: 8, context: 16}
evaluate:  {every: 3, windows: random, seed: 123, batches: 1, batch: 8}
"""

TEXT_GPT = TINY_GPT.replace("{type: grammar, length: 4000}", "{type: text, source: play.txt}")

REVERSE = """\
name: reverse
dataset:   {type: reverse, length: 4}
model:     {type: encoder_decoder, layers: 1, heads: 2, width: 16}
objective: {type: seq2seq}
optimizer: {type: adam}
train:     {steps: 2, batch: 8}
evaluate:  {windows: random, seed: 1, batches: 1, batch: 8}
"""


class ProgramTest(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="assay-test-"))
        self.addCleanup(shutil.rmtree, self.folder)
        # Nothing of this machine's: no data folder, no cache, no plugins of the user.
        self.environment = {"PATH": os.environ["PATH"], "HOME": str(self.folder), "LC_ALL": "C.UTF-8"}
        for name in ("ASAN_OPTIONS", "UBSAN_OPTIONS", "TSAN_OPTIONS", "LSAN_OPTIONS"):
            if name in os.environ:
                self.environment[name] = os.environ[name]

    def write(self, name, text):
        (self.folder / name).write_bytes(text if isinstance(text, bytes) else text.encode())
        return name

    def assay(self, *words):
        return subprocess.run([ASSAY, *map(str, words)], cwd=self.folder, env=self.environment, timeout=120,
                              stdin=subprocess.DEVNULL, capture_output=True, encoding="utf-8")

    def start(self, *words):
        process = subprocess.Popen([ASSAY, *map(str, words)], cwd=self.folder, env=self.environment,
                                   stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   encoding="utf-8")
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.stderr.close)
        self.addCleanup(process.kill)
        return process

    def succeeds(self, *words):
        done = self.assay(*words)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done

    def fails(self, code, message, *words):
        """One error, with this code, that says message (a part of it)."""
        done = self.assay(*words)
        self.assertEqual(done.returncode, code, done.stderr)
        self.assertIn(message, done.stderr)
        self.assertEqual(done.stderr.count("error:"), 1, done.stderr)
        self.assertEqual(done.stdout, "")
        return done

    def results(self, folder="results"):
        return sorted((self.folder / folder).rglob("*.h5"))

    def shown(self, file):
        return json.loads(self.succeeds("show", file, "--json").stdout)
