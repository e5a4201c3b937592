"""The learners of reference.py, with dense vectors; nothing is updated lazily."""
import itertools
import math
from statistics import NormalDist

import numpy as np


class TwoClass:
    """Perceptron, Passive-Aggressive and AROW; the bias is the last feature, 0 in every example where there is none."""

    def __init__(self, settings, count, shape):
        self.settings = settings
        self.w = np.zeros(shape)
        self.variance = np.ones(shape)
        self.steps = np.zeros((count, self.w.size))
        self.past = self.steps[:0]  # the weights after each example that counts for averages
        self.times = []  # the numbers of these examples
        self.count = 0
        self.radius = 0

    def learn(self, x, y, weight):
        label, emitted, score = self.predict(x)
        h, is_inclusive = self.hinge()
        margin, is_mistake, change = self.compare(x, y, score)  # margin: None without a rival
        is_below = margin is not None and (margin < h or is_inclusive and margin == h)
        is_update = is_mistake or is_below
        # nearer to a limit than that, the order in which a sum is added could decide
        assert margin is None or all(margin == limit or abs(margin - limit) > 1e-9 for limit in (0, h))
        loss = 0 if margin is None else max(0, h - margin)
        if is_update:
            self.update(change, weight, loss)
        self.survive(is_update)
        self.radius = max(self.radius, self.length(x, change, is_update))
        counted = {"error": label != y, "mistake": is_mistake, "update": is_update, "loss": loss}
        return counted | {"scores": [score, emitted]}

    def hinge(self):
        """The hinge, and whether a margin at it is too small."""
        return self.settings["h"], self.settings["h.inclusive"]

    def survive(self, is_update):
        self.count += 1
        if not is_update or self.settings["survival.start"] == 1:
            self.steps[len(self.past)] = self.w.ravel()
            self.past = self.steps[: len(self.past) + 1]
            self.times.append(self.count)

    def mean(self, numbers):
        if self.settings["average.halflife"] and self.times:
            shares = 0.5 ** ((self.count - np.array(self.times)) / self.settings["average.halflife"])
            return np.tensordot(shares, numbers, 1) / np.sum(shares)
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
                if self.settings["diagonal"] == "covariance":
                    whole = np.diag(self.variance)
                    self.variance = np.diag(whole - whole @ np.outer(yx, yx) @ whole / (yx @ whole @ yx + r)).copy()
                else:
                    self.variance = 1 / (1 / self.variance + yx**2 / r)
            case _:
                self.w += self.settings["eta"] * weight * yx

    def norm(self):
        return np.linalg.norm(self.w)

    def weights(self):
        """Vectors by name: weights and their means, each with the bias last."""
        return {"": (self.w, self.mean(self.past) * (self.settings["algorithm"] not in ("arow", "scw", "romma")))}


class DynamicMargin(TwoClass):
    """A margin below a share of |w|/M, the bound on all margins, is too small; M counts each example with its weight."""

    updates = 0

    def hinge(self):
        bound = np.linalg.norm(self.w) / self.updates if self.updates > 0 else 0
        return (1 - self.settings["alpha"]) * bound * np.linalg.norm(self.w), True

    def update(self, yx, weight, loss):
        self.w += weight * yx
        self.updates += weight


class Romma(TwoClass):
    """The shortest vector of the example's constraint, or of both: then the multiples of w and y·x that make both equalities."""

    def hinge(self):
        return int(self.settings["aggressive"]), False

    def update(self, yx, weight, loss):
        squares = yx @ yx
        wanted = yx / squares if squares > 0 else self.w
        if wanted @ self.w < self.w @ self.w:
            both = np.stack([self.w, yx])
            wanted = np.linalg.solve(both @ both.T, [self.w @ self.w, 1]) @ both
        self.w += min(1, weight) * (wanted - self.w)


# -L'(m) of the losses L of a margin m.
GRADIENTS = {
    "perceptron": lambda m: 1.0 * (m <= 0),
    "hinge": lambda m: 1.0 * (m < 1),
    "squared-hinge": lambda m: 2 * max(0, 1 - m),
    "logistic": lambda m: 1 / (1 + math.exp(m)),
    "sigmoid": lambda m: 1 / (1 + math.exp(-m)) / (1 + math.exp(m)) ** 2,
}


