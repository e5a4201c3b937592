#!/usr/bin/env python3
"""Online errors of scikit-learn's linear learners, for the tables of docs/streams.md.

    python3 src/test/python/peer_errors.py data [ORDERS] breast-cancer wdbc

Needs scikit-learn. One pass over the training part of each data set, in file order, or the mean of ORDERS shuffled ones: each example is predicted, then learned
by partial_fit. All settings are defaults but random_state. "standardized": by the mean and deviation of each feature so far,
the example included. The first prediction, before there is a model, counts as wrong.
"""
import pathlib
import sys
import warnings

import numpy as np
from sklearn.datasets import load_svmlight_file
from sklearn.linear_model import PassiveAggressiveClassifier, Perceptron, SGDClassifier

LEARNERS = {
    "Perceptron": lambda: Perceptron(random_state=1),
    "SGDClassifier": lambda: SGDClassifier(random_state=1),
    "SGDClassifier, log_loss": lambda: SGDClassifier(loss="log_loss", random_state=1),
    "SGDClassifier, average": lambda: SGDClassifier(average=True, random_state=1),
    "PassiveAggressiveClassifier": lambda: PassiveAggressiveClassifier(random_state=1),
}


class Moments:
    """Mean and deviation of each feature so far (Welford 1962)."""

    def __init__(self, features):
        self.count = 0
        self.mean = np.zeros(features)
        self.squares = np.zeros(features)

    def standardized(self, x):
        self.count += 1
        difference = x - self.mean
        self.mean += difference / self.count
        self.squares += difference * (x - self.mean)
        deviation = np.sqrt(self.squares / self.count)
        return np.divide(x - self.mean, deviation, out=np.zeros_like(x), where=deviation > 0)


def errors(learner, x, y, is_standardized):
    classes = np.unique(y)
    moments = Moments(x.shape[1])
    wrong = 1
    for k in range(x.shape[0]):
        row = x[k]
        if is_standardized:
            row = moments.standardized(row.toarray()[0]).reshape(1, -1)
        if k > 0:
            wrong += learner.predict(row)[0] != y[k]
        learner.partial_fit(row, y[k : k + 1], classes=classes)
    return wrong


def mean(make, x, y, is_standardized, orders):
    """Error rate in the order of the file (0), or the mean of so many shuffled ones."""
    if orders == 0:
        return errors(make(), x, y, is_standardized) / len(y)
    permutations = (np.random.default_rng(seed).permutation(len(y)) for seed in range(1, orders + 1))
    return sum(errors(make(), x[p], y[p], is_standardized) for p in permutations) / len(y) / orders


def main():
    warnings.filterwarnings("ignore")
    orders = int(sys.argv[2]) if sys.argv[2].isdigit() else 0
    data = {}
    for name in sys.argv[3 if orders else 2 :]:
        data[name] = load_svmlight_file(str(pathlib.Path(sys.argv[1]) / name / f"{name}.train.libsvm.gz"))
    print("| learner |", " | ".join(data), "|")
    print("|---|" + "--:|" * len(data))
    for name, make in LEARNERS.items():
        for is_standardized in (False, True):
            row = [f"{100 * mean(make, x, y, is_standardized, orders):.2f} %" for x, y in data.values()]
            print(f"| scikit-learn {name}{', standardized' if is_standardized else ''} |", " | ".join(row), "|", flush=True)


if __name__ == "__main__":
    main()
