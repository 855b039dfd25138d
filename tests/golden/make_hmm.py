"""Makes hmm.json by going through every path of hidden states, without forward or backward algorithm; run by hand:
/usr/bin/python3 tests/golden/make_hmm.py
Given the corpus and a number of states, it learns on it in NumPy and prints the losses that
experiments/shakespeare/hmm.yaml expects: make_hmm.py tinyshakespeare.txt STATES ITERATIONS SEED"""
import itertools
import json
import pathlib
import sys

import numpy as np


def paths(model, ids):
    """Every path with its joint probability with the sequence."""
    pi, a, b = model
    for path in itertools.product(range(len(pi)), repeat=len(ids)):
        p = pi[path[0]] * b[path[0], ids[0]]
        for t in range(1, len(ids)):
            p *= a[path[t - 1], path[t]] * b[path[t], ids[t]]
        yield path, p


def likelihood(model, ids):
    return sum(p for _, p in paths(model, ids))


def reestimated(model, sequences, smoothing):
    counts = [np.full_like(part, smoothing) for part in model]
    loss = 0
    for ids in sequences:
        total = likelihood(model, ids)
        loss -= np.log(total)
        for path, p in paths(model, ids):
            counts[0][path[0]] += p / total
            for t, z in enumerate(path):
                counts[2][z, ids[t]] += p / total
                if t > 0:
                    counts[1][path[t - 1], z] += p / total
    return [part / part.sum(axis=-1, keepdims=True) for part in counts], loss


def dump(model):
    pi, a, b = model
    return {"initial": pi.tolist(), "transitions": a.ravel().tolist(), "emissions": b.T.ravel().tolist()}


def main():
    rng = np.random.default_rng(7)
    states, tokens = 3, 4
    start = [rng.dirichlet(np.ones(n), size) if size else rng.dirichlet(np.ones(n))
             for n, size in ((states, None), (states, states), (tokens, states))]
    ids = [1, 0, 3, 2, 2, 1, 0, 3, 0, 0, 3, 2, 1, 0, 3, 2, 1]
    context = 4
    sequences = [ids[i:i + context + 1] for i in range(0, len(ids) - 1, context)]
    cases = []
    for smoothing in (0, 0.25):
        model, losses = start, []
        for _ in range(3):
            model, loss = reestimated(model, sequences, smoothing)
            losses.append(loss)
        after = []
        for known in ([0], [1, 0, 3], [2, 2, 1, 0, 3]):
            p = np.array([likelihood(model, known + [x]) for x in range(tokens)])
            after.append({"ids": known, "p": (p / p.sum()).tolist()})
        cases.append({"smoothing": smoothing, "losses": losses, "learned": dump(model), "after": after})
    file = pathlib.Path(__file__).with_name("hmm.json")
    file.write_text(json.dumps({"states": states, "tokens": tokens, "context": context, "ids": ids,
                                "start": dump(start), "cases": cases}) + "\n")


def shakespeare(file, states, iterations, seed):
    text = pathlib.Path(file).read_text()
    alphabet = {c: i for i, c in enumerate(sorted(set(text)))}
    ids = np.array([alphabet[c] for c in text])
    cut = len(ids) * 9 // 10
    train, validation = ids[:cut], ids[cut:]
    tokens, context, history = len(alphabet), 64, 64
    count = (len(train) - 1) // context
    rows = train[np.arange(count)[:, None] * context + np.arange(context + 1)]  # the last, shorter one left out
    rng = np.random.default_rng(seed)
    pi, a, b = rng.dirichlet(np.ones(states)), rng.dirichlet(np.ones(states), states), rng.dirichlet(np.ones(tokens), states)
    for iteration in range(iterations):
        alpha, scale = np.empty((context + 1, count, states)), np.empty((context + 1, count))
        for t in range(context + 1):
            now = (pi if t == 0 else alpha[t - 1] @ a) * b.T[rows[:, t]]
            scale[t] = now.sum(axis=1)
            alpha[t] = now / scale[t][:, None]
        beta, pairs = np.ones((count, states)), np.zeros((states, states))
        emitted = np.zeros((tokens, states))
        for t in reversed(range(context + 1)):
            gamma = alpha[t] * beta
            np.add.at(emitted, rows[:, t], gamma)
            if t > 0:
                ahead = b.T[rows[:, t]] * beta / scale[t][:, None]
                pairs += alpha[t - 1].T @ ahead
                beta = ahead @ a.T
        print(f"iteration {iteration}: {-np.log(scale).sum() / rows.size:.6f}", flush=True)
        pi, a, b = [part / part.sum(axis=-1, keepdims=True)
                    for part in (gamma.sum(axis=0) + 0.01, pairs * a + 0.01, emitted.T + 0.01)]
    # Every position after the first history + 1, each with the tokens before it in a sequence of its own.
    length = history + context
    count = (len(validation) - 1 - history) // context
    rows = validation[np.arange(count)[:, None] * context + np.arange(length + 1)]
    belief, loss = np.tile(pi, (count, 1)), 0.0
    for t in range(length + 1):
        p = belief * b.T[rows[:, t]]
        if t > history:
            loss -= np.log(p.sum(axis=1)).sum()
        belief = p / p.sum(axis=1, keepdims=True) @ a
    print(f"states {states}, seed {seed}: validation {loss / (count * context):.6f}")


if len(sys.argv) > 1:
    shakespeare(sys.argv[1], *map(int, sys.argv[2:5]))
else:
    main()