class Sgd(TwoClass):
    """Gradient descent; a weight whose feature exceeds its scale is shrunk for the prediction, and kept so by an update.

    With stacked, the sign of v·f is emitted, and v learned by AdaGrad on the logistic loss, with all its gradients in one list.
    """

    def __init__(self, settings, count, shape):
        super().__init__(settings, count, shape)
        self.scales = np.zeros(shape)
        self.squares = np.zeros(shape)
        self.relative = 0
        self.updates = 0
        self.v = np.array([1.0, 0, 0, 0])
        self.gradients = []
        self.labels = []  # all so far
        self.before = 0

    def ratio(self, x):
        if not self.settings["normalised"]:
            return np.ones(len(x))
        ratio = np.where(np.abs(x) > self.scales, self.scales / np.where(x == 0, 1, np.abs(x)), 1)
        return ratio if self.settings["rate"] == "adagrad" else ratio**2

    def predict(self, x):
        label, emitted, score = super().predict(x * self.ratio(x))
        if not self.settings["stacked"]:
            return label, emitted, score
        lead = sum(self.labels) / (len(self.labels) + 2)
        self.f = np.array([np.clip(emitted, -1, 1), self.before, lead, 1])
        stacked = self.v @ self.f
        # the sign is the same, and scores beyond the cut differ
        shown = self.v @ [emitted, *self.f[1:]] if self.v[0] > 0 and stacked * emitted > 0 else stacked
        return (1 if stacked >= 0 else -1), shown, score

    def stack(self, y, weight):
        self.gradients.append(weight * y * self.f / (1 + math.exp(y * (self.v @ self.f))))
        size = np.linalg.norm(self.gradients, axis=0)
        self.v = self.v + 0.3 * self.gradients[-1] / np.where(size > 0, size, 1)
        self.labels.append(y)
        self.before = y

    def learn(self, x, y, weight):
        label, emitted, score = self.predict(x)
        margin, h = y * score, self.settings["h"]
        assert all(margin == limit or abs(margin - limit) > 1e-9 for limit in (0, h))
        slope = weight * GRADIENTS[self.settings["loss"]](margin)
        if slope != 0:
            self.step(x, y, slope, weight, margin)
        if self.settings["stacked"]:
            self.stack(y, weight)
        self.survive(slope != 0)
        self.radius = max(self.radius, np.linalg.norm(x))
        counted = {"error": label != y, "mistake": margin <= 0, "update": slope != 0, "loss": max(0, h - margin)}
        return counted | {"scores": [score, emitted]}

    def implicit(self, slope, weight, margin, growth):
        """The slope of the margin after the step: by bisection, from all of the slope down."""
        gradient = GRADIENTS[self.settings["loss"]]
        low, high = 0, slope
        if weight * gradient(margin + growth) >= slope:
            return slope
        for _ in range(200):
            middle = (low + high) / 2
            if weight * gradient(margin + growth * middle / slope) > middle:
                low = middle
            else:
                high = middle
        return high

    def step(self, x, y, slope, weight, margin):
        self.updates += 1
        self.w = self.w * self.ratio(x)
        self.scales = np.maximum(self.scales, np.abs(x))
        self.relative += np.sum((x / np.where(self.scales > 0, self.scales, 1)) ** 2)
        self.squares += (slope * x) ** 2
        change = y * self.settings["eta"] * slope * x
        power = 2
        match self.settings["rate"]:
            case "inverse-sqrt":
                change = change / math.sqrt(self.updates)
            case "adagrad":
                change = change / np.sqrt(np.where(self.squares > 0, self.squares, 1))
                power = 1
        if self.settings["normalised"]:
            change = change / np.where(self.scales > 0, self.scales, 1) ** power
            change = change * (self.updates / self.relative) ** (power / 2)
        if self.settings["implicit"]:
            change = change * self.implicit(slope, weight, margin, y * np.sum(change * x)) / slope
        self.w = self.w + change


class Scw(TwoClass):
    """A margin of phi standard deviations is wanted; the covariance is diagonal."""

    def learn(self, x, y, weight):
        label, emitted, score = self.predict(x)
        phi = NormalDist().inv_cdf(self.settings["confidence"])
        margin, v = y * score, np.sum(self.variance * x**2)
        wanted = phi * math.sqrt(v)
        assert all(margin == limit or abs(margin - limit) > 1e-9 for limit in (0, wanted))
        is_update = margin < wanted or margin <= 0
        if is_update and v > 0:
            self.change(x, y, phi, margin, v, self.settings["c"] * weight)
        self.radius = max(self.radius, np.linalg.norm(x))
        loss = max(0, wanted - margin)
        counted = {"error": label != y, "mistake": margin <= 0, "update": is_update, "loss": loss}
        return counted | {"scores": [score, emitted]}

    def change(self, x, y, phi, m, v, c):
        psi, zeta = 1 + phi**2 / 2, 1 + phi**2
        alpha = min(c, max(0, (-m * psi + math.sqrt(m**2 * phi**4 / 4 + v * phi**2 * zeta)) / (v * zeta)))
        u = (-alpha * v * phi + math.sqrt(alpha**2 * v**2 * phi**2 + 4 * v)) ** 2 / 4
        self.w += alpha * y * self.variance * x
        self.variance = 1 / (1 / self.variance + alpha * phi / math.sqrt(u) * x**2)


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
        """Those of each example, in the order of their first updates."""
        sums = {}
        for row, alpha, mean in zip(self.rows, self.w, self.mean(self.past)):
            if alpha != 0:
                sums[row.tobytes()] = sums.get(row.tobytes(), 0) + np.array([alpha, mean])
        return {"support": tuple(np.append(numbers, 0) for numbers in zip(*sums.values()))}


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


