#!/usr/bin/env python3
"""Probabilities of calibrate=platt beside other calibrations of the same scores: the table "Measured" of docs/decide.md.

    python3 src/test/python/probability_errors.py DIR [SEED]

DIR has the data sets of fetch_tables.py, which are fetched if they are not there, and those of fetch_data.py that are there; SEED (1) is that of the
generated streams. Needs scikit-learn 1.2.1 and Maven. Up to 30,000 examples of each stream, each predicted with probability and label set, then learned.

Each peer makes probabilities of the scores of the same predictions, each before its label: scikit-learn's sigmoid and isotonic calibration (of several
classes each class against the rest), refitted every 500 examples on all before; logistic regressions on the score by stochastic gradient descent with
three steps, as River's, whose slope begins with 1; and the shares of the labels so far, each counted once more, which are also used before the first
refit. "Predicted label" of several classes: whether it is right, by its lead before the second score, or by its share of a vote. "All classes": of
models with a score for each.

Prints a line for each pair of stream and learner, with calibration error (ten ranges, after 5,000 examples of generated streams without drift),
distance of the coverage from 0.95 (in the worst 10,000 labels in a row), Brier score, its ratio and that of the log loss to the best peer's in
hindsight, that of the Brier score without the steps that are not River's default, and the best peer by its Brier score; then a table of all, and the
pairs with a ratio of Brier scores above 1.05.
"""
import collections
import concurrent.futures
import pathlib
import subprocess
import sys
import warnings

import fetch_tables
import numpy as np
from peer_errors import JAVA, OTHERS, ROOT, file_of
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.calibration import CalibratedClassifierCV

MOST, REFIT, FIRST, WINDOW, COVERAGE, LEAST = 30_000, 500, 5_000, 10_000, 0.95, 1e-6
STEPS, STEP = (0.001, 0.01, 0.1), 0.01  # the default of River
STEADY = (
    "separable", "noisy", "imbalanced", "words", "table", "runs", "units", "irrelevant", "missing",
    "label-noise", "scales", "features", "imbalance", "centres-3", "centres-5", "centres-10", "centres-20",
)


class Scores(ClassifierMixin, BaseEstimator):
    """Takes scores as features, so that scikit-learn calibrates them."""

    def __init__(self, count):
        self.count = count
        self.classes_ = np.arange(count)

    def fit(self, X, y):
        return self

    def decision_function(self, X):
        return X[:, 0] if self.count == 2 else X


def shares(labels, count):
    """Probabilities of all labels: how often each came before, and once more; a class that has not come is not known yet."""
    before = np.cumsum(np.eye(count)[labels], axis=0) - np.eye(count)[labels]
    weights = before + 1 if count == 2 else np.where(before > 0, before + 1, 0)
    return weights / np.maximum(1, weights.sum(axis=1, keepdims=True))


def refitted(method, scores, labels, count):
    probabilities = shares(labels, count)
    for start in range(REFIT, len(labels), REFIT):
        # the optimizer of the sigmoid needs scores of about size 1
        scaled = scores[: start + REFIT] / max(1e-300, np.abs(scores[:start]).mean())
        fitted = CalibratedClassifierCV(Scores(count), method=method, cv="prefit").fit(scaled[:start], labels[:start])
        # isotonic probabilities are 0 or 1 where all scores were of one label
        p = np.clip(fitted.predict_proba(scaled[start:]), 1 / (start + 2), 1)
        probabilities[start : start + REFIT] = p / p.sum(axis=1, keepdims=True)
    return probabilities


def online(step, scores, labels):
    """Logistic regression on the score, in mean sizes of those so far."""
    scaled = scores / np.maximum(1e-300, np.cumsum(np.abs(scores)) / np.arange(1, len(scores) + 1))
    a, b, probabilities = 1.0, 0.0, np.empty(len(scores))
    for k, (x, y) in enumerate(zip(scaled.tolist(), labels.tolist())):
        probabilities[k] = p = 1 / (1 + np.exp(-max(-30.0, min(30.0, a * x + b))))
        a, b = a + step * (y - p) * x, b + step * (y - p)
    return np.column_stack([1 - probabilities, probabilities])


def losses(probabilities, labels):
    """Brier score and log loss; of two labels the Brier score of one of them."""
    truth = np.eye(probabilities.shape[1])[labels]
    squares = ((probabilities - truth) ** 2).sum(axis=1) / (2 if truth.shape[1] == 2 else 1)
    right = np.clip(probabilities[np.arange(len(labels)), labels], LEAST, 1 - LEAST)
    return np.mean(squares), -np.mean(np.log(right))


def calibration_error(p, is_true):
    ranges = np.minimum(9, (10 * p).astype(int))
    return sum(abs(np.sum((p - is_true)[ranges == k])) for k in range(10)) / len(p)


def compared(scores, labels, ours):
    count = ours.shape[1]
    peers = {method: refitted(method, scores, labels, count) for method in ("sigmoid", "isotonic")}
    peers["shares"] = shares(labels, count)
    if count == 2:
        peers |= {f"online {step}": online(step, scores[:, 0], labels) for step in STEPS}
    results = {name: losses(each, labels) for name, each in peers.items()}
    best = [min(results, key=lambda name: results[name][which]) for which in (0, 1)]
    one_step = min(results[name][0] for name in results if name == f"online {STEP}" or not name.startswith("online"))
    brier, logs = losses(ours, labels)
    return {
        "brier": brier, "ratio": brier / results[best[0]][0], "logs": logs / results[best[1]][1], "one step": brier / one_step, "peer": best[0],
    }


