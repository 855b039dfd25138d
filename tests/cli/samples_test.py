"""The section `samples`: texts that a model writes while it is trained."""
import subprocess
import unittest

from program import BUILD, REVERSE, TINY_GPT, ProgramTest


class Samples(ProgramTest):
    def record(self, samples, experiment=TINY_GPT, *words):
        self.write("it.yaml", experiment + (f"samples: {samples}\n" if samples else ""))
        self.succeeds("run", "it.yaml", "-o", "it.h5", "--force", *words)
        return self.shown("it.h5")

    def test_are_written_at_each_evaluation(self):
        samples = self.record("{prompt: a, length: 7}")["samples"]
        self.assertEqual([sample["step"] for sample in samples], [0, 3, 6])
        self.assertEqual({sample["prompt"] for sample in samples}, {"a"})
        self.assertEqual([len(sample["text"]) for sample in samples], [7, 7, 7])

    def test_or_at_the_end_alone(self):
        self.assertEqual([sample["step"] for sample in self.record("{prompt: a, when: end}")["samples"]], [6])

    def test_of_each_prompt_by_each_chain_of_samplers(self):
        samples = self.record("{prompts: [a, ab], length: 4, count: 2, when: end, samplers: [{type: greedy}, "
                              "[{type: temperature, temperature: 0.5}, {type: top_k, k: 3}]]}")["samples"]
        chain = "temperature 0.5, top_k k 3"
        self.assertEqual([(sample["sampler"], sample["prompt"]) for sample in samples],
                         [(sampler, prompt) for sampler in ("greedy", chain) for prompt in ("a", "ab")
                          for _ in range(2)])
        greedy = [sample["text"] for sample in samples[:4]]
        self.assertEqual([greedy[0], greedy[2]], [greedy[1], greedy[3]])
        chained = [sample["text"] for sample in samples[4:]]
        self.assertNotEqual(chained[0], chained[1])
        self.assertEqual([p["name"] for p in self.shown("it.h5")["plugins"] if p["kind"] == "sampler"],
                         ["greedy", "temperature", "top_k"])

    def test_by_a_beam_are_what_the_program_finds(self):
        samples = self.record("{prompt: a, length: 6, count: 2, when: end, sampler: {type: beam, width: 3}}")["samples"]
        found = self.succeeds("sample", "it.h5", "--prompt", "a", "-n", 6, "--sampler", "beam", "--width", 3).stdout
        self.assertEqual("a" + samples[0]["text"] + "\n", found)
        self.assertEqual(samples[0]["sampler"], "beam width 3 length_penalty 1")
        self.assertNotEqual(samples[0]["text"], samples[1]["text"])

    def test_touch_neither_weights_nor_metrics(self):
        dropout = TINY_GPT.replace("layers: 1", "layers: 1, dropout: 0.2")
        without = self.record("", dropout)
        with_samples = self.record("{prompt: a, length: 9, count: 3}", dropout)
        for what in ("digest", "metrics"):
            self.assertEqual(with_samples[what], without[what])

    def test_do_not_depend_on_the_threads(self):
        one, three = (self.record("{prompts: [a, b], length: 20, count: 3}", TINY_GPT, "--threads", threads)
                      for threads in (1, 3))
        self.assertEqual(one["samples"], three["samples"])

    def interrupted(self, how, step):
        self.write("it.yaml", TINY_GPT + "samples: {prompt: a, length: 7}\ncheckpoint: {every: 2}\n")
        subprocess.run([BUILD / "bin/interrupted_run", "run", "it.yaml", "part.h5", "1", how, str(step)],
                       cwd=self.folder, env=self.environment, capture_output=True, timeout=120)
        return self.shown("part.h5")["samples"]

    def test_continue_where_a_run_was_stopped_or_killed(self):
        whole = self.record("{prompt: a, length: 7}")["samples"]
        for how, step, known in (("stop", 3, 2), ("kill", 3, 2), ("kill", 5, 2)):
            with self.subTest(how=how, step=step):
                for file in self.folder.glob("part*"):
                    file.unlink()
                self.assertEqual(self.interrupted(how, step), whole[:known])
                self.succeeds("resume", "part.h5")
                self.assertEqual(self.shown("part.h5")["samples"], whole)

    def test_show_tells_the_latest_or_all(self):
        self.record("{prompt: a, length: 7}")
        self.assertEqual(self.succeeds("show", "it.h5").stdout.count("Sample after"), 1)
        self.assertIn("Sample after 6 steps\n", self.succeeds("show", "it.h5").stdout)
        every = self.succeeds("show", "it.h5", "--samples").stdout
        self.assertEqual([step for step in (0, 3, 6) if f"Sample after {step} steps\n" in every], [0, 3, 6])

    def test_of_a_model_that_reads_a_source_are_its_targets(self):
        samples = self.record("{prompt: 1 2 3 4, when: end, sampler: {type: greedy}}", REVERSE)["samples"]
        greedy = self.succeeds("sample", "it.h5", "--prompt", "1 2 3 4", "--sampler", "greedy").stdout
        self.assertEqual([sample["text"] for sample in samples], [" ".join(greedy.split())])
        self.assertIn(f"\n1 2 3 4\n{' '.join(greedy.split())}\n", self.succeeds("show", "it.h5").stdout)

    def test_say_before_training_what_is_wrong(self):
        def refused(message, samples, experiment=TINY_GPT):
            self.write("it.yaml", experiment + f"samples: {samples}\n")
            done = self.assay("run", "it.yaml", "-o", "wrong.h5")
            self.assertNotEqual(done.returncode, 0)
            self.assertIn(message, done.stderr)
            self.assertFalse((self.folder / "wrong.h5").exists())

        refused("it.yaml:11:10: samples.prompts.1: U+00E9 'é' at line 1, column 2", "{prompts: [a, aé]}")
        refused("samples.prompt is empty: a model needs at least one token to continue", '{prompt: ""}')
        refused("prompts stand in place of prompt: remove one of the two", "{prompt: a, prompts: [b]}")
        refused("samplers stand in place of sampler: remove one of the two",
                "{prompt: a, sampler: {type: greedy}, samplers: [{type: greedy}]}")
        refused("samples.sampler.1.k: wanted an integer", "{sampler: [{type: greedy}, {type: top_k, k: some}]}")
        refused("it.yaml:11:29: no sampler 'gredy'; did you mean 'greedy'?", "{samplers: [{type: gredy}]}")
        refused("samples.count: 3 are asked for, and a beam of width 2 finds no more than that",
                "{prompt: a, count: 3, sampler: {type: beam, width: 2}}")
        refused("a beam looks for the likeliest text, and draws nothing: no other sampler goes with it",
                "{prompt: a, sampler: [{type: beam}, {type: greedy}]}")
        refused("samples.prompt: 'one' is no id", "{prompt: one}", REVERSE)


if __name__ == "__main__":
    unittest.main()
