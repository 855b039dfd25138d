"""Makes word2vec.json: loss and gradients of given pairs by finite sums in float64; run by hand:
/usr/bin/python3 tests/golden/make_word2vec.py
Given the corpus, it trains skip-gram and CBOW with PyTorch on pairs that it draws itself, and prints the losses that
experiments/text/word2vec.yaml expects: make_word2vec.py tinyshakespeare.txt VARIANT SEED"""
import collections
import json
import pathlib
import re
import sys

import numpy as np


def loss_and_gradients(token, output, context, candidates, label):
    d_token, d_output, loss = np.zeros_like(token), np.zeros_like(output), 0.0
    for names, asked, labels in zip(context, candidates, label):
        names = [c for c in names if c >= 0]
        near = np.mean([token[c] for c in names], axis=0) if names else np.zeros(token.shape[1])
        d_near = np.zeros_like(near)
        for k, t in zip(asked, labels):
            if t < 0:
                continue
            p = 1 / (1 + np.exp(-near @ output[k]))
            loss -= t * np.log(p) + (1 - t) * np.log(1 - p)
            d_near += (p - t) * output[k]
            d_output[k] += (p - t) * near
        for c in names:
            d_token[c] += d_near / len(names)
    return loss, d_token, d_output


def main():
    rng = np.random.default_rng(5)
    words, width, pairs = 6, 9, 5
    token, output = rng.normal(size=(words, width)), rng.normal(size=(words, width))
    cases = []
    for contexts, others in ((1, 3), (4, 2)):
        context = rng.integers(0, words, (pairs, contexts))
        if contexts > 1:
            context[0, 2:] = -1
            context[3, 1:] = -1
        candidates = rng.integers(0, words, (pairs, 1 + others))
        label = np.zeros((pairs, 1 + others), dtype=int)
        label[:, 0] = 1
        label[1, 2], candidates[1, 2] = -1, -1
        label[4], candidates[4] = -1, -1
        loss, d_token, d_output = loss_and_gradients(token, output, context, candidates, label)
        cases.append({"contexts": contexts, "candidates_each": 1 + others, "context": context.ravel().tolist(),
                      "candidates": candidates.ravel().tolist(), "label": label.ravel().tolist(), "loss": loss,
                      "d_token": {"shape": token.shape, "data": d_token.ravel().tolist()},
                      "d_output": {"shape": output.shape, "data": d_output.ravel().tolist()}})
    file = pathlib.Path(__file__).with_name("word2vec.json")
    file.write_text(json.dumps({"pairs": pairs, "token": {"shape": token.shape, "data": token.ravel().tolist()},
                                "output": {"shape": output.shape, "data": output.ravel().tolist()},
                                "cases": cases}) + "\n")


def shakespeare(path, variant, seed):
    import torch
    torch.set_num_threads(1)
    text = pathlib.Path(path).read_text()
    cut = len(text) * 9 // 10
    split = lambda t: re.findall(r"'s|'t|'re|'ve|'m|'ll|'d|[a-z]+|[0-9]+|[^\sa-z0-9]+", t.lower())
    train, validation = split(text[:cut]), split(text[cut:])
    counted = [(w, c) for w, c in collections.Counter(train).most_common() if c >= 5]
    ids = {w: i for i, (w, _) in enumerate(counted)}
    size = len(ids) + 1
    train = np.array([ids.get(w, size - 1) for w in train])
    validation = np.array([ids.get(w, size - 1) for w in validation])
    counts = np.bincount(train, minlength=size).astype(float)
    window, negatives, width, context, batch, steps = 5, 5, 64, 64, 32, 1000
    excess = 1e-3 * counts.sum() / counts
    kept = np.minimum(1, np.sqrt(excess) + excess)
    noise = counts ** 0.75 / (counts ** 0.75).sum()
    rng = np.random.default_rng(seed)

    def draw(data, windows):
        contexts, targets = [], []
        for start in rng.integers(0, len(data) - context, windows):
            row = data[start:start + context]
            row = row[rng.random(context) < kept[row]]
            for i in range(len(row)):
                reach = rng.integers(1, window + 1)
                near = np.concatenate([row[max(0, i - reach):i], row[i + 1:i + reach + 1]])
                if variant == "cbow" and len(near):
                    contexts.append(np.pad(near, (0, 2 * window - len(near)), constant_values=-1))
                    targets.append(row[i])
                elif variant == "skip_gram":
                    contexts += [[row[i]]] * len(near)
                    targets += list(near)
        targets = np.array(targets)
        others = rng.choice(size, (len(targets), negatives), p=noise)
        return [torch.tensor(np.array(a)) for a in (contexts, targets, others)]

    torch.manual_seed(seed)
    token = ((torch.rand(size, width) - 0.5) / width).requires_grad_()
    output = torch.zeros(size, width, requires_grad=True)

    def score(drawn):
        contexts, targets, others = drawn
        real = (contexts >= 0).float()
        near = (token[contexts.clamp(min=0)] * real[..., None]).sum(1) / real.sum(1, keepdim=True)
        asked = torch.cat([targets[:, None], others], dim=1)
        logits = (near[:, None] * output[asked]).sum(-1)
        right = torch.zeros_like(logits)
        right[:, 0] = 1
        used = torch.cat([torch.ones_like(targets[:, None]), (others != targets[:, None]).long()], dim=1).float()
        losses = torch.nn.functional.binary_cross_entropy_with_logits(logits, right, reduction="none") * used
        best = (logits[:, 1:].masked_fill(used[:, 1:] == 0, -1e9).amax(1) < logits[:, 0]).float()
        return losses.sum() / len(targets), best.mean()

    adam = torch.optim.Adam([token, output], lr=RATE)
    for step in range(steps + 1):
        if step % 500 == 0:
            with torch.no_grad():
                loss, first = score(draw(validation, 512))
            print(f"{variant}, seed {seed}, step {step}: validation {loss:.4f}, ranked first {first:.4f}", flush=True)
        adam.zero_grad()
        score(draw(train, batch))[0].backward()
        adam.step()


RATE = 2e-3
if len(sys.argv) > 1:
    shakespeare(sys.argv[1], sys.argv[2], int(sys.argv[3]))
else:
    main()
