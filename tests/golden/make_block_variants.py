"""Golden values of the transformer layer's options, in float64 by PyTorch's autograd.

    python3 tests/golden/make_block_variants.py > tests/golden/block_variants.json

Written from the papers' formulas: rotary turns as in Llama (pairs half a head apart), ALiBi's slopes
2^(-8 (h + 1) / H), SwiGLU and GeGLU as Shazeer (2020), RMS norm as Zhang and Sennrich (2019). Experts: each
token's output is the sum over its k likeliest ones of gate times expert, with the penalty of Fedus et al. (2021).
"""
import json
import math

import torch
import torch.nn.functional as F

B, N, D, H = 2, 6, 8, 4
W = D // H
torch.set_default_dtype(torch.float64)


def array(t):
    return {"shape": list(t.shape), "data": [float(f"{v:.9g}") for v in t.detach().flatten().tolist()]}


def rms(x, gain):
    return x / torch.sqrt((x * x).mean(-1, keepdim=True) + 1e-5) * gain


def turn(x):  # [B, H, N, W], by position
    half = W // 2
    angle = torch.outer(torch.arange(N).double(), 10000.0 ** (-2 * torch.arange(half).double() / W))
    cos, sin = torch.cat([angle.cos()] * 2, -1), torch.cat([angle.sin()] * 2, -1)
    turned = torch.cat([-x[..., half:], x[..., :half]], -1)
    return x * cos + turned * sin


