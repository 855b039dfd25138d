"""The order of the folders in framework/: each includes only those below it, and each library from outside has one place.

The table is the design. A forbidden #include fails here, so that the picture cannot rot.
"""
import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent
FRAMEWORK = ROOT / "framework"

BELOW_DATA = ["base", "config", "tensor", "autograd", "nn", "interfaces"]
ALLOWED = {
    "base": [],
    "config": ["base"],
    "io": ["base"],
    "tensor": ["base"],
    "autograd": ["base", "tensor"],
    "nn": ["base", "tensor", "autograd"],
    "interfaces": ["base", "config", "tensor", "autograd", "nn"],
    "plugin": ["base", "config", "io", "interfaces"],
    "data": ["base", "config", "io", "tensor", "interfaces"],
    "results": ["base", "config", "io"],
    "train": BELOW_DATA + ["data", "results"],
    "contract": BELOW_DATA + ["io", "plugin", "data", "results", "train"],
    "experiment": BELOW_DATA + ["io", "plugin", "data", "results", "train", "contract"],
    "cli": BELOW_DATA + ["io", "plugin", "data", "results", "train", "contract", "experiment"],
}

# Header prefix -> the only files that may include it, as patterns below framework/.
OUTSIDE = {
    "tbb/": ["base/parallel.cpp", "experiment/runner.cpp"],
    "oneapi/": ["base/parallel.cpp", "experiment/runner.cpp", "tensor/kernels/*"],
    "yaml-cpp/": ["config/yaml*.cpp"],
    "nlohmann/": ["config/json.cpp"],
    "nettle/": ["io/*.cpp"],
    "curl/": ["io/*.cpp"],
    "png.h": ["io/*.cpp"],
    "sndfile": ["io/*.cpp"],
    "dnnl": ["tensor/kernels/*"],
    "hwy/": ["tensor/kernels/*"],
    "dlfcn.h": ["plugin/*.cpp", "base/lazy_library.cpp"],
    "boost/dll": ["plugin/loader.cpp"],
    "boost/math": ["results/*.cpp"],
    "boost/program_options": ["cli/*.cpp"],
    "hdf5": ["results/hdf5*"],
    "H5": ["results/hdf5*"],
}

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.MULTILINE)


def sources(folder):
    return sorted(p for p in folder.rglob("*") if p.suffix in (".h", ".cpp"))


def includes(path):
    return INCLUDE.findall(path.read_text(encoding="utf-8"))


class Layering(unittest.TestCase):
    def test_every_folder_of_framework_is_in_the_table(self):
        folders = sorted(p.name for p in FRAMEWORK.iterdir() if p.is_dir())
        self.assertEqual(folders, sorted(ALLOWED))

    def test_a_folder_includes_only_folders_that_it_may(self):
        wrong = []
        for name, below in ALLOWED.items():
            for path in sources(FRAMEWORK / name):
                for kind, header in includes(path):
                    first = header.split("/")[0]
                    if kind == '"' and first in ALLOWED and first not in below + [name]:
                        wrong.append(f"{path.relative_to(ROOT)} includes {header}")
        self.assertEqual(wrong, [])

    def test_a_project_header_is_named_from_framework_on(self):
        wrong = []
        for path in sources(FRAMEWORK):
            for kind, header in includes(path):
                if kind == '"' and not (FRAMEWORK / header).is_file():
                    wrong.append(f"{path.relative_to(ROOT)} includes \"{header}\"")
        self.assertEqual(wrong, [])

    def test_a_library_from_outside_is_included_in_its_one_place(self):
        wrong = []
        for path in sources(FRAMEWORK):
            inside = path.relative_to(FRAMEWORK)
            for kind, header in includes(path):
                if kind == '"':
                    continue
                for prefix, places in OUTSIDE.items():
                    if header.startswith(prefix) and not any(inside.match(p) for p in places):
                        wrong.append(f"{path.relative_to(ROOT)} includes <{header}>")
        self.assertEqual(wrong, [])

    def test_a_plugin_includes_assay_and_the_standard_library(self):
        wrong = []
        for path in sources(ROOT / "plugins"):
            for kind, header in includes(path):
                own = kind == '"' and header == "assay.h"
                standard = kind == "<" and "/" not in header and "." not in header
                beside = kind == '"' and (path.parent / header).is_file()
                if not (own or standard or beside):
                    wrong.append(f"{path.relative_to(ROOT)} includes {header}")
        self.assertEqual(wrong, [])

    def test_headers_reachable_from_assay_h_do_not_include_fmt(self):
        seen, waiting, wrong = set(), [FRAMEWORK / "assay.h"], []
        while waiting:
            path = waiting.pop()
            if path in seen or not path.is_file():
                continue
            seen.add(path)
            for kind, header in includes(path):
                if kind == '"':
                    waiting.append(FRAMEWORK / header)
                elif "/" in header:
                    wrong.append(f"{path.relative_to(ROOT)} includes <{header}>")
        self.assertEqual(wrong, [])


class TheCheckItself(unittest.TestCase):
    def test_finds_includes_however_they_are_spaced(self):
        found = INCLUDE.findall('#include "base/error.h"\n  #  include <tbb/task.h>\n// #include "x.h"\n')
        self.assertEqual(found, [('"', "base/error.h"), ("<", "tbb/task.h")])


if __name__ == "__main__":
    unittest.main()
