#!/usr/bin/env python3
"""Computes what every learner must give, for ReferenceTest: python3 src/test/python/reference.py

Written from docs/algorithms.md, with NumPy and dense vectors. Nothing is updated lazily: an average is the sum of all
weight vectors of the past, a kernel model its sum over all updates, standardization takes mean and deviation of all
rows so far that have the feature (NaN: it has not), and the best tag sequence is found by enumerating all of them.

Each run learns from the first four fifths of its data and then predicts the rest without learning.
"""
import json

import numpy as np

from reference_data import DATA, RESOURCES
from reference_learners import KERNELS, learner

DEFAULTS = {
    "algorithm": "auto", "h": 0, "h.inclusive": False, "eta": 1, "predict": "last", "survival.start": 1, "bias": True,
    "kernel": "", "budget": 0, "budget.policy": "oldest", "seed": 0, "scale": "none", "classes": "", "c": 1, "r": 1,
    "loss": "sigmoid", "rate": "constant", "normalised": False, "implicit": False, "average.halflife": 0, "confidence": 0.75,
    "alpha": 0.9, "aggressive": False, "diagonal": "inverse", "stacked": False,
}


def prepared(x, seen, settings):
    """Scales x, the last of the rows seen, and appends the bias feature."""
    if not isinstance(x, np.ndarray):
        return x
    if settings["scale"] == "unit-norm":
        x = x / max(np.linalg.norm(x), 1e-300)
    elif settings["scale"] == "unit-norm-bias":
        x = np.append(x, float(settings["bias"]))
        return x / max(np.linalg.norm(x), 1e-300)
    elif settings["scale"] == "standard":
        x = standardized(x, np.array(seen))
    return np.append(np.where(np.isnan(x), 0, x), float(settings["bias"]))


def standardized(x, seen):
    """The sign while all values are one; around 0 where more than half of the rows have no value, else around the mean."""
    has = ~np.isnan(seen)
    count = has.sum(axis=0)
    mean = np.where(has, seen, 0).sum(axis=0) / np.maximum(count, 1)
    variance = np.where(has, (seen - mean) ** 2, 0).sum(axis=0) / np.maximum(count, 1)
    centre = np.where(count < len(seen) / 2, 0, mean)
    size = np.sqrt(variance + (mean - centre) ** 2)
    return np.where(variance > 0, (x - centre) / np.where(variance > 0, size, 1), np.sign(x))


class JavaRandom:
    """java.util.Random, by its documentation."""

    def __init__(self, seed):
        self.state = (seed ^ 0x5DEECE66D) % 2**48

    def below(self, n):
        while True:
            self.state = (self.state * 0x5DEECE66D + 11) % 2**48
            bits = self.state >> 17
            if n & (n - 1) == 0:
                return n * bits >> 31
            if bits - bits % n + n - 1 < 2**31:
                return bits % n


def passes(count, order, seed, most):
    """The positions of each pass."""
    random = JavaRandom(seed)
    positions = list(range(count))
    for _ in range(most):
        for last in range(count - 1, 0, -1) if order == "shuffled" else []:
            other = random.below(last + 1)
            positions[last], positions[other] = positions[other], positions[last]
        yield [random.below(count) for _ in range(count)] if order == "random" else positions


