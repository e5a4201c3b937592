#!/usr/bin/env python3
"""Computes what every learner must give, for ReferenceTest: python3 src/test/python/reference.py

Written from docs/algorithms.md, with NumPy and dense vectors. Nothing is updated lazily: an average is the
sum of all weight vectors of the past, a kernel model its sum over the updates, standardization takes mean
and deviation of all rows so far, and the best tag sequence is found by enumerating all of them.

Each run learns from the first four fifths of its data and then predicts the rest without learning.
"""
import itertools
import json
import math
import pathlib

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[3]
RESOURCES = ROOT / "src/test/resources/reference"
PLACES = 5  # of the stream, whose scores are noted


class Example:
    """x: a vector; {output: vector} for candidates; for a sequence the list of its tokens' words."""

    def __init__(self, x, y, weight=1):
        self.x, self.y, self.weight = x, y, weight


# ---- data -------------------------------------------------------------------------------------------------


class Numbers:
    """The generator of Park and Miller (1988)."""

    def __init__(self, seed):
        self.state = seed

    def below(self, n):
        self.state = self.state * 16807 % 2147483647
        return self.state % n


def wdbc():
    lines = (ROOT / "src/main/resources/demo/wdbc.csv").read_text().split()[0:]
    rows = [line.split(",") for line in lines if line[0].isdigit() and line.count(",") == 31]
    return [Example(np.array([float(v) for v in row[1:31]]), int(row[31])) for row in rows]


def digits():
    rows = [line.split() for line in (RESOURCES / "digits.txt").read_text().splitlines()]
    return [Example(np.array([float(int(pixel, 17)) for pixel in row[1]]), row[0]) for row in rows]


def vectors(seed, count, classes, noise):
    """Integer features 0, 100, ..., 1100; the class of the highest score of hidden vectors, wrong in one case of `noise`."""
    numbers = Numbers(seed)
    hidden = [[numbers.below(11) - 5 for _ in range(12)] for _ in range(classes)]
    examples = []
    while len(examples) < count:
        x = [max(0, numbers.below(9) - 4) * (1 - 2 * numbers.below(2)) for _ in range(12)]
        scores = [sum(h * v for h, v in zip(vector, x)) for vector in hidden]
        weight = 1 + numbers.below(3)
        c = scores.index(max(scores))
        if noise > 0 and numbers.below(noise) == 0:
            c = numbers.below(classes)
        if noise == 0 and abs(scores[0] - scores[1]) < 8:
            continue
        wide = np.zeros(1200)
        wide[::100] = x
        examples.append(Example(wide, 2 * c - 1 if classes == 2 else str(c), weight))
    return examples


def candidates():
    """Two to six outputs, each with features 0, 50, ..., 350; mostly the one with the highest hidden score is right."""
    numbers = Numbers(3)
    hidden = [numbers.below(9) - 4 for _ in range(8)]
    examples = []
    for _ in range(400):
        outputs = {}
        scores = []
        for k in range(2 + numbers.below(5)):
            f = np.zeros(400)
            f[::50] = [numbers.below(5) - 2 for _ in range(8)]
            outputs["abcdef"[k]] = f
            scores.append(sum(h * v for h, v in zip(hidden, f[::50])))
        right = scores.index(max(scores))
        if numbers.below(8) == 0:
            right = numbers.below(len(scores))
        examples.append(Example(outputs, "abcdef"[right], 1 + numbers.below(2)))
    return examples


def sentences():
    """One to five words of twelve; the tag follows from the word, sometimes from the tag before, sometimes from nothing."""
    numbers = Numbers(4)
    examples = []
    for _ in range(300):
        words, tags = [], []
        for i in range(1 + numbers.below(5)):
            word = numbers.below(12)
            tag = word // 2 % 4
            if word >= 8 and i > 0:
                tag = ("ABCD".index(tags[-1]) + 1) % 4
            if numbers.below(10) == 0:
                tag = numbers.below(4)
            words.append(word)
            tags.append("ABCD"[tag])
        examples.append(Example(words, tags, 1 + numbers.below(2)))
    return examples
