"""The program on a disk that fails: runs it with fault_shim.so preloaded (tests/io/fault_shim.c), and replays what it
wrote up to a power cut."""
import pathlib
import struct

import h5py

from program import BUILD, TINY_GPT, ProgramTest

SHIM = BUILD / "lib/fault_shim.so"
# Small, and all of the protocol: a snapshot, a journal, checkpoints of which older ones go, the last file.
KEPT = TINY_GPT + "checkpoint: {every: 2, keep: 1}\ndurability: fsync\n"
PAGE = 4096


class FaultTest(ProgramTest):
    def under(self, *words, **settings):
        """Runs the program with these settings of the shim. Gives what became of it, and how many calls counted, what
        they were, and how many steps were promised to survive a power cut."""
        kept = self.environment
        count, trace = (pathlib.Path(f"{self.folder}.{what}") for what in ("count", "trace"))
        self.environment = {**kept, "LD_PRELOAD": str(SHIM), "FAULT_FOLDER": str(self.folder.resolve()),
                            "FAULT_COUNT": str(count), "FAULT_TRACE": str(trace),
                            **{f"FAULT_{name.upper()}": str(value) for name, value in settings.items()}}
        try:
            done = self.assay(*words)
            done.calls = int(count.read_text())
            done.events = list(events(trace)) if trace.exists() else []
        finally:
            self.environment = kept
            for file in (count, trace):
                file.unlink(missing_ok=True)
        disk = Disk()
        for event in done.events:
            disk.apply(*event)
        done.steps = disk.steps
        return done

    def cells(self, file):
        """(step, metric) -> the value as text, of every row that the file has."""
        rows = [line.split(",") for line in self.succeeds("export", file).stdout.splitlines()]
        return {(row[0], metric): value for row in rows[1:] for metric, value in zip(rows[0][1:], row[1:]) if value}

    def ended(self, file):
        """What a complete file says of its run: read by h5py."""
        with h5py.File(self.folder / file, "r") as f:
            return [f[name][()].tobytes() for name in ("status", "digest", "steps", "metrics/train%2Floss/value")]

    def clear(self, pattern="part*"):
        for file in [*self.folder.glob(pattern), *self.folder.glob(f".{pattern}")]:
            file.unlink()


def journal_records(data):
    """(start, end) of each record of a journal (framework/results/journal_record.h)."""
    at, found = 0, []
    while at + 24 <= len(data):
        end = at + 24 + struct.unpack_from("<I", data, at + 4)[0]
        if end > len(data):
            break
        found.append((at, end))
        at = end
    return found


def journal_steps(data):
    """Completed steps in the last record of rows."""
    return max((struct.unpack_from("<q", data, start + 20)[0] for start, end in journal_records(data)
                if struct.unpack_from("<I", data, start + 8)[0] == 2), default=0)


def events(trace):
    data, at = trace.read_bytes(), 0
    while at < len(data):
        end = data.index(b"\n", at)
        what, inode, a, b, offset, size = data[at:end].decode().split("\t")
        body = data[end + 1:end + 1 + int(size)]
        at = end + 2 + int(size)
        yield what, int(inode), a, b, int(offset), body


class File:
    def __init__(self):
        self.now, self.safe, self.dirty = bytearray(), b"", set()

    def change(self, offset, body):
        if len(self.now) < offset:
            self.now.extend(bytes(offset - len(self.now)))
        self.now[offset:offset + len(body)] = body
        self.dirty.update(range(offset // PAGE, (offset + len(body) - 1) // PAGE + 1))

    def resize(self, size):
        self.dirty.update(range(min(size, len(self.now)) // PAGE, max(size, len(self.now)) // PAGE + 1))
        del self.now[size:]
        self.now.extend(bytes(size - len(self.now)))

    def sync(self):
        self.safe, self.dirty = bytes(self.now), set()

    def after_power_cut(self, draw):
        """The size of before or of now, and any of the pages that were not synced."""
        kept = bytearray(self.safe)
        size = draw.choice([len(self.safe), len(self.now)])
        kept.extend(bytes(max(0, size - len(kept))))
        for page in self.dirty:
            if draw.random() < 0.5:
                kept[page * PAGE:(page + 1) * PAGE] = self.now[page * PAGE:(page + 1) * PAGE]
        del kept[size:]
        kept.extend(bytes(size - len(kept)))
        return bytes(kept)


class Disk:
    """What may be on a disk after a power cut: names in the order in which they were made up to any of those that were
    not synced; of the bytes that were not, any 4 KiB pages."""

    def __init__(self, forgets=None):
        self.names, self.safe_names, self.pending, self.inodes = {}, {}, [], {}
        self.forgets = forgets  # of files with this in their name no sync reaches the disk
        self.steps = 0  # completed ones that were promised

    def rename(self, old, new):
        if old:
            file = self.names.pop(old)
        if new:
            self.names[new] = file
        self.pending.append(dict(self.names))

    def apply(self, what, inode, a, b, offset, body):
        file = self.inodes.get(inode, File())
        if what in ("create", "open"):
            if self.names.get(a) is None or self.names[a] is not file:
                file = self.names[a] = self.inodes[inode] = File()
                self.pending.append(dict(self.names))
            if what == "create":
                file.resize(0)
        elif what == "write":
            file.change(offset, body)
        elif what == "cut":
            file.resize(offset)
        elif what == "reserve":
            file.resize(max(offset, len(file.now)))
        elif what == "sync":
            if not (self.forgets and self.forgets in a):
                file.sync()
            if a.endswith(".journal"):
                self.steps = max(self.steps, journal_steps(file.now))
        elif what == "sync-folder":
            self.safe_names, self.pending = dict(self.names), []
        elif what == "rename":
            self.rename(a, b)
        elif what == "unlink":
            self.rename(a, None)

    def put_into(self, folder, draw):
        states = [self.safe_names, *self.pending]
        for path, file in draw.choice(states).items():
            (folder / path.rpartition("/")[2]).write_bytes(file.after_power_cut(draw))