class MulticlassPa(Multiclass):
    """The step of the class with the largest loss is found by bisection."""

    def compare(self, x, y, score):
        scores, known = self.w @ x, len(self.names)
        compared = super().compare(x, y, score)
        self.truth = self.names.index(y)
        self.losses = 1 - scores[self.truth] + scores[:known]
        self.losses[self.truth:self.truth + 1] = -math.inf
        return compared

    def update(self, change, weight, loss):
        x, most = change[self.truth], self.settings["c"] * weight
        q, largest = x @ x, max(self.losses, default=-math.inf)
        low, high = 0, max(0, largest / q)
        for _ in range(200):
            middle = (low + high) / 2
            steps = np.maximum(0, middle - (largest - self.losses) / q)
            low, high = (low, middle) if np.sum(steps) > min(most, largest / q - middle) else (middle, high)
        self.w[:len(self.losses)] -= np.outer(steps, x)
        self.w[self.truth] += np.sum(steps) * x


class Softmax(Multiclass):
    """Gradient descent on the logarithm of the probability of the true class; an implicit step is the minimum of a convex function."""

    def __init__(self, settings, count, shape):
        super().__init__(settings, count, shape)
        self.squares = np.zeros(self.w.shape)
        self.updates = 0

    @staticmethod
    def probabilities(scores):
        e = np.exp(scores - np.max(scores))
        return e / np.sum(e)

    def learn(self, x, y, weight):
        label, emitted, score = self.predict(x)
        is_new = y not in self.names
        margin, is_mistake, _ = self.compare(x, y, score)
        assert margin is None or all(margin == limit or abs(margin - limit) > 1e-9 for limit in (0, 1))
        truth, known = self.names.index(y), len(self.names)
        if known > 1:
            self.step(x, (np.arange(known) == truth).astype(float), weight)
        self.survive(False)
        self.radius = max(self.radius, np.linalg.norm(x))
        loss = 0 if margin is None else max(0, 1 - margin)
        counted = {"error": label != y, "mistake": is_mistake, "update": is_new or known > 1, "loss": loss}
        return counted | {"scores": [score, emitted]}

    def step(self, x, y, weight):
        self.updates += 1
        known = len(y)
        scores = self.w[:known] @ x
        slopes = weight * (self.probabilities(scores) - y)
        self.squares[:known] += np.outer(slopes, x) ** 2
        rates = np.full(self.w[:known].shape, float(self.settings["eta"]))
        match self.settings["rate"]:
            case "inverse-sqrt":
                rates /= math.sqrt(self.updates)
            case "adagrad":
                rates /= np.sqrt(np.where(self.squares[:known] > 0, self.squares[:known], np.inf))
        if self.settings["implicit"]:
            slopes = weight * (self.probabilities(self.implicit(scores, weight * (rates @ x**2), y)) - y)
        self.w[:known] -= rates * np.outer(slopes, x)

    def implicit(self, scores, growths, y):
        """The scores z with z = scores - growths·(p(z) - y): the minimum of sum((z - scores)²/(2·growths)) + the loss of z."""
        z = scores.copy()
        free = growths > 0

        def value(at):
            return np.sum((at - scores)[free] ** 2 / growths[free]) / 2 + np.logaddexp.reduce(at) - at @ y

        for _ in range(500):
            p = self.probabilities(z)
            gradient = ((z - scores) / np.where(free, growths, 1) + p - y)[free]
            hessian = (np.diag(p) - np.outer(p, p))[np.ix_(free, free)] + np.diag(1 / growths[free])
            move = np.zeros(len(z))
            move[free] = -np.linalg.solve(hessian, gradient)
            size = 1.0
            while size > 1e-12 and value(z + size * move) > value(z) + 1e-12 * (1 + abs(value(z))):
                size /= 2
            z = z + size * move
            if np.max(np.abs(move)) < 1e-14 * max(1, np.max(np.abs(z))):
                break
        return z


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


def learner(settings, x, y, count):
    if not isinstance(x, np.ndarray):
        return Sequence(settings, count, SIZE) if isinstance(x, list) else Candidates(settings, count, len(x["a"]))
    # votes without a kernel are those of plain weight vectors
    kind = Multiclass if isinstance(y, str) else Kernel if settings["kernel"] else TwoClass
    kind = {"sgd": Sgd, "scw": Scw, "pdm": DynamicMargin, "romma": Romma, "multiclass-pa": MulticlassPa, "softmax": Softmax}.get(settings["algorithm"], kind)
    return kind(settings, count, len(x) + 1)
