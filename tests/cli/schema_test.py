"""`assay schema`, by an independent validator: it accepts every experiment, and refuses what assay refuses."""
import json
import re
import unittest

import jsonschema
import yaml

from program import EXPERIMENTS, ProgramTest, TINY_GPT



class Yaml12(yaml.SafeLoader):
    """Numbers and truth as YAML 1.2 has them: 1e-3 is a number, `on` a text."""
    yaml_implicit_resolvers = {first: [(tag, form) for tag, form in found if tag != "tag:yaml.org,2002:bool" or first in "tTfF"]
                               for first, found in yaml.SafeLoader.yaml_implicit_resolvers.items()}


Yaml12.add_implicit_resolver("tag:yaml.org,2002:float",
                             re.compile(r"^[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?$"), list("-+0123456789."))


class Schema(ProgramTest):
    def setUp(self):
        super().setUp()
        self.schema = json.loads(self.succeeds("schema").stdout)
        jsonschema.Draft7Validator.check_schema(self.schema)

    def accepts(self, text):
        return jsonschema.Draft7Validator(self.schema).is_valid(yaml.load(text, Yaml12))

    def test_every_experiment_is_valid_as_written_and_as_composed(self):
        files = sorted(EXPERIMENTS.rglob("*.yaml"))
        self.assertGreater(len(files), 2)
        for file in files:
            self.assertTrue(self.accepts(file.read_text(encoding="utf-8")), file)
            if "\nexperiments:" in file.read_text(encoding="utf-8"):
                continue  # a list of others, composed one by one
            for run in self.succeeds("config", file).stdout.split("---\n"):
                self.assertTrue(self.accepts(run), f"{file}: {run}")

    def test_what_assay_refuses_is_refused(self):
        self.assertTrue(self.accepts(TINY_GPT))
        for good, bad in (("width: 16", "widht: 16"), ("width: 16", "width: 0"), ("width: 16", "width: wide"),
                          ("type: gpt", "type: gptt"), ("steps: 6", "steps: 6x"), ("windows: random", "windows: all"),
                          ("windows: random", "windows: some"), ("seed: 1\n", "sede: 1\n"),
                          ("type: adamw", "type: adamw, betas: [0.9]"), ("model:", "modle:")):
            self.assertIn(good, TINY_GPT)
            text = TINY_GPT.replace(good, bad)
            self.assertFalse(self.accepts(text), bad)
            self.write("e.yaml", text)
            self.assertEqual(self.assay("config", "e.yaml").returncode, 2, bad)

    def test_units_references_null_and_parts_are_valid(self):
        for good, other in (("steps: 6", "steps: 20Mt"), ("steps: 6", "steps: 0.5e"), ("width: 16", "width: '${seed}'"),
                            ("width: 16", "width: null"), ("model:     {type: gpt,", "defaults: [{model: small}]\nmodel: {")):
            self.assertIn(good, TINY_GPT)
            self.assertTrue(self.accepts(TINY_GPT.replace(good, other)), other)

    def test_samplers_may_be_chains_and_several(self):
        chain = "[{type: temperature, temperature: 0.8}, {type: top_k}]"
        for good in (f"sampler: {chain}", f"samplers: [{chain}, {{type: beam, width: 3}}]", "prompts: [a, b], when: end"):
            text = TINY_GPT + f"samples: {{{good}}}\n"
            self.assertTrue(self.accepts(text), good)
            self.write("e.yaml", text)
            self.assertTrue(self.accepts(self.succeeds("config", "e.yaml").stdout), good)
        for bad in ("sampler: [{type: top_k, k: 0}]", "samplers: [{type: beam, widht: 3}]", "prompts: []", "samplers: []",
                    "sampler: []", "when: never"):
            text = TINY_GPT + f"samples: {{{bad}}}\n"
            self.assertFalse(self.accepts(text), bad)
            self.write("e.yaml", text)
            self.assertEqual(self.assay("config", "e.yaml").returncode, 2, bad)

    def test_the_tokenizer_of_an_earlier_run_is_valid_as_written_and_as_composed(self):
        self.write("tiny.yaml", TINY_GPT)
        self.succeeds("run", "tiny.yaml")
        file = self.results()[0].relative_to(self.folder)
        stored = TINY_GPT.replace("{type: char}", f"{{from: {file}}}")
        self.assertTrue(self.accepts(stored))
        self.write("stored.yaml", stored)
        composed = self.succeeds("config", "stored.yaml").stdout
        self.assertIn("digest: ", composed)
        self.assertTrue(self.accepts(composed))
        self.assertFalse(self.accepts(TINY_GPT.replace("{type: constant}", "{type: constant, from: x.h5}")))

    def test_a_section_has_a_schema_for_files_of_groups(self):
        self.schema = json.loads(self.succeeds("schema", "model").stdout)
        self.assertTrue(self.accepts("{type: gpt, width: 8}"))
        self.assertFalse(self.accepts("{type: gpt, widht: 8}"))
        self.assertEqual(self.fails(2, "did you mean model?", "schema", "modle").stderr,
                         "error: schema: there is no section 'modle'; did you mean model?\n")


if __name__ == "__main__":
    unittest.main()
