"""Makes ngram.json from the formulas of Chen and Goodman (1999), with plain dictionaries; run by hand:
/usr/bin/python3 tests/golden/make_ngram.py [tinyshakespeare.txt]
Given the corpus, it prints the losses on its whole validation part that tests/plugins/ngram_test.cpp states."""
import collections
import json
import math
import pathlib
import sys


def events(ids, context):
    return [(tuple(ids[i - context:i]), ids[i]) for i in range(max(context, 1), len(ids))]


class Interpolated:
    def __init__(self, ids, context, size, weight):
        self.size, self.weight = size, weight
        self.levels = []
        for k in range(context + 1):
            level = collections.defaultdict(collections.Counter)
            for u, x in events(ids, context):
                level[u[context - k:]][x] += 1
            self.levels.append(level)

    def p(self, x, u):
        if len(u) == 0:
            shorter = 1 / self.size
        else:
            shorter = self.p(x, u[1:])
        counts = self.levels[len(u)].get(u)
        if not counts:
            return shorter
        return self.weight * counts[x] / sum(counts.values()) + (1 - self.weight) * shorter


class KneserNey:
    def __init__(self, ids, context, size):
        self.size, self.levels, self.discounts = size, [], []
        seen = events(ids, context)
        for k in range(context + 1):
            level = collections.defaultdict(collections.Counter)
            if k == context:
                for u, x in seen:
                    level[u][x] += 1
            else:
                for u, x in {(u[context - k - 1:], x) for u, x in seen}:
                    level[u[1:]][x] += 1
            self.levels.append(level)
            n = collections.Counter(c for counts in level.values() for c in counts.values())
            try:
                y = n[1] / (n[1] + 2 * n[2])
                d = [0] + [i - (i + 1) * y * n[i + 1] / n[i] for i in (1, 2, 3)]
                if not all(0 <= d[i] <= i for i in (1, 2, 3)):
                    raise ZeroDivisionError
            except ZeroDivisionError:
                d = [0, 0.5, 1, 1.5]
            self.discounts.append(d)

    def p(self, x, u):
        shorter = self.p(x, u[1:]) if u else 1 / self.size
        counts = self.levels[len(u)].get(u)
        if not counts:
            return shorter
        d = self.discounts[len(u)]
        total = sum(counts.values())
        left = sum(d[min(c, 3)] for c in counts.values())
        return (counts[x] - d[min(counts[x], 3)]) / total + left / total * shorter


def make_ids(count, size):
    """Not uniform: the product of two draws, and often what came three before."""
    state, ids = 12345, []
    for i in range(count):
        state = (1103515245 * state + 12345) % 2**31
        a, b, c = state >> 8 & 7, state >> 14 & 7, state >> 20 & 3
        ids.append(ids[-3] if c < 2 and i >= 3 else a * b % size)
    return ids


def shakespeare(file):
    text = pathlib.Path(file).read_text()
    alphabet = {c: i for i, c in enumerate(sorted(set(text)))}
    ids = [alphabet[c] for c in text]
    cut = len(ids) * 9 // 10
    train, validation = ids[:cut], ids[cut:]
    for context in range(6):
        for name, model in [("interpolated", Interpolated(train, context, len(alphabet), 0.5)),
                            ("kneser_ney", KneserNey(train, context, len(alphabet)))]:
            cache = {}
            total = count = 0
            for u, x in events(validation, context):
                if (u, x) not in cache:
                    cache[u, x] = -math.log(model.p(x, u))
                total += cache[u, x]
                count += 1
            print(f"{name} context {context}: {total / count:.6f}")


def main():
    size, ids = 7, make_ids(400, 7)
    cases = []
    for context in range(4):
        asked = [tuple(ids[i:i + context]) for i in (5, 70, 133)] + [(6, 5, 4)[:context], (0, 0, 1)[:context]]
        for name, model in [("interpolated, weight: 0.7", Interpolated(ids, context, size, 0.7)),
                            ("kneser_ney", KneserNey(ids, context, size))]:
            cases.append({"options": f"context: {context}, method: {name}",
                          "after": [{"context": u, "p": [model.p(x, u) for x in range(size)]} for u in asked]})
            assert all(abs(sum(a["p"]) - 1) < 1e-12 for a in cases[-1]["after"])
    file = pathlib.Path(__file__).with_name("ngram.json")
    file.write_text(json.dumps({"size": size, "ids": ids, "cases": cases}) + "\n")


if len(sys.argv) > 1:
    shakespeare(sys.argv[1])
else:
    main()
