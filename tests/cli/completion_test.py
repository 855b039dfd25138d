"""Completion of command lines: what the program offers, and what bash, zsh and fish make of it."""
import os
import pty
import re
import select
import shutil
import subprocess
import time
import unittest

from program import ASSAY, TINY_GPT, ProgramTest


class Offered(ProgramTest):
    def setUp(self):
        super().setUp()
        self.write("tiny.yaml", TINY_GPT)
        self.write("notes.txt", "")
        self.write("run.h5", "")
        (self.folder / "model").mkdir()
        self.write("model/small.yaml", "{type: gpt}\n")

    def offered(self, *words):
        done = self.succeeds("completion", "words", "--", *words)
        self.assertEqual(done.stderr, "")
        return [line.split("\t")[0] for line in done.stdout.splitlines()]

    def test_verbs(self):
        self.assertEqual(self.offered("co"), ["config", "compare", "completion"])
        self.assertIn("run", self.offered(""))
        self.assertEqual(self.offered("--v"), ["--version"])

    def test_every_verb_and_every_option_of_its_help(self):
        for verb in self.offered(""):
            text = self.succeeds("help", verb).stdout.split("\nOptions:\n")[1].split("\n\nExamples:")[0]
            named = [word for line in text.splitlines() if line.startswith("  ") for word in line[:30].split()
                     if word.startswith("--")]
            self.assertEqual([option for option in self.offered(verb, "--")], named)

    def test_options_and_their_values(self):
        self.assertEqual(self.offered("run", "tiny.yaml", "--dry"), ["--dry-run"])
        self.assertEqual(self.offered("run", "--resume", ""), ["auto", "never", "must"])
        self.assertEqual(self.offered("run", "--resume=n"), ["--resume=never"])
        self.assertEqual(self.offered("export", "run.h5", "--format", "t"), ["tensorboard"])
        self.assertEqual(self.offered("run", "--out", ""), ["model/"])
        self.assertEqual(self.offered("run", "-o", "n"), ["notes.txt"])
        self.assertEqual(self.offered("tokenize", "notes.txt", "--type", "b"), ["bpe", "byte_bpe"])
        self.assertEqual(self.offered("run", "--force", "--f"), [])

    def test_files_of_the_kind_that_is_wanted(self):
        self.assertEqual(self.offered("run", ""), ["model/", "tiny.yaml"])
        self.assertEqual(self.offered("run", "model/"), ["model/small.yaml"])
        self.assertEqual(self.offered("show", ""), ["model/", "run.h5"])
        self.assertEqual(self.offered("tokenize", ""), ["model/", "notes.txt", "run.h5", "tiny.yaml"])

    def test_keys_one_step_at_a_time(self):
        self.assertEqual(self.offered("run", "tiny.yaml", "tr"), ["train."])
        self.assertEqual(self.offered("run", "tiny.yaml", "model.wid"), ["model.width="])
        self.assertEqual(self.offered("run", "tiny.yaml", "mod"), ["model.", "model="])
        self.assertEqual(self.offered("run", "tiny.yaml", "samples.sa"), ["samples.sampler.", "samples.samplers="])
        self.assertEqual(self.offered("run", "tiny.yaml", "++model.wid"), ["++model.width="])
        self.assertEqual(self.offered("run", "tiny.yaml", "~model.wid"), ["~model.width"])
        self.assertEqual(self.offered("run", "tiny.yaml", "sweep.grid.se"), ["sweep.grid.seed="])
        self.assertEqual(self.offered("config", "tiny.yaml", "--why", "model.wid"), ["model.width"])

    def test_keys_are_those_of_the_plugins_that_are_named(self):
        self.assertEqual(self.offered("run", "tiny.yaml", "optimizer.mom"), [])
        self.assertEqual(self.offered("run", "tiny.yaml", "optimizer.type=sgd", "optimizer.mom"),
                         ["optimizer.momentum="])

    def test_values(self):
        self.assertEqual(self.offered("run", "tiny.yaml", "model.type=r"), ["model.type=rnn"])
        self.assertEqual(self.offered("run", "tiny.yaml", "model.type=gpt,l"), ["model.type=gpt,lstm"])
        self.assertEqual(self.offered("run", "tiny.yaml", "evaluate.windows="),
                         ["evaluate.windows=random", "evaluate.windows=all"])
        self.assertEqual(self.offered("run", "tiny.yaml", "model.tied="), ["model.tied=true", "model.tied=false"])
        self.assertEqual(self.offered("run", "tiny.yaml", "model=s"), ["model=small"])
        self.assertEqual(self.offered("run", "tiny.yaml", "model=gpt-t"), ["model=gpt-tiny"])
        self.assertEqual(self.offered("run", "tiny.yaml", "dataset.type=text", "dataset.source=n"),
                         ["dataset.source=notes.txt"])

    def test_plugins(self):
        self.assertEqual(self.offered("plugins", "show", "mod"), ["model"])
        self.assertEqual(self.offered("plugins", "show", "optimizer", "ad"), ["adam", "adamw"])
        self.assertEqual(self.offered("plugins", "test", "model", "gpt", "wid"), ["width="])
        self.assertEqual(self.offered("schema", "mo"), ["model"])
        self.assertEqual(self.offered("help", "ru"), ["run"])

    def test_a_line_that_is_wrong_is_no_error(self):
        self.write("bad.yaml", "model: {type: gptt\n")
        self.assertEqual(self.offered("run", "bad.yaml", "train.st"), ["train.steps="])
        self.assertEqual(self.offered("run", "gone.yaml", "--plugins", "gone", "train.st"), ["train.steps="])
        self.assertEqual(self.offered("rnu", ""), [])
        self.assertEqual(self.succeeds("completion", "words").stdout, "")

    def test_an_unknown_shell(self):
        self.assertEqual(self.fails(2, "", "completion", "tcsh").stderr,
                         "error: completion: wanted the name of a shell: bash, zsh or fish\n")


