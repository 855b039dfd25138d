"""`assay export` and `assay diff`, read back by independent code."""
import csv
import json
import struct
import unittest

from program import TINY_GPT, ProgramTest


def crc32c(data):
    """Bit by bit, from the definition."""
    remainder = 0xFFFFFFFF
    for byte in data:
        remainder ^= byte
        for _ in range(8):
            remainder = (remainder >> 1) ^ (0x82F63B78 if remainder & 1 else 0)
    return remainder ^ 0xFFFFFFFF


def masked(data):
    crc = crc32c(data)
    return (((crc >> 15) | (crc << 17)) + 0xA282EAD8) & 0xFFFFFFFF


def records(raw):
    while raw:
        length = struct.unpack("<Q", raw[:8])[0]
        assert struct.unpack("<I", raw[8:12])[0] == masked(raw[:8])
        data = raw[12:12 + length]
        assert struct.unpack("<I", raw[12 + length:16 + length])[0] == masked(data)
        yield data
        raw = raw[16 + length:]


def varint(raw, at):
    value = shift = 0
    while True:
        byte = raw[at]
        value |= (byte & 0x7F) << shift
        at, shift = at + 1, shift + 7
        if byte < 0x80:
            return value, at


def message(raw):
    """Protocol buffers' wire format: [(field, value)]."""
    at, fields = 0, []
    while at < len(raw):
        tag, at = varint(raw, at)
        if tag & 7 == 0:
            value, at = varint(raw, at)
        else:
            size = {1: 8, 5: 4}.get(tag & 7)
            if size is None:
                size, at = varint(raw, at)
            value, at = raw[at:at + size], at + size
        fields.append((tag >> 3, value))
    return fields


