#!/usr/bin/env python3
"""Computes probabilities, sets of labels and their sums, for ProbabilityReferenceTest: python3 src/test/python/probability.py

Written from docs/decide.md, with the learners of reference.py. Each Newton step solves its linear equations; what is kept
from one label to the next is rounded: the parameters to 2^-16, the sums of products to 2^-10, what moves the sets to 2^-20,
to the nearest; the sums of errors to 2^-6, at a place that goes through 256 of them; other numbers to 20 binary digits behind
the first.
"""
import json
import math
import struct

import numpy as np

import reference as ref
from reference_data import RESOURCES

COVERAGE, STEP, BOUND = 0.8, 0.25, math.log(0.9999 / 0.0001)
RUNS = [
    ("two-classes", {}), ("two-classes", ref.AVERAGED), ("table", ref.STANDARD),
    ("wdbc", ref.STANDARD | ref.SGD | {"loss": "logistic"}),
    ("digits", {}), ("four-classes", ref.AVERAGED), ("digits", ref.SOFTMAX | {"eta": 0.001}),
]


def rounded(number):
    bits = struct.unpack(">Q", struct.pack(">d", number))[0]
    return struct.unpack(">d", struct.pack(">Q", (bits + (1 << 31)) >> 32 << 32))[0]


def parts(number, bits):
    return np.rint(number * 2**bits) / 2**bits


def nearest(number):
    return math.floor(number + 0.5)


class Platt:
    """Probability of the positive class by its score, or that a prediction is right by its lead."""

    def __init__(self, is_of_two):
        self.theta = np.array([0.0, 3, 0] if is_of_two else [-1.0, 2])
        self.sums = np.zeros((len(self.theta), len(self.theta)))
        self.count, self.size = 0, 0.0
        self.errors, self.labels = np.zeros(10), np.zeros(10)

    def probability(self, u):
        most = 100 * self.size if self.size > 0 else math.inf
        self.next_size = self.size + (min(abs(u), most) - self.size) / min(1000, self.count + 1)
        f = 2 * u / (abs(u) + self.next_size) if self.next_size > 0 else 0
        self.x = np.array([1, f, 1 if u >= 0 else -1][: len(self.theta)])
        self.p = 1 / (1 + math.exp(-np.clip(self.theta @ self.x, -12, 12)))
        # between the corrections in the middle of the ranges; outside them the last one
        d = np.interp(self.p, (np.arange(10) + 0.5) / 10, self.errors / (self.labels + 10))
        return max(self.p + d, self.p / 10) if d < 0 else min(self.p + d, 1 - (1 - self.p) / 10)

    def learn(self, is_true):
        error = is_true - self.p
        self.sums = parts(0.998 * self.sums + self.p * (1 - self.p) * np.outer(self.x, self.x), 10)
        self.theta = parts(self.theta + np.linalg.solve(self.sums + np.eye(len(self.x)), self.x) * error, 16)
        k, place = min(9, int(10 * self.p)), (self.count * 157 % 256 + 0.5) / 256
        self.errors[k] = math.floor((0.999 * self.errors[k] + error) * 64 + place) / 64
        self.labels[k] = 0.999 * self.labels[k] + 1
        self.count, self.size = self.count + 1 if self.count < 1255 else 1000, rounded(self.next_size)


class Others:
    """How the classes that were not predicted share the rest."""

    def __init__(self):
        self.t, self.h = 1.0, 1.0

    def shares(self, scores, size):
        self.d = np.maximum(-100, (scores - np.max(scores)) / size) if size > 0 else np.zeros(len(scores))
        e = np.exp(self.t * self.d)
        self.p = e / np.sum(e)
        return self.p

    def learn(self, place):
        mean = self.p @ self.d
        self.h = rounded(0.998 * self.h + self.p @ self.d**2 - mean**2 + 0.002)
        self.t = rounded(max(0, self.t + (self.d[place] - mean) / self.h))


