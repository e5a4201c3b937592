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
    """x is a vector, {output: vector} for candidates, or the list of each token's features for a sequence."""

    def __init__(self, x, y, weight=1):
        self.x, self.y, self.weight = x, y, weight


class Numbers:
    """The generator of Park and Miller (1988)."""

    def __init__(self, seed):
        self.state = seed

    def below(self, n):
        self.state = self.state * 16807 % 2147483647
        return self.state % n


def wdbc():
    lines = (ROOT / "src/main/resources/demo/wdbc.csv").read_text().splitlines()[1:]
    rows = [line.split(",") for line in lines]
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
    """One to five words of twelve; the tag follows from the word, for some from the tag before, at times from nothing."""
    numbers = Numbers(4)
    examples = []
    for _ in range(300):
        words, tags = [], []
        for i in range(1 + numbers.below(5)):
            words.append(numbers.below(12))
            tag = words[-1] // 2 % 4 if words[-1] < 8 or i == 0 else (tags[-1] + 1) % 4
            tags.append(numbers.below(4) if numbers.below(10) == 0 else tag)
        features = [[words[0]]] + [[word, 20 + before] for before, word in itertools.pairwise(words)]
        examples.append(Example(features, tuple("ABCD"[tag] for tag in tags), 1 + numbers.below(2)))
    return examples


class Past:
    """The weights after each example so far, those after an update only with survival.start=1."""

    def __init__(self, settings, count, size):
        self.counts_updates = settings["survival.start"] == 1
        self.steps = np.zeros((count, size))
        self.size = 0

    def add(self, weights, is_update):
        if not is_update or self.counts_updates:
            self.steps[self.size] = weights.ravel()
            self.size += 1

    def all(self):
        return self.steps[: self.size]

    def mean(self):
        return self.all().sum(axis=0) / max(1, self.size)


class Step:
    """An example as it went; margin is None where the true output has no rival."""

    def __init__(self, prediction, y, margin, is_mistake, settings):
        label, self.emitted, self.score = prediction
        h = settings["h"]
        below = margin is not None and (margin < h or settings["h.inclusive"] and margin == h)
        self.is_error, self.is_mistake = label != y, is_mistake
        self.is_update = is_mistake or below
        self.loss = 0 if margin is None else max(0, h - margin)
        for limit in (0, h):
            # nearer than that, the order in which a sum is added could decide
            assert margin is None or margin == limit or abs(margin - limit) > 1e-9


class TwoClass:
    """Perceptron, Passive-Aggressive and AROW; the bias is the last feature, 0 in every example where there is none."""

    def __init__(self, settings, count, shape):
        self.settings = settings
        self.w = np.zeros(shape)
        self.variance = np.ones(shape)
        self.past = Past(settings, count, self.w.size)
        self.radius = 0

    def predict(self, x):
        """The emitted label, the score behind it, and the score of the present weights."""
        return self.decide(self.w @ x, self.past.all() @ x)

    def decide(self, u, past_scores):
        emitted = u
        if self.settings["predict"] == "averaged":
            emitted = np.sum(past_scores) / max(1, len(past_scores))
        elif self.settings["predict"] == "voted":
            emitted = np.sum(np.where(past_scores >= 0, 1, -1)) / max(1, len(past_scores))
        return (1 if emitted >= 0 else -1), emitted, u

    def learn(self, x, y, weight):
        prediction = self.predict(x)
        margin = y * prediction[2]
        step = Step(prediction, y, margin, margin <= 0, self.settings)
        self.radius = max(self.radius, self.length(x))
        if step.is_update:
            self.update(x, y, weight, step.loss)
        self.past.add(self.w, step.is_update)
        return step

    def length(self, x):
        return np.linalg.norm(x)

    def update(self, x, y, weight, loss):
        c = self.settings["c"] * weight
        r = self.settings["r"] / weight
        match self.settings["algorithm"]:
            case "pa":
                self.w += loss / (x @ x) * y * x
            case "pa-i":
                self.w += min(c, loss / (x @ x)) * y * x
            case "pa-ii":
                self.w += loss / (x @ x + 1 / (2 * c)) * y * x
            case "arow":
                self.w += loss / (np.sum(self.variance * x**2) + r) * y * self.variance * x
                self.variance = 1 / (1 / self.variance + x**2 / r)
            case _:
                self.w += self.settings["eta"] * weight * y * x

    def norm(self):
        return np.linalg.norm(self.w)

    def weights(self):
        """Vectors by name: weights and their means, each with the bias last."""
        return {"": (self.w, self.past.mean() * (self.settings["algorithm"] != "arow"))}


def rbf(g, z, x):
    return np.exp(-g * np.sum((z - x) ** 2, axis=-1))


# K(z, x) for one z or a row of z each.
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
        return self.decide(self.w[:n] @ values, self.past.all()[:, :n] @ values)

    def learn(self, x, y, weight):
        step = super().learn(x, y, weight)
        self.rows = np.vstack([self.rows, x])
        return step

    def length(self, x):
        return math.sqrt(self.kernel(x, x))

    def update(self, x, y, weight, loss):
        support = np.flatnonzero(self.w)
        if 0 < self.settings["budget"] <= len(support):
            self.w[self.leaving(support)] = 0
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
        return math.sqrt(sum(alpha * (self.w[: len(self.rows)] @ self.kernel(self.rows, x)) for alpha, x in zip(self.w, self.rows)))

    def weights(self):
        support = self.w != 0
        return {"support": (np.append(self.w[support], 0), np.append(self.past.mean()[support], 0))}


