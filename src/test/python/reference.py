#!/usr/bin/env python3
"""Computes what every learner must give, for ReferenceTest: python3 src/test/python/reference.py

Written from docs/algorithms.md, with NumPy and dense vectors. Nothing is updated lazily: an average is the sum of all
weight vectors of the past, a kernel model its sum over all updates, standardization takes mean and deviation of all
rows so far, and the best tag sequence is found by enumerating all of them.

Each run learns from the first four fifths of its data and then predicts the rest without learning.
"""
import itertools
import json
import math
import pathlib

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[3]
RESOURCES = ROOT / "src/test/resources/reference"

# Data: lists of (x, y, weight). x is a vector, {output: vector} for candidates, or the features of each token.


class Numbers:
    """The generator of Park and Miller (1988)."""

    def __init__(self, seed):
        self.state = seed

    def below(self, n):
        self.state = self.state * 16807 % 2147483647
        return self.state % n


def wdbc():
    rows = [line.split(",") for line in (ROOT / "src/main/resources/demo/wdbc.csv").read_text().splitlines()[1:]]
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


DATA = {
    "wdbc": wdbc(), "digits": digits(), "candidates": candidates(), "sentences": sentences(),
    "two-classes": vectors(1, 400, 2, 12), "four-classes": vectors(2, 400, 4, 12), "separable": vectors(5, 150, 2, 0),
}


class TwoClass:
    """Perceptron, Passive-Aggressive and AROW; the bias is the last feature, 0 in every example where there is none."""

    def __init__(self, settings, count, shape):
        self.settings = settings
        self.w = np.zeros(shape)
        self.variance = np.ones(shape)
        self.steps = np.zeros((count, self.w.size))
        self.past = self.steps[:0]  # the weights after each example that counts for averages
        self.radius = 0

    def learn(self, x, y, weight):
        label, emitted, score = self.predict(x)
        h = self.settings["h"]
        margin, is_mistake, change = self.compare(x, y, score)  # margin: None without a rival
        is_below = margin is not None and (margin < h or self.settings["h.inclusive"] and margin == h)
        is_update = is_mistake or is_below
        # nearer to a limit than that, the order in which a sum is added could decide
        assert margin is None or all(margin == limit or abs(margin - limit) > 1e-9 for limit in (0, h))
        loss = 0 if margin is None else max(0, h - margin)
        if is_update:
            self.update(change, weight, loss)
        if not is_update or self.settings["survival.start"] == 1:
            self.steps[len(self.past)] = self.w.ravel()
            self.past = self.steps[: len(self.past) + 1]
        self.radius = max(self.radius, self.length(x, change, is_update))
        counted = {"error": label != y, "mistake": is_mistake, "update": is_update, "loss": loss}
        return counted | {"scores": [score, emitted]}

    def mean(self, numbers):
        return np.sum(numbers, axis=0) / max(1, len(self.past))

    def predict(self, x):
        """The emitted label, the score behind it, and the score of the present weights."""
        return self.decide(self.w @ x, self.past @ x)

    def decide(self, u, past_scores):
        if self.settings["predict"] == "voted":
            past_scores = np.where(past_scores >= 0, 1, -1)
        emitted = u if self.settings["predict"] == "last" else self.mean(past_scores)
        return (1 if emitted >= 0 else -1), emitted, u

    def compare(self, x, y, u):
        return y * u, y * u <= 0, y * x

    def length(self, x, change, is_update):
        return np.linalg.norm(x)

    def update(self, yx, weight, loss):
        c, r = self.settings["c"] * weight, self.settings["r"] / weight
        match self.settings["algorithm"]:
            case "pa":
                self.w += loss / (yx @ yx) * yx
            case "pa-i":
                self.w += min(c, loss / (yx @ yx)) * yx
            case "pa-ii":
                self.w += loss / (yx @ yx + 1 / (2 * c)) * yx
            case "arow":
                self.w += loss / (np.sum(self.variance * yx**2) + r) * self.variance * yx
                self.variance = 1 / (1 / self.variance + yx**2 / r)
            case _:
                self.w += self.settings["eta"] * weight * yx

    def norm(self):
        return np.linalg.norm(self.w)

    def weights(self):
        """Vectors by name: weights and their means, each with the bias last."""
        return {"": (self.w, self.mean(self.past) * (self.settings["algorithm"] != "arow"))}


