#!/usr/bin/env python3
"""Computes metrics of random predictions, for ClassMetricsTest: python3 src/test/python/metrics.py

Needs NumPy. Written from the definitions, over the lists of labels and scores themselves: nothing is counted in advance,
and the area under the ROC curve is the mean over all pairs.
"""
import json
import pathlib

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[3]


def kappa(truth, emitted):
    names = sorted(set(truth))
    observed = np.mean([t == e for t, e in zip(truth, emitted)])
    chance = sum(np.mean([t == n for t in truth]) * np.mean([e == n for e in emitted]) for n in names)
    return (observed - chance) / (1 - chance)


def balanced_accuracy(truth, emitted):
    recalls = []
    for name in sorted(set(truth)):
        of = [k for k, t in enumerate(truth) if t == name]
        recalls.append(np.mean([emitted[k] == name for k in of]))
    return np.mean(recalls)


def macro_f1(truth, emitted):
    scores = []
    for name in sorted(set(truth) | (set(emitted) - {None})):
        both = sum(t == name and e == name for t, e in zip(truth, emitted))
        wrong = sum((t == name) != (e == name) for t, e in zip(truth, emitted))
        scores.append(2 * both / (2 * both + wrong))
    return np.mean(scores)


def majority_errors(truth, order):
    """A tie is won by the label that was seen first, or by the order of two classes."""
    errors = 0
    for k, label in enumerate(truth):
        before = truth[:k]
        names = order or list(dict.fromkeys(before))
        best = max(names, key=before.count) if before else None
        errors += best != label
    return errors


def same_errors(truth):
    return sum(k == 0 or truth[k - 1] != truth[k] for k in range(len(truth)))


def auc(truth, scores):
    positive = [s for t, s in zip(truth, scores) if t == 1]
    negative = [s for t, s in zip(truth, scores) if t != 1]
    pairs = [(p > n) + (p == n) / 2 for p in positive for n in negative]
    return np.mean(pairs) if pairs else None


def case(name, truth, emitted, scores, window, order):
    errors = sum(t != e for t, e in zip(truth, emitted))
    majority = majority_errors(truth, order)
    same = same_errors(truth)
    return {
        "name": name,
        "truth": truth,
        "emitted": emitted,
        "scores": scores,
        "aucWindow": window,
        "kappa": kappa(truth, emitted),
        "balancedAccuracy": balanced_accuracy(truth, emitted),
        "macroF1": macro_f1(truth, emitted),
        "majorityErrors": majority,
        "sameErrors": same,
        "kappaMajority": 1 - errors / majority,
        "kappaSame": 1 - errors / same,
        "auc": auc(truth[-window:], scores[-window:]) if scores else None,
    }


def main():
    random = np.random.default_rng(20260923)
    cases = []
    for share in (0.5, 0.03):
        truth = [1 if p < share else -1 for p in random.random(400)]
        # few different scores, so that many are equal
        scores = [float(np.round(random.normal(0.7 * t, 1), 1)) for t in truth]
        emitted = [1 if s > 0 else -1 for s in scores]
        cases.append(case(f"two classes, {share}", truth, emitted, scores, 150, [-1, 1]))
    for classes in (3, 8):
        names = [f"c{k}" for k in range(classes)]
        truth = []
        for k in range(300):
            keeps = truth and random.random() < 0.6
            truth.append(truth[-1] if keeps else names[int(random.integers(classes))])
        emitted = [t if random.random() < 0.7 else names[int(random.integers(classes))] for t in truth]
        # only known classes are emitted, and nothing at first
        seen = []
        for k, t in enumerate(truth):
            emitted[k] = None if not seen else emitted[k] if emitted[k] in seen else seen[0]
            seen.append(t)
        cases.append(case(f"{classes} classes", truth, emitted, [], 0, None))
    file = ROOT / "src/test/resources/reference/metrics.json"
    file.write_text(json.dumps(cases, indent=None, separators=(",", ":")).replace("},{", "},\n{") + "\n")


main()