def least(moved):
    a = math.log(COVERAGE / (1 - COVERAGE)) + moved
    return 0 if a >= BOUND else 2 if a < -BOUND else min(0.9999, 1 / (1 + math.exp(a)))


def all_scores(model, x, is_of_two):
    """The labels that a prediction is chosen from, their scores, and the place of the predicted one."""
    if is_of_two:
        label, score, _ = model.predict(x)
        return [-1, 1], np.array([-score, score]), int(label == 1)
    names = list(model.names)
    scores = model.w @ x
    if model.settings["predict"] == "averaged":
        scores = model.mean(model.past.reshape(-1, *model.w.shape) @ x)
    return names, scores[: len(names)], int(np.argmax(scores[: len(names)])) if names else None


def run(data, changes):
    settings = ref.DEFAULTS | changes | {"classes": []}
    settings["h"] = 1 if settings["algorithm"] == "sgd" else 0
    rows = ref.DATA[data]
    is_of_two = data in ("two-classes", "table", "wdbc")
    model, platt, others = ref.learner(settings, *rows[0][:2], len(rows)), Platt(is_of_two), Others()
    seen, shown, moved = [], [], 0.0
    sums = {"labelled": 0, "squares": 0, "logs": 0, "covered": 0, "labels": 0, "unsure": 0}
    ranges = np.zeros((10, 2), dtype=int)  # by range: sum of probabilities of the event in hundredths, and events
    counts = np.zeros(10, dtype=int)
    for n, (x, y, weight) in enumerate(rows):
        seen.append(x)
        scaled = ref.prepared(x, seen, settings)
        labels, scores, best = all_scores(model, scaled, is_of_two)
        if labels:
            rest = np.delete(scores, best)
            lead = scores[1] if is_of_two else max(0, scores[best] - np.max(rest)) if len(rest) else 0
            q = platt.probability(lead)
            p = min(999999, max(1, nearest(1e6 * (q if not is_of_two or best == 1 else 1 - q))))
            millionths = [1000000 - p] if is_of_two else []
            if not is_of_two and len(rest):
                millionths = [nearest((1000000 - p) * share) for share in others.shares(rest, platt.next_size)]
            millionths.insert(best, p)
            chosen = [label for label, each in zip(labels, millionths) if each / 1e6 >= least(moved)]
            if n % 20 == 0:
                shown.append([n, p, millionths, [str(label) for label in chosen]])

            is_right = labels[best] == y
            missing = 1000000 - p if is_right else p
            sums["labelled"] += 1
            sums["squares"] += (missing * missing + 500000) // 1000000
            sums["logs"] += nearest(-1e6 * math.log((1000000 - missing) / 1e6))
            sums["covered"] += y in chosen
            sums["labels"] += len(chosen)
            sums["unsure"] += len(chosen) != 1
            event, is_event = (millionths[1], y == 1) if is_of_two else (p, is_right)
            k = min(9, event // 100000)
            ranges[k] += [(event + (5000 + 6181 * counts[k]) % 10000) // 10000, is_event]
            counts[k] += 1

            platt.learn(is_event)
            if not is_of_two and not is_right and y in labels:
                others.learn([label for label in labels if label != labels[best]].index(y))
            if y in labels:
                moved = parts(moved + STEP * (COVERAGE - 1 if y in chosen else COVERAGE), 20)
        model.learn(scaled, y, weight)
    error = np.sum(np.abs(ranges[:, 0] / 100 - ranges[:, 1])) / np.sum(counts)
    spelled = {name: value if isinstance(value, str) else str(value).lower() for name, value in changes.items()}
    return {"data": data, "settings": spelled, "shown": shown, "sums": sums, "expectedError": error, "examples": len(rows)}


if __name__ == "__main__":
    (RESOURCES / "probability.json").write_text("[\n" + ",\n".join(ref.text(run(*each)) for each in RUNS) + "\n]\n")