def rbf(g, z, x):
    return np.exp(-g * np.sum((z - x) ** 2, axis=-1))


# K(z, x) for one z, or for each row z of a matrix.
KERNELS = {
    "poly(c=1,k=2)": lambda z, x: (1 + z @ x) ** 2,
    "rbf(g=0.05)": lambda z, x: rbf(0.05, z, x),
    "normalise(poly(c=2,k=3))": lambda z, x: (2 + z @ x) ** 3 / ((2 + np.sum(z * z, axis=-1)) * (2 + x @ x)) ** 1.5,
    "0.5*linear + rbf(g=0.1)*poly(c=0,k=2)": lambda z, x: 0.5 * (z @ x) + rbf(0.1, z, x) * (z @ x) ** 2,
}


class Kernel(TwoClass):
    """w holds alpha for every example so far: 0 where it made no update or has left the support."""

    def __init__(self, settings, count, shape):
        super().__init__(settings, count, count)
        self.kernel = KERNELS[settings["kernel"]]
        self.rows = np.zeros((0, shape))
        self.draws = 0

    def predict(self, x):
        n = len(self.rows)
        values = self.kernel(self.rows, x)
        return self.decide(self.w[:n] @ values, self.past[:, :n] @ values)

    def compare(self, x, y, u):
        return y * u, y * u <= 0, y

    def length(self, x, change, is_update):
        self.rows = np.vstack([self.rows, x])
        return math.sqrt(self.kernel(x, x))

    def update(self, y, weight, loss):
        support = np.flatnonzero(self.w)
        if 0 < self.settings["budget"] <= len(support):
            # the term leaves all weight vectors, and those without a term have no say
            self.w[self.leaving(support)] = 0
            left = self.past * (self.w != 0)
            left = left[np.any(left, axis=1)]
            self.past = self.steps[: len(left)]
            self.past[:] = left
        self.w[len(self.rows)] = self.settings["eta"] * weight * y

    def leaving(self, support):
        match self.settings["budget.policy"]:
            case "oldest":
                return support[0]
            case "smallest":
                return min(support, key=lambda s: self.w[s] ** 2 * self.kernel(self.rows[s], self.rows[s]))
            case "random":
                return support[self.draw() * len(support) >> 31]

    def draw(self):
        """The upper 31 bits of SplitMix64 (Steele, Lea and Flood 2014)."""
        self.draws += 1
        z = (self.settings["seed"] + self.draws * 0x9E3779B97F4A7C15) % 2**64
        z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 % 2**64
        z = (z ^ z >> 27) * 0x94D049BB133111EB % 2**64
        return (z ^ z >> 31) >> 33

    def norm(self):
        alpha = self.w[: len(self.rows)]
        return math.sqrt(sum(a * (alpha @ self.kernel(self.rows, x)) for a, x in zip(alpha, self.rows)))

    def weights(self):
        support = self.w != 0
        return {"support": (np.append(self.w[support], 0), np.append(self.mean(self.past)[support], 0))}


class Multiclass(TwoClass):
    """A row of w for each class, in the order in which they become known; the first of the best wins."""

    def __init__(self, settings, count, shape):
        super().__init__(settings, count, (10, shape))
        self.names = list(settings["classes"])

    def predict(self, x):
        if not self.names:
            return None, 0, 0
        scores = emitted = (self.w @ x)[: len(self.names)]
        if self.settings["predict"] == "averaged":
            emitted = self.mean(self.past.reshape(-1, *self.w.shape) @ x)[: len(self.names)]
        return self.names[np.argmax(emitted)], max(emitted), max(scores)

    def compare(self, x, y, score):
        scores = dict(zip(self.names, self.w @ x))
        rival = max((c for c in scores if c != y), key=scores.get, default=None)
        self.names += [y] if y not in scores else []
        change = np.zeros(self.w.shape)
        change[self.names.index(y)] = x
        if rival is not None:
            change[self.names.index(rival)] = -x
        is_mistake = y not in scores or y != max(scores, key=scores.get)
        return (None if rival is None else scores.get(y, 0) - scores[rival]), is_mistake, change

    def weights(self):
        means = self.mean(self.past).reshape(self.w.shape)
        return {name: (w, mean) for name, w, mean in zip(self.names, self.w, means)}


