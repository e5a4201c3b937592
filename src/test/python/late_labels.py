#!/usr/bin/env python3
"""Computes what models must give whose labels come late, for LateReferenceTest: python3 src/test/python/late_labels.py

Example n is predicted with the weights of its place in the stream. Its label comes after k further examples, the rest
at the end: then the present weights decide mistake and update, and the label predicted earlier the error.
"""
import reference as ref
from reference_data import vectors

ref.DATA["long"] = vectors(7, 3000, 2, 12)

STANDARD, AVERAGED = ref.STANDARD, ref.AVERAGED
RUNS = [
    *[("wdbc", settings, delay) for settings in ({}, STANDARD, STANDARD | AVERAGED) for delay in (0, 1, 100)],
    *[("wdbc", STANDARD | {"algorithm": "arow"}, delay) for delay in (1, 100)],
    *[("long", settings, delay) for settings in ({}, {"algorithm": "pa-i", "c": 0.02}) for delay in (1, 100, 1000)],
    *[("wdbc", STANDARD | {"algorithm": "sgd", "stacked": True}, delay) for delay in (0, 1, 100)],
    *[("digits", AVERAGED | {"classes": "0,1,2,3,4,5,6,7,8,9"}, delay) for delay in (1, 100, 1000)],
]


def run(data, changes, delay):
    settings = ref.DEFAULTS | changes | {"classes": changes["classes"].split(",") if "classes" in changes else []}
    if settings["algorithm"] in ("pa", "pa-i", "pa-ii", "arow", "sgd"):
        settings["h"] = 1
    rows = ref.DATA[data]
    model = ref.learner(settings, *rows[0][:2], len(rows))
    seen, emitted, steps, errors = [], [], [], 0
    for n in range(len(rows) + delay):
        # only a label that comes before the next example is known to its second stage
        model.before = rows[n - 1][1] if n > 0 and delay == 0 else 0
        if n < len(rows):
            seen.append(rows[n][0])
            emitted.append(model.predict(ref.prepared(rows[n][0], seen, settings))[0])
        if 0 <= n - delay < len(rows):
            x, y, weight = rows[n - delay]
            # the statistics are those of all rows so far; x, one of them, is not counted again
            steps.append(model.learn(ref.prepared(x, seen, settings), y, weight))
            errors += emitted[n - delay] != y
    return {
        "data": data, "settings": {k: v if isinstance(v, str) else str(v).lower() for k, v in changes.items()},
        "delay": delay, "errors": errors, "mistakes": [n for n, step in enumerate(steps) if step["mistake"]],
        "updates": sum(step["update"] for step in steps), "hingeLoss": sum(step["loss"] for step in steps),
        "norm": model.norm(), "radius": model.radius,
    }


if __name__ == "__main__":
    lines = ",\n".join(ref.text(run(*settings)) for settings in RUNS)
    (ref.RESOURCES / "late-labels.json").write_text(f"[\n{lines}\n]\n")