def summary(name, w, mean):
    """Bias and norm of a vector and of its mean, and a few of the weights."""
    places = np.flatnonzero((w[:-1] != 0) | (mean[:-1] != 0))
    some = sorted({int(places[k * (len(places) - 1) // 3]) for k in range(4)}) if len(places) else []
    return {
        "name": name, "bias": [w[-1], mean[-1]], "norm": [np.linalg.norm(w), np.linalg.norm(mean)],
        "count": len(places), "some": [[place, w[place], mean[place]] for place in some],
    }


def run(data, changes, order="file", seed=0, most=1):
    settings = DEFAULTS | changes | {"classes": changes["classes"].split(",") if "classes" in changes else []}
    if settings["algorithm"] in ("pa", "pa-i", "pa-ii", "arow", "multiclass-pa"):
        settings["h"] = 1
    if settings["algorithm"] == "sgd":
        settings["h"] = 0 if settings["loss"] == "perceptron" else 1
    count = len(DATA[data]) * 4 // 5
    model = learner(settings, *DATA[data][0][:2], count * most)
    seen, steps, by_pass = [], [], []
    for positions in passes(count, order, seed, most):
        for x, y, weight in (DATA[data][position] for position in positions):
            seen.append(x)
            steps.append(model.learn(prepared(x, seen, settings), y, weight))
        by_pass.append([sum(step[kind] for step in steps[-count:]) for kind in ("update", "error")])
        if by_pass[-1][0] == 0:
            break
    model.before = 0  # the rest does not follow what was learned
    wrong = [model.predict(prepared(x, seen + [x], settings))[0] != y for x, y, _ in DATA[data][count:]]
    spelled = {name: value if isinstance(value, str) else str(value).lower() for name, value in changes.items()}
    return {
        "data": data, "settings": spelled, "order": order, "seed": seed, "passes": most,
        "updatesAndErrorsByPass": by_pass, "hingeLoss": sum(step["loss"] for step in steps),
        "mistakes": [n for n, step in enumerate(steps) if step["mistake"]],
        "scores": [[n, *steps[n]["scores"]] for n in (len(steps) * k // 5 - 1 for k in range(1, 6))],
        "testErrors": sum(wrong), "norm": model.norm(), "radius": model.radius,
        "weights": [summary(name, *pair) for name, pair in model.weights().items()],
    }


def text(result):
    """One line of JSON; the first 12 digits do not depend on the build of NumPy."""
    exact = json.dumps(result, default=lambda number: number.item())
    shortened = json.loads(exact, parse_float=lambda number: float(f"{float(number):.12g}"))
    return json.dumps(shortened, separators=(",", ":"))


STANDARD = {"scale": "standard"}
UNIT = {"scale": "unit-norm-bias"}
AVERAGED = {"predict": "averaged"}
VOTED = {"predict": "voted"}
SGD = {"algorithm": "sgd"}
IMPLICIT = {"implicit": True}
STACKED = {"stacked": True}
SOFTMAX = {"algorithm": "softmax"}
COVARIANCE = {"algorithm": "arow", "diagonal": "covariance"}
MULTICLASS_PA = {"algorithm": "multiclass-pa"}
FIXED = {"classes": "9,8,7,6,5,4,3,2,1,0"}
MARGIN = {"h": 1, "eta": 0.1}
RUNS = {
    "perceptron": [
        ("wdbc", {}), ("wdbc", STANDARD), ("wdbc", {"scale": "unit-norm", "bias": False}),
        ("wdbc", STANDARD | AVERAGED), ("wdbc", STANDARD | AVERAGED | {"survival.start": 0}),
        ("wdbc", STANDARD | MARGIN), ("wdbc", {"scale": "unit-norm", "h": 1} | AVERAGED), ("two-classes", AVERAGED),
        ("two-classes", {"h": 6, "eta": 2}), ("two-classes", {"h": 6, "eta": 2, "h.inclusive": True, "bias": False}),
        ("table", {}), ("table", STANDARD), ("table", STANDARD | AVERAGED),
    ],
    "passive-aggressive": [
        ("wdbc", STANDARD | AVERAGED | {"algorithm": "pa"}), ("wdbc", STANDARD | {"algorithm": "pa-i", "c": 0.01}),
        ("wdbc", STANDARD | {"algorithm": "pa-ii", "c": 0.01}), ("two-classes", {"algorithm": "pa"}),
        ("two-classes", {"algorithm": "pa-i", "c": 0.02} | AVERAGED),
        ("two-classes", {"algorithm": "pa-ii", "c": 0.02, "bias": False}),
    ],
    "arow": [
        ("wdbc", STANDARD | {"algorithm": "arow"}), ("wdbc", {"scale": "unit-norm", "algorithm": "arow", "r": 0.1}),
        ("two-classes", {"algorithm": "arow", "r": 0.5}),
        ("wdbc", STANDARD | COVARIANCE), ("table", STANDARD | COVARIANCE | {"r": 0.1}),
        ("two-classes", COVARIANCE | {"bias": False}),
    ],
    "sgd": [
        ("wdbc", STANDARD | SGD), ("wdbc", STANDARD | SGD | AVERAGED | {"loss": "logistic", "rate": "inverse-sqrt"}),
        ("wdbc", SGD | AVERAGED | {"loss": "logistic", "rate": "adagrad", "normalised": True, "eta": 0.5}),
        ("wdbc", SGD | {"loss": "hinge", "normalised": True, "eta": 0.1}),
        ("wdbc", SGD | {"normalised": True, "rate": "inverse-sqrt", "bias": False, "eta": 10} | AVERAGED),
        ("two-classes", SGD | {"loss": "squared-hinge", "eta": 0.001, "survival.start": 0} | AVERAGED),
        ("two-classes", SGD | {"loss": "perceptron", "rate": "adagrad"}),
        ("two-classes", SGD | {"rate": "adagrad", "normalised": True} | AVERAGED),
        ("wdbc", STANDARD | SGD | IMPLICIT | {"rate": "adagrad"}), ("two-classes", SGD | IMPLICIT | {"loss": "hinge"}),
        ("wdbc", STANDARD | SGD | IMPLICIT | AVERAGED | {"loss": "logistic", "rate": "inverse-sqrt", "bias": False}),
        ("two-classes", SGD | IMPLICIT | {"loss": "squared-hinge", "eta": 0.3}), ("two-classes", SGD | IMPLICIT),
        ("wdbc", SGD | IMPLICIT | {"normalised": True, "eta": 10}),
        ("wdbc", SGD | IMPLICIT | AVERAGED | {"rate": "adagrad", "normalised": True}),
        ("table", STANDARD | SGD | IMPLICIT | {"rate": "adagrad"}),
        ("table", STANDARD | SGD | AVERAGED | {"rate": "adagrad", "normalised": True}),
        ("wdbc", STANDARD | SGD | IMPLICIT | STACKED | {"rate": "adagrad"}), ("two-classes", SGD | STACKED),
        ("wdbc", STANDARD | SGD | STACKED | AVERAGED | {"loss": "logistic", "bias": False}),
        ("table", STANDARD | SGD | IMPLICIT | STACKED | {"rate": "adagrad", "loss": "hinge"}),
    ],
    "kernel": [
        ("wdbc", STANDARD | VOTED), ("wdbc", STANDARD | VOTED | {"survival.start": 0}), ("two-classes", VOTED),
        *[("wdbc", STANDARD | {"kernel": kernel, "predict": predict})
          for kernel in KERNELS for predict in ("last", "averaged", "voted")],
        ("two-classes", {"kernel": "poly(c=1,k=2)", "h": 100} | AVERAGED),
        ("table", STANDARD | {"kernel": "poly(c=1,k=2)"}),
        *[("wdbc", STANDARD | {"kernel": "poly(c=1,k=2)", "budget": 20, "budget.policy": policy, "seed": 42})
          for policy in ("oldest", "smallest", "random")],
        ("wdbc", STANDARD | VOTED | {"kernel": "rbf(g=0.05)", "budget": 20, "budget.policy": "random", "seed": 5}),
    ],
    "multiclass": [
        ("digits", {}), ("digits", AVERAGED), ("digits", FIXED | AVERAGED | {"survival.start": 0}),
        ("digits", FIXED | MARGIN | {"scale": "unit-norm"}), ("four-classes", {"h": 5, "h.inclusive": True}),
        ("four-classes", AVERAGED | {"eta": 0.5, "bias": False}),
    ],
    "multiclass-pa": [
        ("digits", MULTICLASS_PA), ("digits", MULTICLASS_PA | AVERAGED | {"average.halflife": 200}),
        ("digits", MULTICLASS_PA | FIXED | AVERAGED | {"scale": "unit-norm", "c": 0.1, "survival.start": 0}),
        ("four-classes", MULTICLASS_PA | {"c": 0.02}), ("four-classes", MULTICLASS_PA | AVERAGED | {"c": 2, "bias": False}),
    ],
    "softmax": [
        ("digits", SOFTMAX | {"eta": 0.001}), ("digits", SOFTMAX | AVERAGED | UNIT | {"rate": "inverse-sqrt", "eta": 9}),
        ("digits", SOFTMAX | FIXED | {"scale": "unit-norm", "rate": "adagrad"}),
        ("four-classes", SOFTMAX | AVERAGED | {"rate": "adagrad", "eta": 0.3, "average.halflife": 30}),
        ("digits", SOFTMAX | IMPLICIT), ("four-classes", SOFTMAX | IMPLICIT | AVERAGED | {"eta": 10}),
        ("four-classes", SOFTMAX | IMPLICIT | {"rate": "adagrad", "bias": False}),
    ],
    "structured": [
        ("candidates", {}), ("candidates", AVERAGED | {"h": 3}),
        ("candidates", AVERAGED | {"h": 3, "h.inclusive": True, "survival.start": 0, "eta": 0.5}),
    ],
    "sequence": [
        ("sentences", {}), ("sentences", AVERAGED | {"eta": 0.5}),
        ("sentences", AVERAGED | {"classes": "D,C,B,A", "bias": False, "survival.start": 0}),
    ],
    "scw": [
        ("wdbc", STANDARD | {"algorithm": "scw"}), ("table", STANDARD | {"algorithm": "scw", "c": 0.1}),
        ("wdbc", {"scale": "unit-norm", "algorithm": "scw", "c": 0.1}),
        ("two-classes", {"algorithm": "scw", "c": 0.05, "confidence": 0.9, "bias": False}),
        ("two-classes", {"algorithm": "scw", "confidence": 0.99}),
    ],
    "unit-norm-bias": [
        ("wdbc", UNIT | {"h": 1} | AVERAGED), ("wdbc", UNIT | {"bias": False}),
        ("wdbc", UNIT | {"algorithm": "pa-i", "c": 0.1}), ("wdbc", UNIT | {"algorithm": "arow", "r": 0.1}),
        ("wdbc", UNIT | {"algorithm": "scw", "c": 0.1}), ("wdbc", UNIT | {"algorithm": "pdm", "alpha": 0.5}),
        ("wdbc", UNIT | SGD | {"loss": "logistic", "rate": "adagrad"}), ("wdbc", UNIT | SGD | AVERAGED | {"normalised": True}),
        ("wdbc", UNIT | {"kernel": "rbf(g=0.05)"} | VOTED), ("wdbc", UNIT | {"kernel": "poly(c=1,k=2)", "budget": 20}),
        ("digits", UNIT | FIXED | MARGIN | AVERAGED),
    ],
    "pdm": [
        ("wdbc", STANDARD | {"algorithm": "pdm"}), ("wdbc", STANDARD | AVERAGED | {"algorithm": "pdm", "alpha": 0.1}),
        ("two-classes", {"algorithm": "pdm", "alpha": 0.5, "bias": False}),
        ("two-classes", AVERAGED | {"algorithm": "pdm", "alpha": 0.2, "average.halflife": 20}),
        ("separable", {"algorithm": "pdm", "alpha": 0.5}),
    ],
    "romma": [
        ("wdbc", STANDARD | {"algorithm": "romma"}), ("wdbc", UNIT | {"algorithm": "romma", "aggressive": True}),
        ("two-classes", {"algorithm": "romma", "bias": False}), ("separable", {"algorithm": "romma", "aggressive": True}),
    ],
    "forgetting": [
        ("wdbc", STANDARD | AVERAGED | {"average.halflife": 50}),
        ("two-classes", AVERAGED | {"average.halflife": 1, "survival.start": 0, "h": 6, "eta": 2}),
        ("two-classes", AVERAGED | {"average.halflife": 20.5, "algorithm": "pa-i", "c": 0.02}),
        ("two-classes", SGD | AVERAGED | {"average.halflife": 20, "rate": "adagrad", "normalised": True}),
        ("digits", AVERAGED | {"average.halflife": 200}), ("candidates", AVERAGED | {"average.halflife": 30, "h": 3}),
        ("sentences", AVERAGED | {"average.halflife": 25, "eta": 0.5}),
    ],
    "batch": [
        ("separable", {}, "file", 0, 50), ("separable", {"h": 10}, "shuffled", 7, 50),
        ("wdbc", STANDARD | AVERAGED, "shuffled", 7, 4), ("table", STANDARD, "shuffled", 3, 3), ("separable", {"algorithm": "pdm", "alpha": 0.5}, "file", 0, 90),
        ("digits", AVERAGED, "random", 1, 2),
        ("separable", {"kernel": "poly(c=1,k=2)", "h": 1} | AVERAGED, "file", 0, 4),
    ],
}


if __name__ == "__main__":
    for name, runs in RUNS.items():
        lines = ",\n".join(text(run(*settings)) for settings in runs)
        (RESOURCES / f"{name}.json").write_text(f"[\n{lines}\n]\n")
