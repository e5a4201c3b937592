#!/usr/bin/env python3
"""Predicts with the weights of a model, without Kafka: one file, Python 3.8 or newer, no packages.

    perceptron weights export MODEL --format json --output weights.json
    python3 perceptron_weights.py weights.json < examples.jsonl

or, in a program:

    model = perceptron_weights.load("weights.json")
    label, score = model.predict({"age": 0.3, "city": "Rome"})

Reads the exact state of models of two classes (perceptron, pa, pa-i, pa-ii, arow, scw, alma, romma, pdm, sgd) and of several (multiclass,
multiclass-pa, softmax), if they have no crosses and use all namespaces. Labels and scores are those of the engine to the last bit: every product and sum is rounded,
in the same order.
"""
import json
import math
import sys
from typing import NamedTuple, Optional, Union

PERCEPTRONS = ("perceptron", "pa", "pa-i", "pa-ii", "pdm")
SEVERAL = ("multiclass", "multiclass-pa", "softmax")
AVERAGED = PERCEPTRONS + SEVERAL + ("sgd",)
BLOCK = 128  # weights in a block of a two-class model
EXAMPLES = 2**31 - 1  # the index at which the statistics have the number of examples


class Prediction(NamedTuple):
    """A label, None while the model has none to predict, and its score as in a Prediction event."""

    label: Optional[Union[int, str]]
    score: float


def load(file):
    """Reads what `weights export --format json` and `fit` write; ValueError if it is anything else."""
    with open(file, encoding="utf-8") as lines:
        chunks = [json.loads(line) for line in lines if line.strip()]
    if not chunks or not all(isinstance(chunk, dict) and "settings" in chunk for chunk in chunks):
        raise ValueError(f"{file} must have a WeightsSnapshot on each line (perceptron weights export --format json)")
    if [(chunk["chunk"], chunk["chunks"]) for chunk in chunks] != [(n, len(chunks)) for n in range(len(chunks))]:
        raise ValueError(f"{file} must have the chunks 0 to {chunks[0]['chunks'] - 1} of one snapshot, in order")
    if any(chunk["state"] is None for chunk in chunks):
        raise ValueError(f"{file} must have the exact state, got readable weights only (export without --limit)")
    return Model(chunks)


