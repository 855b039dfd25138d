"""Power laws fitted by SciPy's curve_fit, with 95% intervals by Student's t.

    python3 tests/golden/make_power_law.py > tests/golden/power_law.json
"""
import json

import numpy as np
from scipy.optimize import curve_fit
from scipy.stats import t

random = np.random.default_rng(5)


def fit(name, law, x, y, start, floor):
    p, covariance = curve_fit(law, x, y, p0=start, maxfev=100000, ftol=1e-15, xtol=1e-15, gtol=1e-15)
    half = t.ppf(0.975, len(y) - len(p)) * np.sqrt(np.diag(covariance))
    rows = x if x.ndim == 2 else x[None]
    return {"name": name, "floor": floor, "x": rows.tolist(), "y": y.tolist(), "value": p.tolist(), "half": half.tolist()}


def one(x, a, b, e):
    return a * x**-b + e


def bare(x, a, b):
    return a * x**-b


def two(x, a, b, c, d, e):
    return a * x[0]**-b + c * x[1]**-d + e


size = np.array([3e3, 1e4, 3e4, 1e5, 3e5, 1e6, 3e6])
noisy = one(size, 30.0, 0.4, 1.7) * (1 + 0.003 * random.standard_normal(size.size))
grid = np.array([[n, d] for n in (1e4, 3e4, 1e5, 3e5) for d in (1e5, 4e5, 1.6e6)]).T
both = two(grid, 40.0, 0.35, 90.0, 0.3, 1.6) * (1 + 0.002 * random.standard_normal(grid.shape[1]))
print(json.dumps([
    fit("one", one, size, noisy, [20, 0.3, 1.5], True),
    fit("bare", bare, size, bare(size, 9.0, 0.12) * (1 + 0.01 * random.standard_normal(size.size)), [5, 0.1], False),
    fit("two", two, grid, both, [30, 0.3, 80, 0.3, 1.5], True)]))
