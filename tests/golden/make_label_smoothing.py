"""Cross entropy with label smoothing and ignored targets, in float64 by PyTorch.

    python3 tests/golden/make_label_smoothing.py > tests/golden/label_smoothing.json
"""
import json

import torch
import torch.nn.functional as F

torch.set_default_dtype(torch.float64)
logits = torch.randn(5, 7, generator=torch.Generator().manual_seed(3), requires_grad=True)
targets = torch.tensor([2, -100, 0, 6, 2])
loss = F.cross_entropy(logits, targets, label_smoothing=0.1, ignore_index=-100, reduction="sum")
loss.backward()


def array(t):
    return {"shape": list(t.shape), "data": [float(f"{v:.9g}") for v in t.detach().flatten().tolist()]}


print(json.dumps({"smoothing": 0.1, "logits": array(logits), "targets": targets.tolist(), "loss": loss.item(),
                  "grad_logits": array(logits.grad)}))