class Export(ProgramTest):
    def setUp(self):
        super().setUp()
        self.write("tiny.yaml", TINY_GPT)
        self.succeeds("run", "tiny.yaml", "-o", "a.h5")
        self.shown_a = self.shown("a.h5")

    def test_the_checksum_here_is_that_of_the_standard(self):
        self.assertEqual(crc32c(b"123456789"), 0xE3069283)

    def test_csv_and_json_lines_have_a_row_for_each_step(self):
        rows = list(csv.DictReader(self.succeeds("export", "a.h5").stdout.splitlines()))
        lines = [json.loads(line) for line in self.succeeds("export", "a.h5", "--format", "jsonl").stdout.splitlines()]
        self.assertEqual([row["step"] for row in rows], [str(step) for step in range(7)])
        self.assertEqual(float(rows[6]["val/loss"]), self.shown_a["metrics"]["val/loss"]["last"])
        self.assertEqual(rows[1]["val/loss"], "")
        self.assertEqual(rows[6]["train/loss"], "")
        for row, line in zip(rows, lines):
            self.assertEqual({k: float(v) for k, v in row.items() if v}, line)

    def test_tensorboard_events_decode(self):
        self.succeeds("export", "a.h5", "--format", "tensorboard", "-o", "x.tfevents")
        events = [message(record) for record in records((self.folder / "x.tfevents").read_bytes())]
        self.assertEqual(dict(events[0])[3], b"brain.Event:2")
        seen = {}
        for event in map(dict, events[1:]):
            self.assertGreater(struct.unpack("<d", event[1])[0], 1.7e9)
            for field, value in message(event[5]):
                scalar = dict(message(value))
                seen.setdefault(scalar[1].decode(), {})[event[2]] = struct.unpack("<f", scalar[2])[0]
        self.assertEqual(sorted(seen["val/loss"]), [0, 3, 6])
        self.assertEqual(sorted(seen["train/loss"]), list(range(6)))
        self.assertAlmostEqual(seen["val/loss"][6], self.shown_a["metrics"]["val/loss"]["last"], places=5)

    def test_safetensors_hold_every_weight(self):
        import h5py
        from urllib.parse import unquote
        self.succeeds("export", "a.h5", "-o", "m.safetensors")  # by its name
        raw = (self.folder / "m.safetensors").read_bytes()
        size = struct.unpack("<Q", raw[:8])[0]
        self.assertEqual(size % 8, 0)
        header, numbers, end = json.loads(raw[8:8 + size]), raw[8 + size:], 0
        with h5py.File(self.folder / "a.h5") as f:
            weights = {unquote(n): a[()] for n, a in f["checkpoints/final/weights"].items()}
        self.assertEqual(set(header), set(weights))
        for name, entry in header.items():
            start, stop = entry["data_offsets"]
            self.assertEqual((start, entry["dtype"], tuple(entry["shape"])), (end, "F32", weights[name].shape))
            self.assertEqual(numbers[start:stop], weights[name].tobytes())
            end = stop
        self.assertEqual(end, len(numbers))

    def test_what_cannot_be_is_refused(self):
        self.fails(2, "export: --format: wanted csv, jsonl, tensorboard, safetensors or word2vec, got 'xlsx'",
                   "export", "a.h5", "--format", "xlsx")
        self.fails(2, "export: tensorboard is not text: give -o FILE", "export", "a.h5", "--format", "tensorboard")
        self.fails(5, "a.h5: no checkpoint 'worst'; it has final", "export", "a.h5", "--format", "safetensors",
                   "-o", "x", "--checkpoint", "worst")

    def test_an_option_that_would_be_ignored_is_refused(self):
        self.fails(2, "export: --checkpoint chooses weights, and csv has none: give --format safetensors",
                   "export", "a.h5", "--checkpoint", "best")
        self.fails(2, "ls: give one of --json and --format", "ls", "a.h5", "--json", "--format", "csv")

    def test_diff_says_where_two_runs_part(self):
        self.succeeds("run", "tiny.yaml", "-o", "again.h5")
        same = self.succeeds("diff", "a.h5", "again.h5").stdout
        self.assertIn("metrics: every step that both have is bit for bit the same\n", same)
        self.assertIn("the same in both: run, configuration, plugins, data, environment, weights\n", same)
        self.succeeds("run", "tiny.yaml", "optimizer.learning_rate=4e-3", "-o", "b.h5")
        found = json.loads(self.succeeds("diff", "a.h5", "b.h5", "--json").stdout)
        self.assertEqual([row["configuration"] for row in found["configuration"]], ["optimizer.learning_rate"])
        self.assertEqual(found["first_difference"]["step"], 0)
        self.assertEqual(found["first_difference"]["metric"], "train/learning_rate")
        self.assertEqual(found["plugins"], [])
        self.assertTrue(found["metrics_compared"])
        self.assertTrue(all(row["distance"] > 0 for row in found["weights"]))
        self.assertGreater(len(found["weights"]), 3)

    def test_diff_of_runs_with_nothing_in_common_says_so(self):
        for width in (4, 8):
            self.write(f"probe{width}.yaml", f"probe: {{type: layer_growth, layers: 2, heads: 2, width: {width}}}\n")
            self.succeeds("run", f"probe{width}.yaml", "-o", f"probe{width}.h5")
        text = self.succeeds("diff", "probe4.h5", "probe8.h5").stdout
        self.assertIn("weights: neither has a final checkpoint\n", text)
        self.assertNotRegex(text, "the same in both:.*weights")
        text = self.succeeds("diff", "a.h5", "probe4.h5").stdout
        self.assertIn("metrics: no step of a metric is in both\n", text)
        self.assertNotIn("bit for bit", text)
        found = json.loads(self.succeeds("diff", "a.h5", "probe4.h5", "--json").stdout)
        self.assertFalse(found["metrics_compared"])
        self.assertEqual({row["remark"] for row in found["weights"]}, {"only in a"})
        self.assertEqual({row["distance"] for row in found["weights"]}, {None})
        self.assertIsNone(json.loads(self.succeeds("diff", "probe4.h5", "probe8.h5", "--json").stdout)["weights"])


if __name__ == "__main__":
    unittest.main()