class Multiclass(TwoClass):
    """A row of w for each class, in the order in which they become known."""

    def __init__(self, settings, count, shape):
        super().__init__(settings, count, (10, shape))
        self.names = list(settings["classes"])

    def predict(self, x):
        if not self.names:
            return None, 0, 0
        known = len(self.names)
        scores = emitted = (self.w @ x)[:known]
        if self.settings["predict"] == "averaged":
            past_scores = self.past.all().reshape(-1, *self.w.shape) @ x
            emitted = past_scores.sum(axis=0)[:known] / max(1, self.past.size)
        return self.names[np.argmax(emitted)], max(emitted), max(scores)

    def learn(self, x, y, weight):
        prediction = self.predict(x)
        scores = dict(zip(self.names, self.w @ x))
        is_mistake = y not in scores or y != max(scores, key=scores.get)
        rival = max((c for c in scores if c != y), key=scores.get, default=None)
        margin = None if rival is None else scores.get(y, 0) - scores[rival]
        step = Step(prediction, y, margin, is_mistake, self.settings)
        self.radius = max(self.radius, self.length(x))
        if y not in self.names:
            self.names.append(y)
        if step.is_update:
            self.w[self.names.index(y)] += self.settings["eta"] * weight * x
            if rival is not None:
                self.w[self.names.index(rival)] -= self.settings["eta"] * weight * x
        self.past.add(self.w, step.is_update)
        return step

    def weights(self):
        means = self.past.mean().reshape(self.w.shape)
        return {name: (w, mean) for name, w, mean in zip(self.names, self.w, means)}


class Candidates(TwoClass):
    """x has the joint features of each output; the first of the best wins."""

    def outputs(self, x):
        return x

    def predict(self, x):
        outputs = self.outputs(x)
        if not outputs:
            return None, 0, 0
        scores = emitted = [self.w @ f for f in outputs.values()]
        if self.settings["predict"] == "averaged":
            emitted = [np.sum(self.past.all() @ f) / max(1, self.past.size) for f in outputs.values()]
        return list(outputs)[np.argmax(emitted)], max(emitted), max(scores)

    def learn(self, x, y, weight):
        prediction = self.predict(x)
        step, difference = self.compare(x, y, prediction)
        if step.is_update:
            self.w += self.settings["eta"] * weight * difference
            self.radius = max(self.radius, np.linalg.norm(difference))
        self.past.add(self.w, step.is_update)
        return step

    def compare(self, x, y, prediction):
        scores = {output: self.w @ f for output, f in x.items()}
        rival = max((output for output in x if output != y), key=scores.get)
        is_mistake = y != max(scores, key=scores.get)
        return Step(prediction, y, scores[y] - scores[rival], is_mistake, self.settings), x[y] - x[rival]

    def weights(self):
        return {"": (np.append(self.w, 0), np.append(self.past.mean(), 0))}


TAGS, WORDS = 4, 32
# Where w has emissions, biases, transitions from the start, between tags and to the end, row by row.
BIAS, START, PAIR, STOP, SIZE = np.cumsum([WORDS * TAGS, TAGS, TAGS, TAGS * TAGS, TAGS])


class Sequence(Candidates):
    """Enumerates all tag sequences; x has the features of each token."""

    def __init__(self, settings, count, shape):
        super().__init__(settings, count, shape)
        self.names = list(settings["classes"])

    def joint(self, x, tags):
        f = np.zeros(SIZE)
        for features, tag in zip(x, tags):
            for feature in features:
                f[feature * TAGS + tag] += 1
            f[BIAS + tag] += self.settings["bias"]
        f[START + tags[0]] += 1
        for before, tag in itertools.pairwise(tags):
            f[PAIR + before * TAGS + tag] += 1
        f[STOP + tags[-1]] += 1
        return f

    def outputs(self, x):
        """In an order in which the first of the best has the lowest last tag, then the lowest one before, and so on."""
        ways = itertools.product(range(len(self.names)), repeat=len(x))
        return {tuple(self.names[t] for t in way[::-1]): self.joint(x, way[::-1]) for way in ways}

    def compare(self, x, y, prediction):
        outputs = self.outputs(x)
        self.names += [tag for tag in dict.fromkeys(y) if tag not in self.names]
        right = self.joint(x, [self.names.index(tag) for tag in y])
        if not outputs:
            return Step(prediction, y, None, True, self.settings), right
        best = max(outputs, key=lambda output: self.w @ outputs[output])
        margin = self.w @ right - self.w @ outputs[best]
        return Step(prediction, y, margin, best != y, self.settings), right - outputs[best]

    def weights(self):
        vectors = {}
        mean = self.past.mean()
        for t, tag in enumerate(self.names):
            at = [*range(t, BIAS, TAGS), BIAS + t]
            vectors[tag] = self.w[at], mean[at]
        ends = {"<s>": START, "</s>": STOP} | {tag: PAIR + TAGS * t for t, tag in enumerate(self.names)}
        for name, start in ends.items():
            for t, tag in enumerate(self.names):
                pair = f"{tag}></s>" if name == "</s>" else f"{name}>{tag}"
                if self.w[start + t] != 0 or mean[start + t] != 0:
                    vectors[pair] = np.array([self.w[start + t], 0]), np.array([mean[start + t], 0])
        return vectors


