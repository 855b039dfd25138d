"""A small GPT-2 under Hugging Face's names, and its log-probabilities, by PyTorch in float64.

    /usr/bin/python3 tests/golden/make_gpt2.py     (writes tests/golden/gpt2_tiny/)

The forward pass is written from the paper and the names of the published files: fused c_attn of shape
[D, 3 D] applied as x W + b, GELU by tanh, output tied to the embedding.
"""
import json
import math
import pathlib
import struct

import torch

V, C, D, H, LAYERS = 11, 12, 8, 2, 2
FOLDER = pathlib.Path(__file__).parent / "gpt2_tiny"
generator = torch.Generator().manual_seed(4)


def draw(*shape, scale=0.3, centre=0.0):
    return (torch.randn(*shape, generator=generator) * scale + centre).float()


weights = {"wte.weight": draw(V, D), "wpe.weight": draw(C, D)}
for i in range(LAYERS):
    h = f"h.{i}."
    weights |= {h + "ln_1.weight": draw(D, centre=1.0), h + "ln_1.bias": draw(D),
                h + "attn.c_attn.weight": draw(D, 3 * D), h + "attn.c_attn.bias": draw(3 * D),
                h + "attn.c_proj.weight": draw(D, D), h + "attn.c_proj.bias": draw(D),
                h + "ln_2.weight": draw(D, centre=1.0), h + "ln_2.bias": draw(D),
                h + "mlp.c_fc.weight": draw(D, 4 * D), h + "mlp.c_fc.bias": draw(4 * D),
                h + "mlp.c_proj.weight": draw(4 * D, D), h + "mlp.c_proj.bias": draw(D)}
weights |= {"ln_f.weight": draw(D, centre=1.0), "ln_f.bias": draw(D)}
w = {name: array.double() for name, array in weights.items()}


def norm(x, name):
    return torch.nn.functional.layer_norm(x, (D,), w[name + ".weight"], w[name + ".bias"])


def linear(x, name):
    return x @ w[name + ".weight"] + w[name + ".bias"]


def logits(tokens):
    n = len(tokens)
    x = w["wte.weight"][tokens] + w["wpe.weight"][:n]
    for i in range(LAYERS):
        h = f"h.{i}."
        q, k, v = (t.reshape(n, H, D // H).transpose(0, 1) for t in
                   linear(norm(x, h + "ln_1"), h + "attn.c_attn").split(D, dim=-1))
        scores = q @ k.transpose(1, 2) / math.sqrt(D // H)
        scores = scores.masked_fill(torch.ones(n, n).triu(1).bool(), -math.inf)
        y = (scores.softmax(-1) @ v).transpose(0, 1).reshape(n, D)
        x = x + linear(y, h + "attn.c_proj")
        z = linear(norm(x, h + "ln_2"), h + "mlp.c_fc")
        z = 0.5 * z * (1 + torch.tanh(math.sqrt(2 / math.pi) * (z + 0.044715 * z ** 3)))
        x = x + linear(z, h + "mlp.c_proj")
    return norm(x, "ln_f") @ w["wte.weight"].T


header, numbers = {}, b""
for name in sorted(weights):
    data = weights[name].numpy().tobytes()
    header[name] = {"dtype": "F32", "shape": list(weights[name].shape),
                    "data_offsets": [len(numbers), len(numbers) + len(data)]}
    numbers += data
text = json.dumps(header, separators=(",", ":")).encode()
text += b" " * (-len(text) % 8)
FOLDER.mkdir(exist_ok=True)
(FOLDER / "model.safetensors").write_bytes(struct.pack("<Q", len(text)) + text + numbers)
tokens = [3, 1, 4, 1, 5, 9, 2, 6, 5, 10, 0, 7]
probabilities = logits(torch.tensor(tokens)).log_softmax(-1)
following = [float(f"{probabilities[i, t]:.9g}") for i, t in enumerate(tokens[1:])]
(FOLDER / "log_probabilities.json").write_text(json.dumps({"tokens": tokens, "log_probabilities": following}) + "\n")