class Shell(ProgramTest):
    """The program is first on the PATH; the scripts are loaded as its help says."""

    def setUp(self):
        super().setUp()
        self.write("tiny.yaml", TINY_GPT)
        self.write("two words.yaml", TINY_GPT)
        (self.folder / "bin").mkdir()
        (self.folder / "bin/assay").symlink_to(ASSAY)
        self.environment["PATH"] = f"{self.folder}/bin:{self.environment['PATH']}"

    def shell(self, name):
        found = shutil.which(name)
        if not found:
            self.skipTest(f"{name} is not installed")
        return found

    def typed(self, command, setup, keys, wanted):
        """What a shell in a terminal shows after these keys, up to the text that is wanted."""
        environment = {**self.environment, "TERM": "dumb", "PS1": "> ", "INPUTRC": "/dev/null", "COLUMNS": "200"}
        child, terminal = pty.fork()
        if child == 0:
            os.chdir(self.folder)
            os.execve(command[0], command, environment)
        self.addCleanup(os.waitpid, child, 0)
        self.addCleanup(os.close, terminal)
        os.write(terminal, (setup + "; echo set-u''p\n").encode())
        shown = self.read_until(terminal, "set-up")
        self.assertIn("set-up", shown)
        os.write(terminal, keys.encode())
        shown = self.read_until(terminal, wanted)
        self.assertIn(wanted, shown)

    @staticmethod
    def read_until(terminal, wanted):
        shown, deadline = "", time.monotonic() + 20
        while wanted not in shown and time.monotonic() < deadline:
            if select.select([terminal], [], [], 0.5)[0]:
                shown += os.read(terminal, 65536).decode(errors="replace")
                shown = re.sub(r"\x1b\[[?0-9;]*[a-zA-Z]|\x07| \x08", "", shown)  # bells and moves of the cursor
        return shown