DEFAULTS = {
    "algorithm": "auto", "h": 0, "h.inclusive": False, "eta": 1, "predict": "last", "survival.start": 1,
    "bias": True, "kernel": "", "budget": 0, "budget.policy": "oldest", "seed": 0, "scale": "none",
    "classes": "", "c": 1, "r": 1,
}
DATA = {
    "wdbc": wdbc(), "digits": digits(), "candidates": candidates(), "sentences": sentences(),
    "two-classes": vectors(1, 400, 2, 12), "four-classes": vectors(2, 400, 4, 12), "separable": vectors(5, 150, 2, 0),
}


def learner(settings, first, count):
    if isinstance(first.x, dict):
        return Candidates(settings, count, len(first.x["a"]))
    if isinstance(first.x, list):
        return Sequence(settings, count, SIZE)
    if isinstance(first.y, str):
        return Multiclass(settings, count, len(first.x) + 1)
    # without a kernel expression a support is no more than another way to have the same weights
    return (Kernel if settings["kernel"] else TwoClass)(settings, count, len(first.x) + 1)


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


def passes(count, order):
    """The positions of each pass."""
    random = JavaRandom(order["seed"])
    positions = list(range(count))
    while True:
        if order["name"] == "shuffled":
            for last in range(count - 1, 0, -1):
                other = random.below(last + 1)
                positions[last], positions[other] = positions[other], positions[last]
        elif order["name"] == "random":
            positions = [random.below(count) for _ in range(count)]
        yield positions


def rounded(pair):
    return [float(number) for number in pair]


def summary(name, w, mean):
    """Bias and norm of a vector, and a few of its weights, of w and of its mean."""
    places = np.flatnonzero((w[:-1] != 0) | (mean[:-1] != 0))
    some = sorted({int(places[k * (len(places) - 1) // 3]) for k in range(4)}) if len(places) else []
    return {
        "name": name, "bias": rounded([w[-1], mean[-1]]), "norm": rounded([np.linalg.norm(w), np.linalg.norm(mean)]),
        "count": len(places), "some": [[place, *rounded([w[place], mean[place]])] for place in some],
    }


def run(data, changes, order=None, most=1):
    settings = DEFAULTS | changes | {"classes": changes["classes"].split(",") if "classes" in changes else []}
    if settings["algorithm"] in ("pa", "pa-i", "pa-ii", "arow"):
        settings["h"] = 1
    count = len(DATA[data]) * 4 // 5
    model = learner(settings, DATA[data][0], count * most)
    seen, steps, by_pass = [], [], []
    for positions in itertools.islice(passes(count, order or {"name": "file", "seed": 0}), most):
        for example in (DATA[data][position] for position in positions):
            seen.append(example.x)
            steps.append(model.learn(prepared(example.x, seen, settings), example.y, example.weight))
        by_pass.append([sum(map(bool, kind)) for kind in zip(*((s.is_update, s.is_error) for s in steps[-count:]))])
        if by_pass[-1][0] == 0:
            break
    test = DATA[data][count:]
    wrong = [model.predict(prepared(e.x, seen + [e.x], settings))[0] != e.y for e in test]
    noted = [len(steps) * k // 5 - 1 for k in range(1, 6)]
    return {
        "data": data, "settings": {k: str(v).lower() if k != "classes" else v for k, v in changes.items()},
        "order": order, "passes": most, "updatesAndErrorsByPass": by_pass,
        "mistakes": [n for n, step in enumerate(steps) if step.is_mistake],
        "updates": sum(bool(step.is_update) for step in steps), "hingeLoss": float(sum(step.loss for step in steps)),
        "scores": [[n, *rounded([steps[n].score, steps[n].emitted])] for n in noted],
        "testErrors": sum(map(bool, wrong)), "norm": float(model.norm()), "radius": float(model.radius),
        "weights": [summary(name, *vectors) for name, vectors in model.weights().items()],
    }


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
        ("separable", {}, {"name": "file", "seed": 0}, 50), ("separable", {"h": 10}, {"name": "shuffled", "seed": 7}, 50),
        ("wdbc", STANDARD | AVERAGED, {"name": "shuffled", "seed": 7}, 4),
        ("digits", AVERAGED, {"name": "random", "seed": 1}, 2),
    ],
}

if __name__ == "__main__":
    for name, runs in RUNS.items():
        results = [run(*settings) for settings in runs]
        lines = ",\n".join(json.dumps(result, separators=(",", ":")) for result in results)
        (RESOURCES / f"{name}.json").write_text(f"[\n{lines}\n]\n")
