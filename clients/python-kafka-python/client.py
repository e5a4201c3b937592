# Sends a CSV file with some labels late, and counts errors: kafka-python, JSON. See docs/clients.md.
#
#     python3 client.py FILE MODEL        MODEL must be new; the engine needs output.format=json
import csv
import hashlib
import json
import os
import sys

from kafka import KafkaConsumer, KafkaProducer, TopicPartition

BOOTSTRAP = os.environ.get("BOOTSTRAP", "localhost:9092")
PREFIX = os.environ.get("PREFIX", "perceptron")
SETTINGS = {"algorithm": "perceptron", "scale": "standard", "predict": "averaged", "bias": "false"}
SETTINGS["await.labels.ms"] = "3600000"
WAIT = int(os.environ.get("WAIT", "120"))  # seconds until an output must end
LATE = 20  # every fifth label comes this many examples late


def events(names, rows):
    yield {"action": "CONFIGURE", "settings": SETTINGS}
    for n in range(len(rows) + LATE):
        if n < len(rows):
            example_id, *values, label = rows[n]
            features = dict(zip(names, map(float, values)))
            yield {"id": example_id, "label": None if n % 5 == 4 else int(label), "features": features}
        if n >= LATE and (n - LATE) % 5 == 4:
            yield {"exampleId": rows[n - LATE][0], "label": int(rows[n - LATE][-1])}
    # its score is 0, which is always a mistake: both output topics end with it
    yield {"id": "end", "label": 1, "features": {}}


def read(topic, model):
    # version 2.0.2 cannot read committed records only
    consumer = KafkaConsumer(bootstrap_servers=BOOTSTRAP, auto_offset_reset="earliest", consumer_timeout_ms=1000 * WAIT)
    consumer.assign([TopicPartition(topic, partition) for partition in consumer.partitions_for_topic(topic)])
    for record in consumer:
        if record.key == model.encode():
            event = json.loads(record.value)
            # a list, if another producer sends several examples in one record
            for each in event if isinstance(event, list) else [event]:
                if each["exampleId"] == "end":
                    return
                yield each
    sys.exit(f"no end of {model} in {topic} in time (is the engine running?)")


def main(file, model):
    with open(file, newline="") as lines:
        (_, *names, _), *rows = csv.reader(lines)
    # its default partitioner is Java's murmur2; retries must not change the order
    producer = KafkaProducer(
        bootstrap_servers=BOOTSTRAP, acks="all", retries=9, max_in_flight_requests_per_connection=1)
    for event in events(names, rows):
        producer.send(f"{PREFIX}-examples", key=model.encode(), value=json.dumps(event).encode())
    producer.flush()
    labels = {row[0]: int(row[-1]) for row in rows}
    events_read = read(f"{PREFIX}-predictions", model)
    predictions = [(event["exampleId"], event["label"], event["score"]) for event in events_read]
    errors = sum(predicted != labels[example_id] for example_id, predicted, _ in predictions)
    mistakes = sum(1 for _ in read(f"{PREFIX}-mistakes", model))
    lines = sorted(f"{example_id},{predicted},{score:.16e}\n" for example_id, predicted, score in predictions)
    digest = hashlib.sha256("".join(lines).encode()).hexdigest()
    print(f"{len(lines)} predictions, {errors} errors, {mistakes} mistakes, digest {digest}")


main(*sys.argv[1:])
