"""Result files from outside: stock h5py reads them as results/README.md says, and the reader refuses what h5py can forge."""
import contextlib
import hashlib
import importlib.util
import io
import math
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

import h5py
import numpy as np

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
TOOL = pathlib.Path(os.environ.get("ASSAY_BUILD", ROOT / "build/release")) / "bin/result_file_tool"


def tool(command, file):
    done = subprocess.run([TOOL, command, file], stdout=subprocess.PIPE, text=True)
    return done.returncode, done.stdout.strip()


README = ROOT / "results/README.md"


def python_blocks():
    return re.findall(r"```python\n(.*?)```", README.read_text(), re.DOTALL)


def has_hdf5r():
    return bool(shutil.which("Rscript")) and subprocess.run(["Rscript", "-e", "library(hdf5r)"],
                                                            capture_output=True).returncode == 0


class Files(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="assay-layout-"))
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        cls.file = cls.folder / "run.h5"
        code, message = tool("write", cls.file)
        assert code == 0, message


class Readme(Files):
    """Runs the recipes as they are printed."""

    def recipe(self, needle, name="run.h5", file=None):
        (block,) = [b for b in python_blocks() if needle in b]
        names = {}
        with contextlib.redirect_stdout(io.StringIO()) as said:
            exec(block.replace(f'"{name}"', repr(str(file or self.file))), names)
        return {**names, "said": said.getvalue()}

    def test_the_pack_recipe_gives_each_run(self):
        pack = self.folder / "pack-0001.h5"
        self.assertEqual(tool("write-pack", pack)[0], 0)
        got = self.recipe("f[\"runs\"].items()", "pack-0001.h5", pack)
        self.assertEqual(got["said"], "seed=1 1 0.3333333333333333\nseed=2/é 2 0.3333333333333333\n")

    def test_a_run_in_a_pack_is_laid_out_as_in_a_file_of_its_own(self):
        pack = self.folder / "pack-0001.h5"
        self.assertEqual(tool("write-pack", pack)[0], 0)
        with h5py.File(pack, "r") as packed, h5py.File(self.file, "r") as alone:
            self.assertEqual(sorted(packed), ["index", "runs"])
            run = packed["runs"]["seed=2%2F%C3%A9"]
            names = []
            alone.visit(names.append)
            for name in names:
                self.assertIn(name, run)
                if isinstance(alone[name], h5py.Dataset) and name not in ("run", "seed"):
                    self.assertEqual(alone[name][()].tobytes(), run[name][()].tobytes(), name)
        self.assertEqual(int.from_bytes(pack.read_bytes()[-48:-40], "little"), 4)

    def test_the_h5py_recipe_gives_what_was_written(self):
        got = self.recipe("def table")
        self.assertEqual(got["environment"], {"compiler": "g++ 12", "threads": "2"})
        self.assertEqual(got["steps"].tolist(), [0, 1, 2, 3])
        self.assertEqual(got["values"].tolist(), [4.2, 4.1, 4.0, 1.0 / 3])
        self.assertEqual(sorted(got["weights"]), ["empty", "layer0", "layer0/attention/q"])
        q = got["weights"]["layer0/attention/q"]
        self.assertEqual((q.dtype, q.shape), (np.float32, (2, 3)))
        self.assertEqual(q.ravel()[:5].tolist(), [1, 2, 3, 4, 5])
        self.assertTrue(math.isnan(q[1, 2]))
        with h5py.File(self.file, "r") as f:
            text, table = got["text"], got["table"]
            self.assertEqual(text(f["name"]), "gpt")
            self.assertEqual(text(f["status"]), "stopped")
            self.assertEqual(text(f["config"]), "name: gpt  # grüße\nseed: 1\n")
            self.assertEqual(int(f["seed"][()]), 2**64 - 1)
            self.assertEqual(int(f["parameters"][()]), 112065)
            self.assertEqual(float(f["seconds"][()]), 1.25)
            self.assertEqual(table(f["origins"]),
                             [("name", "gpt.yaml:1:7"), ("seed", "command line"), ("empty", "")])
            self.assertEqual([row[:2] for row in table(f["plugins"])], [("model", "gpt"), ("optimizer", "adamw")])
            self.assertEqual(f["samples/step"][()].tolist(), [0, 4])
            self.assertEqual(f["checkpoints/best/step"][()], 2)
            self.assertEqual(table(f["trajectories/weights/parameters"]), [("layer0",), ("layer0/attention/q",)])
            self.assertEqual(f["trajectories/weights/step"][()].tolist(), [0, 4])
            self.assertEqual(f["trajectories/weights/hash"][()].tolist(), [[1, -2], [3, -4]])

    @unittest.skipUnless(importlib.util.find_spec("pandas"), "pandas is not installed")
    def test_the_pandas_recipe_gives_a_row_for_each_step(self):
        metrics = self.recipe("pd.Series")["metrics"]
        self.assertEqual(metrics.loc[0:3, "train/loss"].tolist(), [4.2, 4.1, 4.0, 1.0 / 3])
        self.assertEqual(metrics.loc[4, "val"], 3.5)


    @unittest.skipUnless(importlib.util.find_spec("pandas"), "pandas is not installed")
    def test_the_pandas_recipe_for_many_runs_gives_one_long_table(self):
        blocks = [b for b in python_blocks() if "rglob" in b]
        names = {}
        exec(blocks[0].replace('"results"', repr(str(self.folder))), names)
        metrics = names["metrics"]
        loss = metrics[(metrics["metric"] == "train/loss") & (metrics["file"] == str(self.file))]
        self.assertEqual(loss["run"].tolist(), ["seed=1-0f3a"] * 4)
        self.assertEqual(loss["step"].tolist(), [0, 1, 2, 3])
        self.assertEqual(loss["value"].tolist(), [4.2, 4.1, 4.0, 1.0 / 3])

    @unittest.skipUnless(has_hdf5r(), "R with hdf5r is not installed (Debian: r-cran-hdf5r)")
    def test_the_r_recipe_gives_metrics_and_configuration(self):
        (recipe,) = re.findall(r"```r\n(.*?)```", README.read_text(), re.DOTALL)
        recipe = recipe.replace('"run.h5"', f'"{self.file}"') + """
cat(sprintf("%d %.17g\\n", as.integer(loss$step), loss$value), sep = "")
cat(config)
"""
        done = subprocess.run(["Rscript", "-e", recipe], capture_output=True, text=True,
                              env={**os.environ, "LC_ALL": "C.UTF-8"})
        self.assertEqual(done.returncode, 0, done.stderr)
        lines = done.stdout.splitlines()
        self.assertEqual([tuple(map(float, line.split())) for line in lines[:4]],
                         [(0, 4.2), (1, 4.1), (2, 4.0), (3, 1.0 / 3)])
        self.assertEqual(lines[4:], ["name: gpt  # grüße", "seed: 1"])