class Bash(Shell):
    def completed(self, line):
        """COMPREPLY for a line with the cursor at its end, its words taken apart by bash itself."""
        script = r"""
            source <(assay completion bash)
            compopt() { echo "compopt $*"; }
            COMP_LINE=$1 COMP_POINT=${#1} COMP_WORDS=("${@:2}") COMP_CWORD=$(($# - 2))
            _assay
            printf '%s\n' "${COMPREPLY[@]}"
        """
        # As readline does: = and : are words of their own.
        words = []
        for word in line.split(" "):
            parts = [""]
            for c in word:
                if c in "=:":
                    if parts[-1] == "":
                        parts[-1] = c
                    else:
                        parts.append(c)
                    parts.append("")
                else:
                    parts[-1] += c
            words += parts if len(parts) == 1 or parts[-1] else parts[:-1]
        done = subprocess.run([self.shell("bash"), "--norc", "-c", script, "bash", line, *words], cwd=self.folder,
                              env=self.environment, capture_output=True, encoding="utf-8", timeout=60)
        self.assertEqual(done.stderr, "")
        return done.stdout.split("\n")[:-1]

    def test_words(self):
        self.assertEqual(self.completed("assay comp"), ["compare", "completion"])
        self.assertEqual(self.completed("assay run ti"), ["tiny.yaml"])
        self.assertEqual(self.completed("assay run two"), ["two\\ words.yaml"])
        self.assertEqual(self.completed("assay run tiny.yaml --dr"), ["--dry-run"])

    def test_keys_go_on_without_a_space(self):
        self.assertEqual(self.completed("assay run tiny.yaml model.wid"), ["compopt -o nospace", "model.width="])

    def test_values_behind_the_equals_sign(self):
        self.assertEqual(self.completed("assay run tiny.yaml model.type=g"), ["gpt", "gru"])
        self.assertEqual(self.completed("assay run tiny.yaml model.type="),
                         [line.split("\t")[0][len("model.type="):] for line in
                          self.succeeds("completion", "words", "--", "run", "tiny.yaml", "model.type=").stdout.splitlines()])

    def test_in_a_terminal(self):
        self.typed([self.shell("bash"), "--norc", "-i"], "source <(assay completion bash)",
                   "assay run tiny.yaml model.type=gp\t--dr\t", "assay run tiny.yaml model.type=gpt --dry-run ")


class Zsh(Shell):
    def test_in_a_terminal(self):
        self.typed([self.shell("zsh"), "-f", "-i"],
                   "PS1='> '; unsetopt zle_bracketed_paste; autoload -U compinit; compinit -u -D; "
                   "source <(assay completion zsh)",
                   "assay run tiny.yaml model.type=gp\t--dr\t", "model.type=gpt --dry-run")

    def test_as_an_autoloaded_function(self):
        self.shell("zsh")
        (self.folder / "functions").mkdir()
        self.write("functions/_assay", self.succeeds("completion", "zsh").stdout)
        self.typed([self.shell("zsh"), "-f", "-i"],
                   "PS1='> '; fpath=($PWD/functions $fpath); autoload -U compinit; compinit -u -D",
                   "assay run two\ttrain.st\t3", "assay run two\\ words.yaml train.steps=3")


class Fish(Shell):
    def completed(self, line):
        done = subprocess.run([self.shell("fish"), "--no-config", "-c",
                               "assay completion fish | source; complete -C $argv[1]", line], cwd=self.folder,
                              env=self.environment, capture_output=True, encoding="utf-8", timeout=60)
        return [found.split("\t")[0] for found in done.stdout.splitlines()]

    def test_words(self):
        self.assertEqual(self.completed("assay comp"), ["compare", "completion"])
        self.assertEqual(self.completed("assay run tiny.yaml --dr"), ["--dry-run"])
        self.assertEqual(self.completed("assay run tiny.yaml model.wid"), ["model.width="])
        self.assertEqual(self.completed("assay run tiny.yaml model.type=gp"), ["model.type=gpt"])


if __name__ == "__main__":
    unittest.main()
