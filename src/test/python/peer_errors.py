#!/usr/bin/env python3
"""Online errors of this project's learners beside those of other libraries: the table "Real streams" of src/bench/streams.md.

    python3 src/test/python/peer_errors.py DIR [NAME ...]

DIR has the data sets of fetch_data.py and fetch_tables.py, which fetches the tables that are not there. Needs scikit-learn 1.2.1 and, for ours, MOA and Vowpal
Wabbit, Maven. One pass over at most 5,000 examples in file order: each is predicted, then learned.

Each peer is run as its best user would run it. Features are standardized by mean and deviation so far, this example included: all columns, or the numbers
only, and words are columns of 0 and 1. scikit-learn's learners get a column of ones instead of their intercept, because partial_fit begins each call
with the training intercept at 0 where it averages. Several steps and losses of each are tried, and the best in hindsight is printed, as for ours.
"""
import csv
import gzip
import io
import pathlib
import subprocess
import sys
import warnings

import fetch_tables
import numpy as np
from sklearn.datasets import load_svmlight_file
from sklearn.linear_model import PassiveAggressiveClassifier, SGDClassifier

MOST = 5_000
ROOT = pathlib.Path(__file__).resolve().parents[3]
OTHERS = ("banknote", "breast-cancer", "wdbc", "weather-stream", "electricity", "a9a", "sms-spam", "mnist-0v8", "digits", "mnist-10k")
JAVA = ["./mvnw", "-q", "-B", "-ntp", "-Pjmh", "-DskipTests", "test-compile", "exec:exec", "-Dmain=io.perceptronstreams.client.PeerErrors"]

LINEAR = ("MOA", "Vowpal Wabbit", "scikit-learn", "as River")


def sgd(**options):
    return lambda: SGDClassifier(random_state=1, fit_intercept=False, **options)


SCIKIT_LEARN = {
    "SGDClassifier average": sgd(average=True),
    "SGDClassifier log_loss 0.01": sgd(loss="log_loss", learning_rate="constant", eta0=0.01),
    "SGDClassifier log_loss 0.1 average": sgd(loss="log_loss", learning_rate="constant", eta0=0.1, average=True),
    "PassiveAggressiveClassifier": lambda: PassiveAggressiveClassifier(random_state=1, fit_intercept=False),
}


def read(file):
    """Labels as numbers, features, which are NaN where a number is missing, and which columns are numbers."""
    if file.name.endswith(".libsvm.gz"):
        x, y = load_svmlight_file(str(file))
        x = x[:MOST].toarray()
        return np.unique(y[:MOST], return_inverse=True)[1], x, ((x != 0) & (x != 1)).any(axis=0)
    with gzip.open(file, "rt", newline="") as text:
        rows = list(csv.reader(text))[1 : MOST + 1]
    columns, numbers = [], []
    for cells in list(zip(*rows))[1:]:
        try:
            columns.append([float(cell) if cell else np.nan for cell in cells])
            numbers.append(any(cell not in ("", "0", "1") for cell in cells))
        except ValueError:
            for word in sorted(set(cells) - {""}):
                columns.append([cell == word for cell in cells])
                numbers.append(False)
    return np.unique([row[0] for row in rows], return_inverse=True)[1], np.array(columns, dtype=float).T, np.array(numbers)


def standardized(x, columns):
    """The columns by mean and deviation so far; a missing value is the mean. One more column of ones."""
    known = ~np.isnan(x)
    # around a first value, so that squares keep their digits
    first = np.array([column[k][0] if k.any() else 0 for column, k in zip(x.T, known.T)])
    moved = np.where(known, x - first, 0)
    count = np.maximum(known.cumsum(axis=0), 1)
    mean = moved.cumsum(axis=0) / count
    variance = (moved**2).cumsum(axis=0) / count - mean**2
    deviation = np.sqrt(np.where(variance > 1e-12 * (mean**2 + 1e-300), variance, np.inf))
    scaled = np.where(known, (moved - mean) / deviation, 0)
    filled = np.where(known, x, mean + first)
    return np.hstack([np.where(columns, scaled, filled), np.ones((len(x), 1))])