class Candidates(TwoClass):
    """The first of the best outputs wins."""

    def outputs(self, x):
        """The outputs with their joint features."""
        return x

    def predict(self, x):
        outputs = self.outputs(x)
        if not outputs:
            return None, 0, 0
        scores = emitted = [self.w @ f for f in outputs.values()]
        if self.settings["predict"] == "averaged":
            emitted = [self.mean(self.past @ f) for f in outputs.values()]
        return list(outputs)[np.argmax(emitted)], max(emitted), max(scores)

    def compare(self, x, y, score):
        scores = {output: self.w @ f for output, f in x.items()}
        rival = max((output for output in x if output != y), key=scores.get)
        return scores[y] - scores[rival], y != max(scores, key=scores.get), x[y] - x[rival]

    def length(self, x, change, is_update):
        return np.linalg.norm(change) * is_update

    def weights(self):
        return {"": (np.append(self.w, 0), np.append(self.mean(self.past), 0))}


TAGS, WORDS = 4, 32
# w has emissions, then biases, transitions from the start, from each tag, and to the end.
BIAS, START, PAIR, STOP, SIZE = np.cumsum([WORDS * TAGS, TAGS, TAGS, TAGS * TAGS, TAGS])


class Sequence(Candidates):
    """All tag sequences are candidates."""

    def __init__(self, settings, count, shape):
        super().__init__(settings, count, SIZE)
        self.names = list(settings["classes"])

    def joint(self, x, tags):
        numbers = [self.names.index(tag) for tag in tags]
        f = np.zeros(SIZE)
        for features, tag in zip(x, numbers):
            f[[feature * TAGS + tag for feature in features]] += 1
            f[BIAS + tag] += self.settings["bias"]
        f[[START + numbers[0], STOP + numbers[-1]]] += 1
        for before, tag in itertools.pairwise(numbers):
            f[PAIR + before * TAGS + tag] += 1
        return f

    def outputs(self, x):
        """In an order in which the first of the best has the lowest last tag, then the lowest one before, and so on."""
        return {way[::-1]: self.joint(x, way[::-1]) for way in itertools.product(self.names, repeat=len(x))}

    def compare(self, x, y, score):
        scores = {output: self.w @ f for output, f in self.outputs(x).items()}
        self.names += [tag for tag in dict.fromkeys(y) if tag not in self.names]
        right = self.joint(x, y)
        if not scores:
            return None, True, right
        best = max(scores, key=scores.get)
        return self.w @ right - scores[best], best != y, right - self.joint(x, best)

    def weights(self):
        numbers = np.stack([self.w, self.mean(self.past)])
        tags = list(enumerate(self.names))
        vectors = {tag: numbers[:, [*range(t, BIAS, TAGS), BIAS + t]] for t, tag in tags}
        rows = [("<s>>{}", START), *((tag + ">{}", PAIR + TAGS * t) for t, tag in tags), ("{}></s>", STOP)]
        for (name, row), (t, tag) in itertools.product(rows, tags):
            if np.any(numbers[:, row + t]):
                vectors[name.format(tag)] = np.stack([numbers[:, row + t], np.zeros(2)], axis=1)
        return vectors


DEFAULTS = {
    "algorithm": "auto", "h": 0, "h.inclusive": False, "eta": 1, "predict": "last", "survival.start": 1, "bias": True,
    "kernel": "", "budget": 0, "budget.policy": "oldest", "seed": 0, "scale": "none", "classes": "", "c": 1, "r": 1,
}


