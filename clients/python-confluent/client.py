# Sends a CSV file with some labels late, and counts errors: confluent-kafka and Avro. See docs/clients.md.
#
#     python3 client.py FILE MODEL        MODEL must be new
import csv
import hashlib
import io
import json
import os
import pathlib
import struct
import sys
import urllib.request

import avro.io
import avro.schema
from confluent_kafka import OFFSET_BEGINNING, Consumer, Producer, TopicPartition

KAFKA = {"bootstrap.servers": os.environ.get("BOOTSTRAP", "localhost:9092")}
REGISTRY = os.environ.get("REGISTRY", "http://localhost:8081")
PREFIX = os.environ.get("PREFIX", "perceptron")
SETTINGS = {"algorithm": "perceptron", "scale": "standard", "predict": "averaged", "bias": "false", "await.labels.ms": "3600000"}
LATE = 20  # every fifth label comes this many examples late


def registry(path, body=None):
    request = urllib.request.Request(REGISTRY + path, body, {"Content-Type": "application/json"})
    return json.load(urllib.request.urlopen(request))


def encoder(subject, event):
    schema = pathlib.Path(__file__).resolve().parents[2].joinpath("schemas", event + ".avsc").read_text()
    reply = registry(f"/subjects/{PREFIX}-examples-{subject}/versions", json.dumps({"schema": schema}).encode())
    writer = avro.io.DatumWriter(avro.schema.parse(schema))

    def encode(value):
        writer.write(value, avro.io.BinaryEncoder(out := io.BytesIO()))
        return struct.pack(">bI", 0, reply["id"]) + out.getvalue()

    return encode


def events(names, rows):
    example, label = encoder("value", "Example"), encoder("Label", "Label")
    yield json.dumps({"action": "CONFIGURE", "settings": SETTINGS})
    for n in range(len(rows) + LATE):
        if n < len(rows):
            features = {"named": dict(zip(names, map(float, rows[n][1:-1])))}
            y = None if n % 5 == 4 else int(rows[n][-1])
            yield example({"id": rows[n][0], "label": y, "features": features, "weight": 1.0})
        if n >= LATE and (n - LATE) % 5 == 4:
            yield label({"exampleId": rows[n - LATE][0], "label": int(rows[n - LATE][-1]), "weight": 1.0})
    # its score is 0, which is always a mistake: both output topics end with it
    yield example({"id": "end", "label": 1, "features": {"named": {}}, "weight": 1.0})


def read(topic, model):
    consumer = Consumer({**KAFKA, "group.id": "-", "enable.auto.commit": False, "isolation.level": "read_committed"})
    partitions = consumer.list_topics(topic).topics[topic].partitions
    consumer.assign([TopicPartition(topic, partition, OFFSET_BEGINNING) for partition in partitions])
    readers = {}
    while True:
        record = consumer.poll(float(os.environ.get("WAIT", "120")))
        if not record or record.error():
            sys.exit(record and record.error() or f"no end of {model} in {topic} in time (is the engine running?)")
        if record.key() == model.encode():
            (schema,) = struct.unpack_from(">I", record.value(), 1)
            if schema not in readers:
                readers[schema] = avro.io.DatumReader(avro.schema.parse(registry(f"/schemas/ids/{schema}")["schema"]))
            event = readers[schema].read(avro.io.BinaryDecoder(io.BytesIO(record.value()[5:])))
            # a PredictionBatch, if another producer sends several examples in one record
            for each in event.get("predictions", [event]):
                if each["exampleId"] == "end":
                    return
                yield each


def main(file, model):
    with open(file, newline="") as lines:
        (_, *names, _), *rows = csv.reader(lines)
    # librdkafka's own default would send the model's records to another partition than Java's clients
    producer = Producer({**KAFKA, "partitioner": "murmur2_random", "enable.idempotence": True})
    for value in events(names, rows):
        producer.produce(f"{PREFIX}-examples", key=model, value=value)
    producer.flush()
    labels = {row[0]: int(row[-1]) for row in rows}
    predictions = [(e["exampleId"], e["label"], e["score"]) for e in read(f"{PREFIX}-predictions", model)]
    errors = sum(predicted != labels[example_id] for example_id, predicted, _ in predictions)
    lines = sorted(f"{example_id},{predicted},{score:.16e}\n" for example_id, predicted, score in predictions)
    digest = hashlib.sha256("".join(lines).encode())
    mistakes = len(list(read(f"{PREFIX}-mistakes", model)))
    print(f"{len(lines)} predictions, {errors} errors, {mistakes} mistakes, digest {digest.hexdigest()}")


main(*sys.argv[1:])