class Linking(unittest.TestCase):
    def test_what_would_delay_every_start_is_not_linked(self):
        """HDF5 or libcurl would add 12 ms, the others 1 to 5."""
        needed = subprocess.run(["readelf", "-d", TOOL], stdout=subprocess.PIPE, text=True, check=True).stdout
        self.assertIn("libfmt", needed)
        self.assertNotRegex(needed, "hdf5|curl|crypto|hwy")


class Layout(Files):
    def test_metric_names_that_contain_each_other_are_all_there(self):
        with h5py.File(self.file, "r") as f:
            self.assertEqual(sorted(f["metrics"]), sorted(
                ["%", "%2E", "..", "100%252F gr%C3%BCn%0A", "never", "train%2Floss", "val", "val%2Floss"]))
            values = f["metrics/val%2Floss/value"][()]
            self.assertTrue(math.isnan(values[0]) and math.isinf(values[1]) and values[2] == 0)
            self.assertEqual(f["metrics/never/value"].shape, (0,))

    def test_every_dataset_is_checksummed_or_a_single_value_or_empty(self):
        with h5py.File(self.file, "r") as f:
            def check(name, item):
                self.assertEqual(dict(item.attrs), {}, name)
                if isinstance(item, h5py.Dataset):
                    self.assertTrue(item.fletcher32 or item.shape == () or item.size == 0, name)
            f.visititems(check)

    def test_the_trailer_is_the_one_described(self):
        raw = self.file.read_bytes()
        self.assertEqual(raw[-56:-48], bytes.fromhex("8a6173736179" "0d0a"))
        self.assertEqual(int.from_bytes(raw[-48:-40], "little"), 3)
        image = int.from_bytes(raw[-40:-32], "little")
        summary = raw[image:-56]
        self.assertEqual(summary[-32:], hashlib.sha256(summary[:-32]).digest())
        self.assertIn(b"gpt", summary)
        self.assertEqual(raw[-32:], hashlib.sha256(raw[:-32]).digest())