class Case:
    def __init__(self, name, seed, **options):
        self.name, self.o, self.p = name, options, {}
        self.g = torch.Generator().manual_seed(seed)

    def parameter(self, path, *shape, centre=0.0):
        if path not in self.p:
            draw = torch.randn(*shape, generator=self.g) * 0.4 + centre
            self.p[path] = draw.requires_grad_()
        return self.p[path]

    def linear(self, x, path, outputs, bias):
        if not bias:
            return x @ self.parameter(path, x.shape[-1], outputs)
        return x @ self.parameter(path + "/weight", x.shape[-1], outputs) + self.parameter(path + "/bias", outputs)

    def norm(self, x, path):
        if self.o["norm"] == "rms":
            return rms(x, self.parameter(path, D, centre=1.0))
        return F.layer_norm(x, (D,), self.parameter(path + "/gain", D, centre=1.0), self.parameter(path + "/bias", D))

    def allowed(self):
        query, key = torch.arange(N)[:, None], torch.arange(N)[None, :]
        mask = torch.ones(B, 1, N, N, dtype=torch.bool)
        if self.o.get("causal", True):
            mask = mask & (key <= query)
        if "window" in self.o:
            mask = mask & ((query - key).abs() < self.o["window"])
        if "keys" in self.o:
            mask = mask & torch.tensor(self.o["keys"])[:, None, None, :].bool()
        return mask

    def bias(self):
        distance = torch.arange(N)[:, None] - torch.arange(N)[None, :]
        if self.o["positions"] == "alibi":
            slopes = torch.tensor([2.0 ** (-8 * (h + 1) / H) for h in range(H)])
            return -slopes[:, None, None] * distance.abs()
        if self.o["positions"] == "relative":
            first = 0 if self.o.get("causal", True) else 1 - N
            table = self.parameter("position", H, N - first)
            return table[:, (distance - first).clamp(0, N - first - 1)]
        return torch.zeros(H, N, N)

    def attention(self, x):
        groups, bias = self.o.get("key_heads", H), self.o["attention_bias"]
        heads = lambda t, count: t.reshape(B, N, count, W).transpose(1, 2)
        q = heads(self.linear(x, "attention/q", D, bias), H)
        k = heads(self.linear(x, "attention/k", groups * W, bias), groups)
        v = heads(self.linear(x, "attention/v", groups * W, bias), groups)
        if self.o.get("qk_norm"):
            q = rms(q, self.parameter("attention/q_norm", W, centre=1.0))
            k = rms(k, self.parameter("attention/k_norm", W, centre=1.0))
        if self.o["positions"] == "rotary":
            q, k = turn(q), turn(k)
        k, v = (t.repeat_interleave(H // groups, 1) for t in (k, v))
        scores = q @ k.transpose(-1, -2) / math.sqrt(W) + self.bias()
        weights = scores.masked_fill(~self.allowed(), -math.inf).softmax(-1)
        y = (weights @ v).transpose(1, 2).reshape(B, N, D)
        return self.linear(y, "attention/o", D, bias)

    def mixture(self, x):
        experts, k = self.o["experts"], self.o["per_token"]
        p = self.linear(x, "mlp/router", experts, False).softmax(-1)
        top, chosen = p.topk(k, -1)
        gates = top if k == 1 else top / top.sum(-1, keepdim=True)
        outputs = torch.stack([self.mlp(x, f"mlp/expert{e}") for e in range(experts)], -2)
        real = torch.tensor(self.o["keys"]).bool() if "keys" in self.o else torch.ones(B, N, dtype=torch.bool)
        share = F.one_hot(chosen[real], experts).double().mean((0, 1))
        self.penalty = 0.5 * experts * (share * p[real].mean(0)).sum()
        picked = outputs.gather(-2, chosen[..., None].expand(B, N, k, D))
        return (gates[..., None] * picked).sum(-2)

    def mlp(self, x, path="mlp"):
        if path == "mlp" and "experts" in self.o:
            return self.mixture(x)
        unit, bias = self.o["mlp"], self.o["mlp_bias"]
        hidden = 24 if unit in ("swiglu", "geglu") else 4 * D
        up = self.linear(x, path + "/expand", hidden, bias)
        if unit == "relu":
            h = F.relu(up)
        elif unit == "gelu":
            h = F.gelu(up)
        else:
            gate = self.linear(x, path + "/gate", hidden, bias)
            h = (F.silu(gate) if unit == "swiglu" else F.gelu(gate)) * up
        return self.linear(h, path + "/project", D, bias)

    def layer(self, x):
        if self.o["block"] == "post_norm":
            x = self.norm(x + self.attention(x), "attention_norm")
            return self.norm(x + self.mlp(x), "mlp_norm")
        y = self.norm(x, "attention_norm")
        if self.o["block"] == "parallel":
            return x + self.attention(y) + self.mlp(y)
        x = x + self.attention(y)
        return x + self.mlp(self.norm(x, "mlp_norm"))

    def golden(self):
        x = torch.randn(B, N, D, generator=self.g).requires_grad_()
        y = self.layer(x)
        upstream = torch.randn(B, N, D, generator=self.g)
        ((y * upstream).sum() + getattr(self, "penalty", 0)).backward()
        return {"name": self.name, "x": array(x), "y": array(y), "upstream": array(upstream), "grad_x": array(x.grad),
                "keys": self.o.get("keys"),
                "parameters": {k: array(v) for k, v in self.p.items()},
                "gradients": {k: array(v.grad) for k, v in self.p.items()}}


CASES = [
    Case("llama", 1, block="pre_norm", norm="rms", positions="rotary", mlp="swiglu", key_heads=2, qk_norm=True,
         attention_bias=False, mlp_bias=False),
    Case("parallel_alibi", 2, block="parallel", norm="layer", positions="alibi", mlp="geglu", attention_bias=True,
         mlp_bias=True),
    Case("post_norm_relative_window", 3, block="post_norm", norm="rms", positions="relative", mlp="relu", window=3,
         key_heads=1, attention_bias=False, mlp_bias=True),
    Case("both_ways", 4, block="pre_norm", norm="layer", positions="relative", mlp="gelu", window=3, causal=False,
         keys=[[1, 1, 1, 1, 1, 1], [1, 1, 1, 1, 0, 0]], attention_bias=True, mlp_bias=False),
    Case("switch", 5, block="pre_norm", norm="layer", positions="none", mlp="gelu", experts=4, per_token=1,
         keys=[[1, 1, 1, 1, 1, 1], [1, 1, 1, 1, 0, 0]], attention_bias=False, mlp_bias=True),
    Case("two_experts_each", 6, block="parallel", norm="rms", positions="rotary", mlp="swiglu", experts=3, per_token=2,
         attention_bias=False, mlp_bias=False),
]
print(json.dumps([case.golden() for case in CASES], separators=(",", ":")))
