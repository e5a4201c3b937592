"""Sends a CSV file with some labels late, and counts errors: this package. See docs/clients.md.

    python3 client.py [--client confluent|kafka-python] FILE MODEL        MODEL must be new
"""
import argparse
import csv
import hashlib
import os

from perceptron_streams import Model

SETTINGS = {"algorithm": "perceptron", "scale": "standard", "predict": "averaged", "bias": "false"}
SETTINGS["await.labels.ms"] = "3600000"
WAIT = float(os.environ.get("WAIT", "120"))  # seconds until an output must come
LATE = 20  # every fifth label comes this many examples late


def main(file, name, client):
    with open(file, newline="") as lines:
        (_, *names, _), *rows = csv.reader(lines)
    labels = {row[0]: int(row[-1]) for row in rows}
    cluster = {"registry": os.environ.get("REGISTRY", "http://localhost:8081"), "prefix": os.environ.get("PREFIX", "perceptron")}
    with Model(name, os.environ.get("BOOTSTRAP", "localhost:9092"), client=client, **cluster) as model:
        model.set(SETTINGS)
        for n in range(0, len(rows) + LATE, 5):
            block = rows[n : n + 5]
            features = [dict(zip(names, map(float, row[1:-1]))) for row in block]
            given = [None if k == 4 else labels[row[0]] for k, row in enumerate(block)]
            model.send(features, given, ids=[row[0] for row in block])
            late = n + 4 - LATE
            if 0 <= late < len(rows):
                model.label(rows[late][0], labels[rows[late][0]])
        # its score is 0, which is always a mistake: both output topics end with it
        model.send([{}], [1], ids=["end"])
        predictions = list(model.predictions(len(rows) + 1, WAIT))[:-1]
        mistakes = next(n for n, event in enumerate(model.mistakes(wait=WAIT)) if event["exampleId"] == "end")
    errors = sum(event["label"] != labels[event["exampleId"]] for event in predictions)
    lines = sorted(f"{event['exampleId']},{event['label']},{event['score']:.16e}\n" for event in predictions)
    digest = hashlib.sha256("".join(lines).encode()).hexdigest()
    print(f"{len(lines)} predictions, {errors} errors, {mistakes} mistakes, digest {digest}")


parser = argparse.ArgumentParser()
parser.add_argument("--client")
parser.add_argument("file")
parser.add_argument("model")
arguments = parser.parse_args()
main(arguments.file, arguments.model, arguments.client)
