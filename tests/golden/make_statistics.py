"""Makes statistics.json with SciPy (Debian: python3-scipy); run by hand: /usr/bin/python3 tests/golden/make_statistics.py"""
import itertools
import json
import pathlib

import numpy as np
from scipy import special, stats

SAMPLES = {
    "losses of two learning rates": ([1.8925, 1.9012, 1.8877, 1.8950], [1.9301, 1.9187, 1.9255, 1.9420]),
    "unequal sizes and spreads": ([2.31, 2.29, 2.33], [2.4, 2.1, 2.7, 2.2, 2.65, 2.35, 2.5]),
    "no difference to see": ([0.51, 0.49, 0.52, 0.48, 0.5], [0.51, 0.54, 0.46, 0.505, 0.5]),
    "two against two": ([1.0, 1.1], [1.3, 1.35]),
    "large offset": ([1e6 + 0.25, 1e6 + 0.5, 1e6 + 0.125], [1e6 + 1.5, 1e6 + 1.25, 1e6 + 1.75]),
    "one side does not vary": ([3.0, 3.0, 3.0], [3.5, 3.25, 3.75]),
}


def critical_t(df):
    """stats.t.ppf(0.975, df) is wrong in the tenth digit for small df (2: 4.3026527299, not ...7297)."""
    return np.sqrt((1 / special.betaincinv(df / 2, 0.5, 0.05) - 1) * df)


def interval(mean, error, df):
    reach = critical_t(df) * error
    return [mean - reach, mean + reach]


def spread(x):
    error = stats.sem(x)
    return {"mean": float(np.mean(x)), "deviation": float(np.std(x, ddof=1)),
            "interval": interval(np.mean(x), error, len(x) - 1)}


def power(shift, df):
    critical = critical_t(df)
    return stats.nct.sf(critical, df, abs(shift)) + stats.nct.cdf(-critical, df, abs(shift))


def least(power_of):
    return next(n for n in range(2, 5000) if power_of(n) >= 0.8)


def welch_df(va, na, vb, nb):
    return (va + vb) ** 2 / (va**2 / (na - 1) + vb**2 / (nb - 1))


def case(name, a, b):
    a, b = np.array(a), np.array(b)
    va, vb = np.var(a, ddof=1), np.var(b, ddof=1)
    difference = np.mean(a) - np.mean(b)
    df = welch_df(va / len(a), len(a), vb / len(b), len(b))
    welch = stats.ttest_ind(a, b, equal_var=False)
    out = {"name": name, "a": a.tolist(), "b": b.tolist(), "spread_a": spread(a), "spread_b": spread(b),
           "welch": {"value": float(difference), "t": float(welch.statistic), "p": float(welch.pvalue), "degrees": float(df),
                     "interval": interval(difference, np.sqrt(va / len(a) + vb / len(b)), df)},
           "seeds": least(lambda n: power(difference / np.sqrt((va + vb) / n), welch_df(va / n, n, vb / n, n)))}
    if len(a) == len(b):
        d = a - b
        paired = stats.ttest_rel(a, b)
        out["paired"] = {"value": float(np.mean(d)), "t": float(paired.statistic), "p": float(paired.pvalue),
                         "degrees": len(d) - 1, "interval": interval(np.mean(d), stats.sem(d), len(d) - 1)}
        out["pairs"] = least(lambda n: power(np.mean(d) / (np.std(d, ddof=1) / np.sqrt(n)), n - 1))
    return out


def every_bootstrap(a, b):
    """All resamples, each once: what a bootstrap with many draws comes near to."""
    means = [[np.mean(r) for r in itertools.product(x, repeat=len(x))] for x in (a, b)]
    return np.percentile([p - q for p in means[0] for q in means[1]], [2.5, 97.5]).tolist()


def main():
    p = [0.01, 0.04, 0.03, 0.005, 0.8, 0.04]
    order = np.argsort(p, kind="stable")
    holm = np.empty(len(p))
    holm[order] = np.minimum(1, np.maximum.accumulate(np.array(p)[order] * np.arange(len(p), 0, -1)))
    a, b = [1.89, 1.9, 1.88, 1.93], [1.95, 1.93, 1.97, 1.94]
    golden = {"made_with": "SciPy " + __import__("scipy").__version__,
              "cases": [case(name, *sides) for name, sides in SAMPLES.items()],
              "holm": {"p": p, "adjusted": holm.tolist()},
              "bootstrap": {"a": a, "b": b, "interval": every_bootstrap(a, b)}}
    path = pathlib.Path(__file__).with_name("statistics.json")
    path.write_text(json.dumps(golden, indent=1) + "\n", encoding="utf-8")


main()