def scikit_learn(learner, x, y):
    classes = np.unique(y)
    wrong = 1
    for k in range(len(y)):
        if k > 0:
            scores = learner.coef_ @ x[k]
            wrong += (scores[0] > 0 if len(classes) == 2 else scores.argmax()) != y[k]
        learner.partial_fit(x[k : k + 1], y[k : k + 1], classes=classes)
    return wrong


def logistic(step, x, y):
    """River's StandardScaler | LogisticRegression(SGD(step)), or SoftmaxRegression: a row of weights for each class."""
    weights = np.zeros((y.max() + 1, x.shape[1]))
    wrong = 0
    for row, label in zip(x, y):
        scores = weights @ row
        wrong += scores.argmax() != label
        slopes = np.exp(scores - scores.max())
        slopes /= slopes.sum()
        slopes[label] -= 1
        # of two classes, half the step for each makes that of one difference
        weights -= np.outer((step if len(weights) > 2 else step / 2) * slopes, row)
    return wrong


def of_python(name, file):
    y, x, numbers = read(file)
    for text, columns in ("standardized", np.full(len(numbers), True)), ("numbers standardized", numbers):
        if columns is numbers and numbers.all():
            continue
        rows = standardized(x, columns)
        for learner, make in SCIKIT_LEARN.items():
            yield name, "scikit-learn", f"{learner}, {text}", len(y), scikit_learn(make(), rows, y)
        for step in (0.01, 0.03, 0.1, 0.3):
            yield name, "as River", f"logistic {step}, {text}", len(y), logistic(step, rows, y)


def of_java(files):
    command = JAVA + [f"-Dargs={MOST} {' '.join(map(str, files))}"]
    for line in subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True).stdout.splitlines():
        name, family, learner, examples, errors = line.split("\t")
        yield name, family, learner, int(examples), int(errors)


def file_of(directory, name):
    table = fetch_tables.path(directory, name)
    return table.resolve() if table.exists() else (directory / name / f"{name}.train.libsvm.gz").resolve()


def best(results, *families):
    """The one of (family, learner, examples, errors) with the fewest errors."""
    return min((each for each in results if each[0] in families), key=lambda each: each[3])


def percent(result):
    return f"{100 * result[3] / result[2]:.2f}"


def row(name, results):
    """One line of the table, and the ratios of errors to those of the best linear peer."""
    peer, other = best(results, *LINEAR), best(results, "MOA, not linear")
    ours = best(results, "ours", "default")
    errors = [best(results, family)[3] for family in ("default", "portfolio")] + [ours[3]]
    ratios = [each / peer[3] for each in errors]
    cells = [f"`{name}`", f"{peer[2]:,}", percent(best(results, "baseline"))]
    cells += [f"{100 * each / peer[2]:.2f}, {ratio:.2f}" for each, ratio in zip(errors, ratios)]
    cells += [f"`{ours[1] or 'defaults'}`", f"{percent(peer)}: {peer[0]} {peer[1]}", f"{percent(other)}: {other[1].split()[0]}"]
    return f"| {' | '.join(cells)} |", ratios


def main(arguments):
    if not arguments or arguments[0].startswith("-"):
        sys.exit(__doc__)
    warnings.filterwarnings("ignore")
    directory = pathlib.Path(arguments[0])
    names = arguments[1:] or [*fetch_tables.TABLES, *OTHERS]
    fetch_tables.fetch(directory, [name for name in names if name in fetch_tables.TABLES])
    files = {name: file_of(directory, name) for name in names}
    results = list(of_java(files.values()))
    for name, file in files.items():
        results.extend(of_python(name, file))
    print("| stream | examples | constant | default | portfolio | best of ours | | best linear peer | best of others |")
    print("|---|--:|--:|--:|--:|--:|---|---|---|")
    ratios = []
    for name in names:
        line, of_row = row(name, [each[1:] for each in results if each[0] == name])
        ratios.append(of_row)
        print(line)
    means = np.exp(np.log(ratios).mean(axis=0))
    print("| geometric mean | | | " + " | ".join(f"{mean:.2f}" for mean in means) + " | | | |")


if __name__ == "__main__":
    main(sys.argv[1:])
