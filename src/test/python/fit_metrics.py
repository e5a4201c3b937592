#!/usr/bin/env python3
"""Metrics of a perceptron on two data sets, for FitMetricsTest: python3 src/test/python/fit_metrics.py data

Needs NumPy. One pass of the two-class perceptron over the training part, then the predictions of the test part; metrics by
their definitions (those of scikit-learn's precision_recall_fscore_support, balanced_accuracy_score, cohen_kappa_score and
roc_auc_score), from the lists of labels and scores.
"""
import gzip
import json
import pathlib
import sys

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[3]


def read(file):
    with gzip.open(file, "rt") as lines:
        for line in lines:
            label, *features = line.split()
            pairs = [feature.split(":") for feature in features]
            yield int(label), [(int(index), float(value)) for index, value in pairs]


def score(weights, bias, x):
    total = 0.0
    for index, value in x:
        total += weights.get(index, 0.0) * value
    return total + bias


def train(file):
    weights, bias, updates = {}, 0.0, 0
    for y, x in read(file):
        if y * score(weights, bias, x) <= 0:
            updates += 1
            bias += y
            for index, value in x:
                weights[index] = weights.get(index, 0.0) + y * value
    return weights, bias, updates


def auc(truth, scores):
    """Mann and Whitney: from the mean ranks of equal scores."""
    order = np.argsort(scores, kind="stable")
    _, inverse, counts = np.unique(scores, return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    ranks = (last - (counts - 1) / 2)[inverse]
    assert len(order) == len(ranks)
    positive = truth == 1
    p, n = positive.sum(), (~positive).sum()
    return (ranks[positive].sum() - p * (p + 1) / 2) / (p * n)


def metrics(name, folder):
    weights, bias, updates = train(folder / f"{name}/{name}.train.libsvm.gz")
    test = list(read(folder / f"{name}/{name}.test.libsvm.gz"))
    truth = np.array([y for y, _ in test])
    scores = np.array([score(weights, bias, x) for _, x in test])
    predicted = np.where(scores >= 0, 1, -1)
    classes = {}
    for label in (-1, 1):
        both = int(np.sum((truth == label) & (predicted == label)))
        classes[str(label)] = {
            "precision": both / np.sum(predicted == label),
            "recall": both / np.sum(truth == label),
            "f1": 2 * both / (np.sum(predicted == label) + np.sum(truth == label)),
        }
    observed = np.mean(truth == predicted)
    chance = sum(np.mean(truth == label) * np.mean(predicted == label) for label in (-1, 1))
    positives = np.concatenate([[0], np.cumsum(truth == 1)[:-1]])
    before = np.arange(len(truth))
    majority = np.where(2 * positives > before, 1, -1)
    errors = int(np.sum(truth != predicted))
    majority_errors = 1 + int(np.sum((majority != truth)[1:]))
    same_errors = 1 + int(np.sum(truth[1:] != truth[:-1]))
    return {
        "name": name,
        "updates": updates,
        "classes": classes,
        "balancedAccuracy": np.mean([classes[label]["recall"] for label in classes]),
        "macroF1": np.mean([classes[label]["f1"] for label in classes]),
        "kappa": (observed - chance) / (1 - chance),
        "comparedErrors": errors,
        "majorityErrors": majority_errors,
        "sameErrors": same_errors,
        "kappaMajority": 1 - errors / majority_errors,
        "kappaSame": 1 - errors / same_errors,
        "auc": auc(truth, scores),
    }


def main():
    results = [metrics(name, pathlib.Path(sys.argv[1])) for name in ("sms-spam", "a9a")]
    file = ROOT / "src/test/resources/reference/fit-metrics.json"
    file.write_text(json.dumps(results, indent=1) + "\n")


main()