class Model:
    """A model at one position of its log. `predict` changes nothing unless `keep` is set."""

    def __init__(self, chunks):
        self.algorithm = chunks[0]["algorithm"]
        self.settings = chunks[0]["settings"]
        if self.algorithm not in AVERAGED + ("arow", "scw", "alma", "romma", "auto"):
            raise ValueError(f"algorithm must be one with linear weights, got {self.algorithm} (predict in the engine)")
        for name in ("crosses", "namespaces.ignore", "namespaces.keep"):
            if self.settings.get(name):
                raise ValueError(f"{name} must be empty, got {self.settings[name]} (predict in the engine)")
        threshold = self.settings.get("threshold", "0")
        # with costs, the label that is emitted is the one without a threshold
        self.threshold = 0.0 if threshold.startswith("cost:") else float(threshold)
        numbers = [float(text) for chunk in chunks for text in chunk["state"]["numbers"]]
        self._names = [name for chunk in chunks for name in chunk["state"]["names"]]
        self._blocks = {}  # (vector, number): [length, numbers by position]
        for block in (block for chunk in chunks for block in chunk["state"]["blocks"]):
            values = self._blocks.setdefault((block["vector"], block["number"]), [block["length"], {}])[1]
            values.update(zip(block["positions"], block["values"]))
        self._has_bias = self.settings["bias"] == "true"
        self._is_averaged = self.settings["predict"] == "averaged" and self.algorithm in AVERAGED
        self._scale = numbers.pop(0) if self.algorithm in ("alma", "romma") else 1.0
        if self.algorithm in SEVERAL:
            self._survivals = numbers[0]
        elif self.algorithm != "auto":
            self._biases = numbers[:2]
            self._survivals = numbers[2] if self.algorithm in AVERAGED else 0.0
            zero = 0 if self.settings["negative.label"] in ("0", "auto:0") else -1
            self._names = self.settings["labels"].split(",") if self.settings["labels"] else [zero, 1]
        # sgd with normalised=true: the lane of the largest absolute value of each feature
        self._is_adaptive = self.settings.get("rate") == "adagrad"
        self._scales = (3 if self._is_adaptive else 2) if self.settings.get("normalised") == "true" else None
        self._bias_scale = numbers[3 + self._scales] if self._scales is not None and self.algorithm == "sgd" else None
        # sgd with stacked=true: behind the numbers of its lanes and two of its norm
        lanes = 2 + self._is_adaptive + (self._scales is not None)
        self._second = numbers[lanes + 5:lanes + 15] if self.settings.get("stacked") == "true" else None
        self._statistics = {}
        for (vector, number), (_, values) in self._blocks.items():
            for position, value in values.items() if vector == -1 else ():
                lane, index = divmod(position, BLOCK)
                self._statistics.setdefault(number * BLOCK + index, [0.0, 0.0, 0.0])[lane] = value

    @property
    def labels(self):
        """The labels that can be predicted: of two the one of negative scores first, of more in order of appearance."""
        return [] if self.algorithm == "auto" else list(self._names)

    @property
    def has_class_scores(self):
        """Whether the model has a score for each class: `scores` returns them."""
        return self.algorithm in SEVERAL

    def scores(self, features):
        """The scores of all classes of a model of several, in the order of `labels`."""
        if not self.has_class_scores:
            raise ValueError(f"algorithm must be one of several classes, got {self.algorithm} (predict returns the score)")
        indices, raw = self._vector(features)
        values, bias, _ = self._scaled(indices, raw)
        return self._class_scores(indices, values, bias if self._has_bias else 0.0)[1]

    def predict(self, features, keep=False, before=None):
        """Predicts the label of an example.

        features: as in JSON examples: a list of numbers, {"indices": [...], "values": [...]}, or a dict by name
        keep: with scale=standard, add the example to the statistics as the engine does with each that it predicts
        before: with stacked=true, the label of the example before, if it is known; a snapshot does not have it
        """
        indices, raw = self._vector(features)
        values, bias, statistics = self._scaled(indices, raw)
        prediction = self._predict(indices, values, bias if self._has_bias else 0.0, before)
        if keep:
            self._statistics.update(statistics)
        return prediction

    def _predict(self, indices, values, bias, before):
        if self.algorithm == "auto" or (self.algorithm in SEVERAL and not self._names):
            return Prediction(None, 0.0)
        squares = 0.0
        for value in values:  # not sum(), which is more exact since Python 3.12
            squares += value * value
        squares = _finite(squares + bias * bias)
        if self.algorithm in SEVERAL:
            return self._predict_class(indices, values, bias)
        u = _finite(self._dot(indices, values, bias, 0))
        if self.algorithm == "romma":
            u = _finite(self._scale * u)
        if self.algorithm == "alma":
            length = math.sqrt(squares)
            u = 0.0 if length == 0 else self._scale * u / length
        if self._is_averaged:
            u = _finite(self._survivals * u - self._dot(indices, values, bias, 1))
        shown = u / self._survivals if self._is_averaged and self._survivals > 0 else u
        if self._second:
            shown = u = self._stacked(shown, before)
        is_positive = u >= 0 if self.threshold == 0 else shown >= self.threshold
        return Prediction(self._names[1 if is_positive else 0], shown)

    def _stacked(self, shown, before):
        """The score of the second stage: of the score, cut to decide, the label before, the lead of a label so far, and 1."""
        if before is not None and before not in self._names:
            raise ValueError(f"before must be one of {self._names}, got {before!r}")
        label = 0.0 if before is None else 2.0 * self._names.index(before) - 1.0
        positives, negatives = self._second[8:]
        lead = (positives - negatives) / (positives + negatives + 2)
        cut = max(-1.0, min(1.0, shown))
        total = 0.0
        for weight, value in zip(self._second, (cut, label, lead, 1.0)):
            total += weight * value
        beyond = shown - cut
        is_same = beyond > 0 if total >= 0 else beyond < 0
        return total + self._second[0] * beyond if is_same and self._second[0] > 0 else total

    def _dot(self, indices, values, bias, lane):
        total = 0.0
        for index, value in zip(indices, values):
            block = self._blocks.get((0, index // BLOCK))
            if block:
                weight = block[1].get(lane * BLOCK + index % BLOCK, 0.0)
                if self._scales is not None:
                    weight = self._shrunk(weight, block[1].get(self._scales * BLOCK + index % BLOCK, 0.0), abs(value))
                total += value * weight
        if not self._has_bias:
            return total
        weight = self._biases[lane]
        return total + bias * (weight if self._bias_scale is None else self._shrunk(weight, self._bias_scale, bias))

    def _shrunk(self, weight, scale, size):
        """A weight for a value that may exceed the scale of its feature."""
        if size <= scale:
            return weight
        return weight * (scale / size) if self._is_adaptive else weight * (scale / size) * (scale / size)

    def _predict_class(self, indices, values, bias):
        sums, scores = self._class_scores(indices, values, bias)
        best = sums.index(max(sums))  # the first class on a tie
        return Prediction(self._names[best], scores[best])

    def _class_scores(self, indices, values, bias):
        """What is compared, and what is shown: of averaged weights the sums, and the sums divided by the survivals."""
        scores = self._class_sums(indices, values, bias, 0)
        if self._is_averaged:
            sums = self._class_sums(indices, values, bias, 1)
            scores = [_finite(self._survivals * score - total) for score, total in zip(scores, sums)]
        is_mean = self._is_averaged and self._survivals > 0
        return scores, [score / self._survivals for score in scores] if is_mean else scores

    def _class_sums(self, indices, values, bias, lane):
        rows = [(self._blocks.get((0, index)), value) for index, value in zip(indices, values)]
        rows += [(self._blocks.get((1, 0)), bias)] if self._has_bias else []
        sums = [0.0] * len(self._names)
        for (length, numbers), value in ((row, value) for row, value in rows if row):
            for position, number in numbers.items():
                if lane == position // (length // 2):
                    sums[position % (length // 2)] += value * number
        return [_finite(total) for total in sums]

    def _vector(self, features):
        if isinstance(features, dict) and isinstance(features.get("indices"), (list, tuple)):
            indices, values = list(features["indices"]), [float(value) for value in features["values"]]
            if len(indices) != len(values) or indices != sorted(set(indices)) or (indices and indices[0] < 0):
                raise ValueError("indices must be >= 0 and ascend, and have one value each")
        elif isinstance(features, dict):
            indices, values = self._hashed(features)
        else:
            indices, values = list(range(len(features))), [float(value) for value in features]
        for value in values:
            if not math.isfinite(value):
                raise ValueError(f"feature values must be finite, got {value}")
        return indices, values

    def _hashed(self, features):
        by_name = {}
        for name, value in features.items():
            if isinstance(value, str):
                name, value = f"{name}={value}", 1
            by_name[name] = by_name.get(name, 0.0) + float(value)
        mask = (1 << int(self.settings["hash.bits"])) - 1
        by_index = {}
        for name, value in by_name.items():
            by_index.setdefault(murmur3(name.encode("utf-8")) & mask, []).append(value)
        indices = sorted(by_index)
        values = []
        for index in indices:
            first, *others = sorted(by_index[index])
            for value in others:
                first += value
            values.append(first)
        return indices, values

    def _scaled(self, indices, values):
        """The scaled values, the value of the bias feature, and with scale=standard the statistics that include them."""
        if self.settings["scale"] in ("unit-norm", "unit-norm-bias"):
            squares = 0.0
            for value in values:
                squares += value * value
            is_with_bias = self._has_bias and self.settings["scale"] == "unit-norm-bias"
            norm = _finite(math.sqrt(squares + 1 if is_with_bias else squares))
            scaled = values if norm == 0 else [value / norm for value in values]
            return scaled, 1 / norm if is_with_bias else 1.0, {}
        if self.settings["scale"] == "standard":
            statistics = {index: self._with(index, value) for index, value in zip(indices, values)}
            statistics[EXAMPLES] = self._with(EXAMPLES, 0.0)
            examples = statistics[EXAMPLES][0]
            scaled = [_standardized(value, *statistics[index], examples) for index, value in zip(indices, values)]
            return scaled, 1.0, statistics
        return values, 1.0, {}

    def _with(self, index, value):
        """Count, mean and squared deviations of a feature, with one more value (Welford 1962)."""
        count, old_mean, squares = self._statistics.get(index, (0.0, 0.0, 0.0))
        mean = old_mean + (value - old_mean) / (count + 1)
        return count + 1, mean, _finite(squares + (value - old_mean) * (value - mean))


def _standardized(value, count, mean, squares, examples):
    variance = squares / count
    if variance == 0:
        return float((value > 0) - (value < 0))
    if 2 * count < examples:
        return value / math.sqrt(variance + mean * mean)
    return (value - mean) / math.sqrt(variance)


def _finite(number):
    if not math.isfinite(number):
        raise ValueError("scores and norm of an example must be finite, got an overflow (scale its features down)")
    return number


def murmur3(key):
    """MurmurHash3 (x86, 32 bits, seed 0; Appleby) of bytes."""

    def mixed(word):
        word = word * 0xCC9E2D51 & 0xFFFFFFFF
        return (word << 15 | word >> 17) * 0x1B873593 & 0xFFFFFFFF

    result = 0
    whole = len(key) & ~3
    for k in range(0, whole, 4):
        result ^= mixed(int.from_bytes(key[k : k + 4], "little"))
        result = (result << 13 | result >> 19) & 0xFFFFFFFF
        result = result * 5 + 0xE6546B64 & 0xFFFFFFFF
    result ^= mixed(int.from_bytes(key[whole:], "little")) ^ len(key)
    result = (result ^ result >> 16) * 0x85EBCA6B & 0xFFFFFFFF
    result = (result ^ result >> 13) * 0xC2B2AE35 & 0xFFFFFFFF
    return result ^ result >> 16


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: perceptron_weights.py WEIGHTS < EXAMPLES, one JSON object with id and features per line")
    try:
        model = load(sys.argv[1])
        for line in sys.stdin:
            example = json.loads(line)
            label, score = model.predict(example["features"], keep=True)
            print(json.dumps({"id": example.get("id", ""), "predicted": label, "score": score}, ensure_ascii=False))
    except (OSError, ValueError) as error:
        sys.exit(f"perceptron_weights.py: {error}")


if __name__ == "__main__":
    main()
