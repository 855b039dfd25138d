"""The installed package in a temporary folder, away from sources and build, and plugins built against it."""
import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

BUILD = pathlib.Path(os.environ["ASSAY_BUILD"])
SOURCES = pathlib.Path(__file__).resolve().parents[2]

PROJECT = """\
cmake_minimum_required(VERSION 3.25)
project(elsewhere VERSION 1.2 LANGUAGES CXX)
find_package(Assay REQUIRED)
include(CTest)
"""


class PackageTest(unittest.TestCase):
    """Installs once per class into a folder that is then moved, as a package may be."""
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="assay-package-"))
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        # Nothing of this machine's user but its compiler cache.
        cls.environment = {"PATH": os.environ["PATH"], "HOME": str(cls.folder / "home"), "LC_ALL": "C.UTF-8",
                           "CCACHE_DIR": os.environ.get("CCACHE_DIR", os.path.expanduser("~/.cache/ccache")),
                           "CCACHE_BASEDIR": str(cls.folder), "CCACHE_NOHASHDIR": "1"}
        cls.ran("cmake", "--install", BUILD, "--prefix", cls.folder / "first")
        cls.prefix = cls.folder / "moved"
        (cls.folder / "first").rename(cls.prefix)

    @classmethod
    def run_in(cls, folder, *words):
        return subprocess.run([str(word) for word in words], cwd=folder, env=cls.environment, timeout=300,
                              stdin=subprocess.DEVNULL, capture_output=True, encoding="utf-8")

    @classmethod
    def ran(cls, *words, folder=None):
        """The output of a command that must succeed."""
        done = cls.run_in(folder or cls.folder, *words)
        if done.returncode != 0:
            raise AssertionError(f"{words}: exit code {done.returncode}\n{done.stdout}\n{done.stderr}")
        return done.stdout

    @classmethod
    def assay(cls, *words):
        return cls.ran(cls.prefix / "bin/assay", *words)

    @classmethod
    def plugins(cls, *words):
        return json.loads(cls.assay("plugins", "--json", *words))["plugins"]

    @classmethod
    def configure(cls, name, project):
        (cls.folder / name).mkdir(exist_ok=True)
        (cls.folder / name / "CMakeLists.txt").write_text(project)
        launcher = ["-DCMAKE_CXX_COMPILER_LAUNCHER=ccache"] if shutil.which("ccache") else []
        return cls.run_in(cls.folder, "cmake", "-G", "Ninja", "-S", name, "-B", f"{name}/build",
                          f"-DCMAKE_PREFIX_PATH={cls.prefix}", "-DCMAKE_CXX_FLAGS=-O1", *launcher)

    @classmethod
    def build(cls, name, project):
        """The folder that a project was built in."""
        done = cls.configure(name, project)
        if done.returncode != 0:
            raise AssertionError(done.stderr)
        cls.ran("cmake", "--build", f"{name}/build")
        return cls.folder / name / "build"