def learner(settings, x, y, count):
    if not isinstance(x, np.ndarray):
        return Sequence(settings, count, SIZE) if isinstance(x, list) else Candidates(settings, count, len(x["a"]))
    # votes without a kernel are those of plain weight vectors
    kind = Multiclass if isinstance(y, str) else Kernel if settings["kernel"] else TwoClass
    return kind(settings, count, len(x) + 1)


def prepared(x, seen, settings):
    """Scales x, the last of the rows seen, and appends the bias feature."""
    if not isinstance(x, np.ndarray):
        return x
    if settings["scale"] == "unit-norm":
        x = x / max(np.linalg.norm(x), 1e-300)
    elif settings["scale"] == "standard":
        deviation = np.std(seen, axis=0)
        x = np.where(deviation > 0, x - np.mean(seen, axis=0), 0) / np.where(deviation > 0, deviation, 1)
    return np.append(x, float(settings["bias"]))


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
    if settings["algorithm"] in ("pa", "pa-i", "pa-ii", "arow"):
        settings["h"] = 1
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
AVERAGED = {"predict": "averaged"}
VOTED = {"predict": "voted"}
FIXED = {"classes": "9,8,7,6,5,4,3,2,1,0"}
MARGIN = {"h": 1, "eta": 0.1}
RUNS = {
    "perceptron": [
        ("wdbc", {}), ("wdbc", STANDARD), ("wdbc", {"scale": "unit-norm", "bias": False}),
        ("wdbc", STANDARD | AVERAGED), ("wdbc", STANDARD | AVERAGED | {"survival.start": 0}),
        ("wdbc", STANDARD | MARGIN), ("wdbc", {"scale": "unit-norm", "h": 1} | AVERAGED), ("two-classes", AVERAGED),
        ("two-classes", {"h": 6, "eta": 2}), ("two-classes", {"h": 6, "eta": 2, "h.inclusive": True, "bias": False}),
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
    ],
    "kernel": [
        ("wdbc", STANDARD | VOTED), ("wdbc", STANDARD | VOTED | {"survival.start": 0}), ("two-classes", VOTED),
        *[("wdbc", STANDARD | {"kernel": kernel, "predict": predict})
          for kernel in KERNELS for predict in ("last", "averaged", "voted")],
        ("two-classes", {"kernel": "poly(c=1,k=2)", "h": 100} | AVERAGED),
        *[("wdbc", STANDARD | {"kernel": "poly(c=1,k=2)", "budget": 20, "budget.policy": policy, "seed": 42})
          for policy in ("oldest", "smallest", "random")],
        ("wdbc", STANDARD | VOTED | {"kernel": "rbf(g=0.05)", "budget": 20, "budget.policy": "random", "seed": 5}),
    ],
    "multiclass": [
        ("digits", {}), ("digits", AVERAGED), ("digits", FIXED | AVERAGED | {"survival.start": 0}),
        ("digits", FIXED | MARGIN | {"scale": "unit-norm"}), ("four-classes", {"h": 5, "h.inclusive": True}),
        ("four-classes", AVERAGED | {"eta": 0.5, "bias": False}),
    ],
    "structured": [
        ("candidates", {}), ("candidates", AVERAGED | {"h": 3}),
        ("candidates", AVERAGED | {"h": 3, "h.inclusive": True, "survival.start": 0, "eta": 0.5}),
    ],
    "sequence": [
        ("sentences", {}), ("sentences", AVERAGED | {"eta": 0.5}),
        ("sentences", AVERAGED | {"classes": "D,C,B,A", "bias": False, "survival.start": 0}),
    ],
    "batch": [
        ("separable", {}, "file", 0, 50), ("separable", {"h": 10}, "shuffled", 7, 50),
        ("wdbc", STANDARD | AVERAGED, "shuffled", 7, 4),
        ("digits", AVERAGED, "random", 1, 2),
    ],
}


if __name__ == "__main__":
    for name, runs in RUNS.items():
        lines = ",\n".join(text(run(*settings)) for settings in runs)
        (RESOURCES / f"{name}.json").write_text(f"[\n{lines}\n]\n")
