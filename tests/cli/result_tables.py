"""Reads the tables of texts in result files (results/README.md)."""
import h5py


def table(file, name):
    """The rows of a table."""
    with h5py.File(file, "r") as f:
        raw, ends = f[name]["bytes"][()].tobytes(), f[name]["ends"][()]
    starts = [0, *ends.ravel()[:-1].tolist()]
    cells = [raw[a:b].decode() for a, b in zip(starts, ends.ravel().tolist())]
    return [tuple(cells[i:i + ends.shape[1]]) for i in range(0, len(cells), ends.shape[1])]
