"""The data of reference.py: two sets from files, the others from integer arithmetic."""
import itertools
import pathlib

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[3]
RESOURCES = ROOT / "src/test/resources/reference"

# Data: lists of (x, y, weight). x is a vector (NaN: without a value), {output: vector} for candidates, or the features of each token.


class Numbers:
    """The generator of Park and Miller (1988)."""

    def __init__(self, seed):
        self.state = seed

    def below(self, n):
        self.state = self.state * 16807 % 2147483647
        return self.state % n


def wdbc():
    rows = [line.split(",") for line in (ROOT / "src/app/main/resources/demo/wdbc.csv").read_text().splitlines()[1:]]
    return [(np.array(row[1:31], dtype=float), int(row[31]), 1) for row in rows]


def digits():
    rows = [line.split() for line in (RESOURCES / "digits.txt").read_text().splitlines()]
    return [(np.array([float(int(pixel, 17)) for pixel in row[1]]), row[0], 1) for row in rows]


def spread(values, distance):
    x = np.zeros(distance * len(values))
    x[::distance] = values
    return x


def vectors(seed, count, classes, noise):
    """Integers; the class whose hidden vector gives the highest score, or any in one case of `noise`."""
    numbers = Numbers(seed)
    hidden = [[numbers.below(11) - 5 for _ in range(12)] for _ in range(classes)]
    examples = []
    while len(examples) < count:
        x = [max(0, numbers.below(9) - 4) * (1 - 2 * numbers.below(2)) for _ in range(12)]
        scores = [np.dot(vector, x) for vector in hidden]
        weight = 1 + numbers.below(3)
        c = numbers.below(classes) if noise > 0 and numbers.below(noise) == 0 else int(np.argmax(scores))
        if noise > 0 or abs(scores[0] - scores[1]) >= 8:
            examples.append((spread(x, 100), 2 * c - 1 if classes == 2 else str(c), weight))
    return examples


def candidates():
    """Two to six outputs; right is the one with the highest hidden score, or any in one case of eight."""
    numbers = Numbers(3)
    hidden = [numbers.below(9) - 4 for _ in range(8)]
    examples = []
    for _ in range(400):
        rows = [[numbers.below(5) - 2 for _ in hidden] for _ in range(2 + numbers.below(5))]
        right = numbers.below(len(rows)) if numbers.below(8) == 0 else np.argmax([np.dot(hidden, row) for row in rows])
        outputs = {output: spread(row, 50) for output, row in zip("abcdef", rows)}
        examples.append((outputs, "abcdef"[right], 1 + numbers.below(2)))
    return examples


def sentences():
    """One to five words of twelve; the tag depends on the word, for some on the tag before, at times on nothing."""
    numbers = Numbers(4)
    examples = []
    for _ in range(300):
        words, tags = [], []
        for i in range(1 + numbers.below(5)):
            words.append(numbers.below(12))
            tag = words[-1] // 2 % 4 if words[-1] < 8 or i == 0 else (tags[-1] + 1) % 4
            tags.append(numbers.below(4) if numbers.below(10) == 0 else tag)
        features = [[words[0]]] + [[word, 20 + before] for before, word in itertools.pairwise(words)]
        examples.append((features, tuple("ABCD"[tag] for tag in tags), 1 + numbers.below(2)))
    return examples


def table():
    """A table of a business: numbers in thousands, of which some are missing, words, counts, and a constant."""
    numbers = Numbers(6)
    examples = []
    for _ in range(400):
        x = np.full(40, np.nan)
        income, age = sum(numbers.below(12001) for _ in range(4)) + 16000, 18 + numbers.below(60)
        built, debts, job, city = 1990 + numbers.below(30), 5 + numbers.below(20), numbers.below(5), numbers.below(3)
        score = (income - 40000) // 100 + 80 * (built - 2004) // 10 + 150 * (job - 2) - 120 * city + 120
        x[0] = income if numbers.below(5) > 0 else np.nan
        x[1] = age if numbers.below(10) > 0 else np.nan
        x[2] = built if numbers.below(20) > 8 else np.nan  # in about half of the rows
        if numbers.below(4) == 0:
            x[3], score = debts, score - 10 * debts
        x[4], x[10 + job], x[20 + city] = 7, 1, 1
        for word in range(8):
            if numbers.below(4) == 0:
                x[30 + word] = 1 + numbers.below(3)
                score += 25 * (word - 3) * int(x[30 + word])
        y = 1 if score + numbers.below(201) - 100 > 0 else -1
        examples.append((x, y, 1 + numbers.below(2)))
    return examples


DATA = {
    "wdbc": wdbc(), "digits": digits(), "candidates": candidates(), "sentences": sentences(),
    "two-classes": vectors(1, 400, 2, 12), "four-classes": vectors(2, 400, 4, 12), "separable": vectors(5, 150, 2, 0),
    "table": table(),
}