class Forgeries(Files):
    """A file may have the right hash and still be hostile. Each is refused by its dataset, not by a crash."""

    def forge(self, change):
        """The file's name, and what reading it gives once it was changed and sealed again."""
        forged = self.folder / "forged.h5"
        forged.write_bytes(self.file.read_bytes()[:-56])
        with h5py.File(forged, "r+", libver="latest") as f:
            change(f)
        return forged, *tool("seal-and-read", forged)

    def refusal(self, change):
        forged, code, message = self.forge(change)
        self.assertEqual(code, 5, message)
        self.assertTrue(message.startswith(f"{forged}: "), message)
        return message[len(f"{forged}: "):]

    def replaced(self, name, **how):
        def change(f):
            del f[name]
            f.create_dataset(name, **how)
        return self.refusal(change)

    def test_unchanged_it_is_accepted(self):
        self.assertEqual(self.forge(lambda f: None)[1:], (0, ""))

    def test_a_missing_dataset(self):
        self.assertEqual(self.refusal(lambda f: f.__delitem__("config")), "config: is missing")

    def test_soft_and_external_links(self):
        def soft(f):
            f["other"] = f["config"][()]
            del f["config"]
            f["config"] = h5py.SoftLink("/other")
        self.assertEqual(self.refusal(soft), "config: is no hard link: refused")

        def external(f):
            del f["metrics"]
            f["metrics"] = h5py.ExternalLink("/tmp/other.h5", "/")
        self.assertEqual(self.refusal(external), "metrics: is no hard link: refused")

    def test_data_in_another_file(self):
        def change(f):
            del f["config"]
            f.create_dataset("config", (100,), "u1", external=[("/etc/passwd", 0, 100)])
        self.assertEqual(self.refusal(change), "config: is stored in another file: refused")

    def test_other_types(self):
        wanted = "wanted little-endian float32, float64, int64, uint64 or uint8, got another type"
        self.assertEqual(self.replaced("config", data="text"), f"config: {wanted}")
        self.assertEqual(self.replaced("steps", data=np.array(1, ">i8")), f"steps: {wanted}")
        self.assertEqual(self.replaced("steps", data=np.array([1, 2])), "steps: wanted one int64, got int64 [2]")
        self.assertEqual(self.replaced("steps", data=1.5), "steps: wanted one int64, got float64 []")

        def named(f):
            f["named_type"] = np.dtype("<i8")
            del f["steps"]
            f.create_dataset("steps", data=1, dtype=f["named_type"])
        self.assertEqual(self.refusal(named), f"steps: {wanted}")

    def test_a_group_for_a_dataset(self):
        def change(f):
            del f["config"]
            f.create_group("config")
        self.assertTrue(self.refusal(change).startswith("config: H5"))

    def test_other_filters(self):
        data = np.zeros(100, np.uint8)
        self.assertEqual(self.replaced("config", data=data, compression="lzf"),
                         "config: is stored with filter 32000: refused")
        self.assertEqual(self.replaced("config", data=data, scaleoffset=0),
                         "config: is stored with filter 6: refused")

    def test_allowed_filters_are_read(self):
        def change(f):
            del f["config"]
            f.create_dataset("config", data=np.full(100000, 65, np.uint8), compression="gzip", shuffle=True,
                             fletcher32=True)
        self.assertEqual(self.forge(change)[1:], (0, ""))

    def test_compact_and_virtual_storage(self):
        def compact(f):
            del f["config"]
            plist = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
            plist.set_layout(h5py.h5d.COMPACT)
            h5py.h5d.create(f.id, b"config", h5py.h5t.STD_U8LE, h5py.h5s.create_simple((3,)), plist)
        refused = "config: is stored neither contiguous nor chunked: refused"
        self.assertEqual(self.refusal(compact), refused)

        def virtual(f):
            del f["config"]
            layout = h5py.VirtualLayout((100,), "u1")
            layout[:] = h5py.VirtualSource("/etc/passwd", "x", (100,))
            f.create_virtual_dataset("config", layout)
        self.assertEqual(self.refusal(virtual), refused)

    def test_sizes_beyond_what_is_stored(self):
        self.assertRegex(self.replaced("config", shape=(1 << 50,), dtype="u1", chunks=(1 << 20,)),
                         r"^config: claims more data than a file of \d+ bytes can hold$")
        self.assertRegex(self.replaced("config", shape=(10,), maxshape=(None,), dtype="u1", chunks=(1 << 30,)),
                         r"^config: claims more data than a file of \d+ bytes can hold$")
        self.assertEqual(self.replaced("config", shape=(1000,), dtype="u1", chunks=(100,)),
                         "config: claims 1000 bytes, but 0 are stored")
        self.assertRegex(self.replaced("config", shape=(1 << 40,), dtype="u1", chunks=(1 << 20,), compression="gzip"),
                         r"^config: claims ")

    def test_tables_that_do_not_fit(self):
        def ends(values, shape):
            def change(f):
                del f["origins/ends"]
                f["origins/ends"] = np.array(values, "<i8").reshape(shape)
            return self.refusal(change)
        cut = "origins/ends: does not cut its texts into pieces"
        self.assertEqual(ends([5, 3], (1, 2)), cut)
        self.assertEqual(ends([0, 1 << 40], (1, 2)), cut)
        self.assertEqual(ends([-1, 2], (1, 2)), cut)
        self.assertEqual(ends([1, 2, 3], (1, 3)), "origins/ends: wanted int64 [n,2], got int64 [1,3]")

    def test_hashes_that_are_no_row_for_each_step(self):
        self.assertEqual(self.replaced("trajectories/weights/hash", data=np.array([[1, -2, 3]])),
                         "trajectories/weights/hash: wanted int64 [2,2], got int64 [1,3]")

    def test_a_name_in_the_index_without_its_arrays(self):
        self.assertEqual(self.refusal(lambda f: f["metrics"].__delitem__("val")), "metrics/val: is missing")

    def test_a_status_that_there_is_not(self):
        self.assertEqual(self.replaced("status", data=np.frombuffer(b"maybe", "u1")),
                         "status: wanted done, stopped, failed, running or pruned")


if __name__ == "__main__":
    unittest.main()
