#!/usr/bin/env python3
"""Computes what votes must give, for VoteTest: python3 src/test/python/vote.py

Written from docs/challengers.md. Each line of golden/vote.trace is computed from sums over all earlier labels, with 50 decimal digits;
its inputs and comments stay. reference/vote.json has portfolios of the learners of reference.py, each of which learns alone.
"""
import json
from decimal import Decimal, getcontext

import numpy as np

import reference as ref
from reference_data import RESOURCES, ROOT

BASE, HALF_LIFE = 0.8, 1000
MEMBERS = [
    ref.STANDARD | {"algorithm": "scw"}, ref.STANDARD | {"algorithm": "scw", "c": 0.1},
    ref.STANDARD | ref.SGD | ref.IMPLICIT | {"rate": "adagrad"}, ref.STANDARD | {"algorithm": "pa-ii", "c": 0.1},
]


def traced(lines):
    getcontext().prec = 50
    base, kept = Decimal("0.8"), Decimal("0.5") ** (Decimal(1) / HALF_LIFE)
    wrong = []  # of each label so far, by member

    def errors():
        return [sum((kept ** (len(wrong) - 1 - k) for k, row in enumerate(wrong) if row[m]), Decimal(0)) for m in range(3)]

    for line in lines:
        if line.startswith("#") or "|" not in line:
            yield line
            continue
        left, labels = (part.strip() for part in line.split("|")[:2])
        count, truth = left.split(" x ") if " x " in left else (1, left)
        counted = [] if truth == "none" else [[label != truth for label in labels.split()]]
        wrong += counted * (int(count) - 1)
        least, sums = min(before := errors()), {}
        for label, e in zip(labels.split(), before):
            sums[label] = sums.get(label, 0) + base ** (e - least)
        votes = {label: number / sum(sums.values()) for label, number in sums.items() if label != "none"}
        winner = max(votes, key=votes.get)  # the first of equal ones
        lead = votes[winner] - max((share for label, share in votes.items() if label != winner), default=0)
        wrong += counted
        yield f"{left} | {labels} | {winner} {float(votes[winner])} {float(lead)} | " + " ".join(str(float(e)) for e in errors())


def portfolio(data):
    rows = ref.DATA[data]
    settings = [ref.DEFAULTS | {"classes": [], "h": 1} | changes for changes in MEMBERS]
    models = [ref.learner(each, *rows[0][:2], len(rows)) for each in settings]
    seen, wrong, emitted, scores = [], [], [], []
    for n, (x, y, weight) in enumerate(rows):
        seen.append(x)
        scaled = ref.prepared(x, seen, settings[0])
        labels = np.array([model.predict(scaled)[0] for model in models])
        if n > 0:  # the first label decides which members there are
            ages = np.arange(len(wrong))[::-1]
            errors = (0.5 ** (ages / HALF_LIFE)) @ np.array(wrong) if wrong else np.zeros(len(models))
            weights = BASE**errors
            shares = [np.sum(weights[labels == label]) / np.sum(weights) for label in (labels[0], -labels[0])]
            score = labels[0] * (shares[0] - shares[1])
            assert score == 0 or abs(score) > 1e-9
            emitted.append(int(np.sign(score) or labels[0]))
            scores.append(score)
            wrong.append(labels != y)
        for model in models:
            model.learn(scaled, y, weight)
    return {
        "data": data, "emitted": "".join("-+"[label > 0] for label in emitted), "scores": [float(f"{s:.12g}") for s in scores[::20]],
        "errors": [sum(row[m] for row in wrong).item() for m in range(len(models))],
        "voteErrors": sum(label != y for label, (_, y, _) in zip(emitted, rows[1:])),
        "shares": [float(f"{share:.12g}") for share in weights / np.sum(weights)],
    }


if __name__ == "__main__":
    trace = ROOT / "src/test/resources/golden/vote.trace"
    trace.write_text("\n".join(traced(trace.read_text().splitlines())) + "\n")
    results = ",\n".join(json.dumps(portfolio(data), separators=(",", ":")) for data in ("wdbc", "table"))
    (RESOURCES / "vote.json").write_text(f"[\n{results}\n]\n")
