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
TWO_CLASSES = [
    ref.STANDARD | {"algorithm": "scw"}, ref.STANDARD | ref.SGD | ref.IMPLICIT | ref.STACKED | {"rate": "adagrad"},
    ref.SGD | {"rate": "adagrad", "normalised": True}, ref.AVERAGED | {"algorithm": "perceptron", "average.halflife": 100},
]
CLASSES = [
    ref.MULTICLASS_PA | ref.AVERAGED | {"average.halflife": 200}, ref.MULTICLASS_PA,
    ref.STANDARD | ref.MULTICLASS_PA | ref.AVERAGED | {"c": 0.1, "average.halflife": 1000}, ref.STANDARD | ref.MULTICLASS_PA | {"c": 0.1},
]


def traced(lines):
    getcontext().prec = 50
    base, kept = Decimal("0.8"), Decimal("0.5") ** (Decimal(1) / HALF_LIFE)
    wrong, members = [], 3  # wrong: of each label so far, by member

    def errors():
        return [sum((kept ** (len(wrong) - 1 - k) for k, row in enumerate(wrong) if row[m]), Decimal(0)) for m in range(members)]

    for line in lines:
        if line.startswith("new "):
            wrong, members = [], int(line.split()[1])
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


def voted(labels, weights):
    """The label of the vote and its score: of two classes the share of the positive one minus that of the other."""
    sums = {}
    for label, weight in zip(labels, weights):
        sums[label] = sums.get(label, 0) + weight / np.sum(weights)
    winner = max(sums, key=sums.get)  # the first of equal ones
    lead = sums[winner] - max((share for label, share in sums.items() if label != winner), default=0)
    assert lead == 0 or lead > 1e-9
    return winner, sums[winner] if isinstance(winner, str) else winner * lead


def portfolio(data):
    rows = ref.DATA[data]
    members = CLASSES if isinstance(rows[0][1], str) else TWO_CLASSES
    settings = [ref.DEFAULTS | {"classes": [], "h": 1} | changes for changes in members]
    models = [ref.learner(each, *rows[0][:2], len(rows)) for each in settings]
    seen, wrong, emitted, scores = [], [], [], []
    for n, (x, y, weight) in enumerate(rows):
        seen.append(np.where(x == 0, np.nan, x) if members is CLASSES else x)  # these are sent without zeros
        prepared = [ref.prepared(seen[-1], seen, each) for each in settings]
        labels = [model.predict(each)[0] for model, each in zip(models, prepared)]
        if n > 0:  # the first label decides which members there are
            ages = np.arange(len(wrong))[::-1]
            errors = (0.5 ** (ages / HALF_LIFE)) @ np.array(wrong) if wrong else np.zeros(len(models))
            weights = BASE ** (errors - min(errors))
            label, score = voted(labels, weights)
            emitted.append(label)
            scores.append(score)
            wrong.append([label != y for label in labels])
        for model, each in zip(models, prepared):
            model.learn(each, y, weight)
    return {
        "data": data, "emitted": "".join(label if isinstance(label, str) else "-+"[label > 0] for label in emitted),
        "scores": [float(f"{s:.12g}") for s in scores[::20]], "errors": [sum(row[m] for row in wrong) for m in range(len(models))],
        "voteErrors": sum(label != y for label, (_, y, _) in zip(emitted, rows[1:])),
        "shares": [float(f"{share:.12g}") for share in weights / np.sum(weights)],
    }


if __name__ == "__main__":
    trace = ROOT / "src/test/resources/golden/vote.trace"
    trace.write_text("\n".join(traced(trace.read_text().splitlines())) + "\n")
    results = ",\n".join(json.dumps(portfolio(data), separators=(",", ":")) for data in ("wdbc", "table", "digits", "four-classes"))
    (RESOURCES / "vote.json").write_text(f"[\n{results}\n]\n")