def worst_window(sets, labels):
    """Distance from the coverage; the first label of a class could be in no set."""
    known = np.isin(np.arange(len(labels)), np.unique(labels, return_index=True)[1], invert=True)
    covered = np.array([str(label) in each.split(" ") for each, label in zip(sets, labels)])[known]
    sums = np.concatenate([[0], np.cumsum(covered)])
    return np.max(abs((sums[WINDOW:] - sums[:-WINDOW]) / WINDOW - COVERAGE)) if len(covered) >= WINDOW else np.nan


def measured(stream, settings, count, lines):
    """A result for each way to compare the probabilities of one run."""
    warnings.filterwarnings("ignore")
    columns = list(zip(*(line.split("\t") for line in lines)))
    labels, predicted = (np.array(column, dtype=int) for column in columns[:2])
    score, p = (np.array(column, dtype=float) for column in columns[2:4])
    rows = {}
    if count == 2:
        ours = np.where(predicted == 1, p, 1 - p)
        rows["two classes"] = compared(score[:, None], labels, np.column_stack([1 - ours, ours]))
        event, is_true = ours, labels
    else:
        event, is_true = p, (predicted == labels).astype(int)
        if "portfolio" not in settings:
            scores, ours = np.full((len(labels), count), np.nan), np.zeros((len(labels), count))
            for k, text in enumerate(columns[5]):
                for number, *values in (part.split(":") for part in text.split(" ")):
                    scores[k, int(number)], ours[k, int(number)] = map(float, values)
            # the weights of a class that is not known yet are 0, and so is its score
            rows["all classes"] = compared(np.nan_to_num(scores), labels, ours)
            scores[np.arange(len(labels)), predicted] = np.nan
            score = np.nan_to_num(score - np.nanmax(scores, axis=1))
        rows["predicted label"] = compared(score[:, None], is_true, np.column_stack([1 - p, p]))
    is_measured = stream in STEADY and len(p) > FIRST
    error = calibration_error(event[FIRST:], is_true[FIRST:]) if is_measured else np.nan
    common = {"stream": stream, "settings": settings, "error": error, "window": worst_window(columns[4], labels)}
    return [{"kind": kind + (", votes" if "portfolio" in settings else ""), **common, **row} for kind, row in rows.items()]


def runs(directory, seed):
    """Stream, settings, number of classes and lines of each run, as Java prints them."""
    fetch_tables.fetch(directory, fetch_tables.TABLES)
    files = [file_of(directory, name) for name in [*fetch_tables.TABLES, *OTHERS]]
    command = JAVA[:-1] + ["-Dmain=io.perceptronstreams.model.ProbabilityErrors"]
    command += [f"-Dargs={MOST} {seed} {' '.join(str(file) for file in files if file.exists())}"]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as java:
        run = None
        for line in java.stdout:
            if line.startswith("#"):
                if run:
                    yield run
                _, stream, settings, count = line.strip().split("\t")
                run = stream, settings, int(count), []
            else:
                run[3].append(line.rstrip("\n"))
        yield run
    if java.returncode:
        sys.exit("Java has ended with an error")


def summary(rows):
    def column(name):
        return np.array([row[name] for row in rows])

    ratios, logs, ones, errors = column("ratio"), column("logs"), column("one step"), column("error")
    return {
        "streams": len(set(column("stream"))),
        "pairs of stream and learner": len(rows),
        "Brier score against the best peer, geometric mean": f"{np.exp(np.log(ratios).mean()):.3f}",
        "worst pair": f"{ratios.max():.2f}",
        "pairs above 1.05": (ratios > 1.05).sum(),
        "the same three with River's default step only": f"{np.exp(np.log(ones).mean()):.3f}, {ones.max():.2f}, {(ones > 1.05).sum()}",
        "log loss against the best peer, geometric mean": f"{np.exp(np.log(logs).mean()):.3f}",
        "worst pair of log loss": f"{logs.max():.2f}",
        "calibration error after 5,000 examples, mean / worst": f"{np.nanmean(errors):.3f} / {np.nanmax(errors):.3f}",
        "share of sets against 0.95: worst 10,000 labels": f"{np.nanmax(column('window')):.4f}",
    }


def all_measured(directory, seed):
    waiting = collections.deque()
    with concurrent.futures.ProcessPoolExecutor() as pool:
        for run in runs(directory, seed):
            waiting.append(pool.submit(measured, *run))
            if len(waiting) > 4:  # each has the lines of a run
                yield from waiting.popleft().result()
        for each in waiting:
            yield from each.result()


def main(arguments):
    if not arguments or arguments[0].startswith("-"):
        sys.exit(__doc__)
    kinds = collections.defaultdict(list)
    for row in all_measured(pathlib.Path(arguments[0]), int(arguments[1]) if len(arguments) > 1 else 1):
        kinds[row["kind"]].append(row)
        print("\t".join(f"{each:.4f}" if isinstance(each, float) else each for each in row.values()), flush=True)
    columns = [summary(rows) for rows in kinds.values()]
    print(f"\n| | {' | '.join(kinds)} |\n|---|{'--:|' * len(kinds)}")
    for name in columns[0]:
        print(f"| {name} | {' | '.join(str(column[name]) for column in columns)} |")
    misses = [row for rows in kinds.values() for row in rows if row["ratio"] > 1.05]
    for row in sorted(misses, key=lambda each: -each["ratio"]):
        print(f"{row['ratio']:.3f} {row['kind']}: {row['stream']}, {row['settings']}; {row['peer']}")


if __name__ == "__main__":
    main(sys.argv[1:])
