"""A model of the engine, as its users see it: topics in, topics out."""
import json
import math
import time
import uuid

import perceptron_weights

from . import events, examples, kafka

INPUT, PREDICTIONS, MISTAKES, REFUSALS, WEIGHTS = "examples", "predictions", "mistakes", "dead-letters", "weights"
REFUSED_SHOWN = 3
# limits of a record of several examples: the engine's, and one below the brokers' default
MAX_BATCH, MAX_BYTES = 1000, 900_000


class Model:
    """A model, by its name; it exists from its first example on.

    name: key of its records
    bootstrap, registry: addresses of broker and schema registry; the registry's may contain user:password@, and is used
        only for events in Avro
    prefix: `topics.prefix` of the engine
    since: "now": predictions(), mistakes() and refusals() begin with the first event after this object was made;
        "earliest": with the oldest one in the topic
    client: "confluent" or "kafka-python"; by default the first of them that is installed
    config: further settings of the Kafka client, such as {"security.protocol": "SASL_SSL"}; kafka-python gets them with _ for .
    """

    def __init__(
        self,
        name,
        bootstrap="localhost:9092",
        *,
        registry="http://localhost:8081",
        prefix="perceptron",
        since="now",
        client=None,
        config=None,
    ):
        if not name or not isinstance(name, str):
            raise ValueError(f"name must be a text of at least one sign, got {name!r}")
        if since not in ("now", "earliest"):
            raise ValueError(f"since must be 'now' or 'earliest', got {since!r}")
        self.name = name
        self._key = name.encode("utf-8")
        self._prefix = prefix
        self._reader = events.EventReader(registry)
        self._kafka = kafka.open_client(client, bootstrap, config or {})
        self._ids = f"{uuid.uuid4().hex[:12]}-"
        self._sent = 0
        try:
            self._partitions = {kind: self._partition(kind) for kind in (INPUT, PREDICTIONS, MISTAKES, REFUSALS, WEIGHTS)}
            # offset of the next record, and the number of its events that were passed on
            self._next = {
                kind: (0 if since == "earliest" else self._kafka.end(self._topic(kind), self._partitions[kind]), 0)
                for kind in (PREDICTIONS, MISTAKES, REFUSALS)
            }
        except BaseException:
            self._kafka.close()
            raise

    def set(self, settings=None, **named):
        """Changes settings of the model: set(algorithm="pa", scale="standard") or set({"await.labels.ms": 60000}).

        In names given as arguments _ stands for a dot. What the engine refuses comes in refusals().
        """
        changed = {**(settings or {}), **{name.replace("_", "."): value for name, value in named.items()}}
        if not changed:
            raise ValueError("settings must contain at least one, got none")
        self._send_event({"action": "CONFIGURE", "settings": {name: _setting(value) for name, value in changed.items()}})

    def send(self, rows, labels=None, *, ids=None, weights=None, timestamps=None, batch=1):
        """Sends one example for each row, in order, and returns their ids when the broker has them all.

        rows: a pandas or Polars DataFrame, a SciPy sparse matrix, a two-dimensional NumPy array, or a list of dicts or of lists
            of numbers; missing values of dicts and frames are left out; texts and columns of the type category are categories
        labels: one for each row, or the name of a column of a frame; None or NaN: the row is only predicted
        ids, weights, timestamps: the same, without missing ones. By default ids are made up that are different in each Model
            object, weights are 1 and the time is now. Times are those of pandas or Python with a zone, ms since 1970, or
            ISO 8601 with a zone
        batch: examples of a record, at most 1000; many in one cost less, and their predictions come in one record, too, which
            all readers of the topic must understand (docs/topics.md)

        All rows are checked before the first one is sent: InvalidExample if one is wrong, or too large for the Kafka client.
        """
        if isinstance(batch, bool) or not isinstance(batch, int) or not 1 <= batch <= MAX_BATCH:
            raise ValueError(f"batch must be from 1 to {MAX_BATCH}, got {batch!r}")
        names = [str(each) for each in (labels, ids, weights, timestamps) if examples.is_name(rows, each)]
        features = examples.rows_of(rows, names)
        count = len(features)

        def given(values, what, convert):
            found = examples.column(rows, values, what, count)[0]
            return found and [convert(value, f"{what[:-1]} of row {n}") for n, value in enumerate(found)]

        known = examples.column(rows, ids, "ids", count)[0]
        ids = list(examples.ids_of(known, "id")) if known else [f"{self._ids}{self._sent + n}" for n in range(count)]
        weights = given(weights, "weights", examples.weight_of) or [1.0] * count
        timestamps = given(timestamps, "timestamps", examples.timestamp_of) or [None] * count
        found = examples.column(rows, labels, "labels", count)[0] or [None] * count
        labels = [examples.label_of_row(*each, f"label of row {n}") for n, each in enumerate(zip(found, features))]
        # encoded first: what JSON cannot hold must not leave half of them sent
        self._send([examples.encoded_row(*each) for each in zip(range(count), ids, labels, features, weights, timestamps)], batch)
        self._sent += count
        return ids

    def label(self, example_id, label, weight=1.0, *, source=None, knowable_at=None):
        """Sends the label of an example that was sent without one; the model needs `await.labels.ms`.

        source: who has said it, one of the model's `labels.sources`: a stronger one corrects a weaker one (docs/labels.md)
        knowable_at: time from which on the source knew it, as timestamps of send
        """
        label = examples.label_of(label)
        if label is None:
            raise examples.InvalidExample("label must be known, got none")
        example_id, weight = examples.id_of(example_id, "example_id"), examples.weight_of(weight)
        event = {"exampleId": example_id, "label": label, "weight": weight}
        if source is not None:
            if not isinstance(source, str):
                raise examples.InvalidExample(f"source must be a text, got {source!r}")
            event["source"] = source
        if knowable_at is not None:
            event["knowableAt"] = examples.timestamp_of(knowable_at, "knowable_at")
        self._send_event(event)

    def predictions(self, count=None, wait=10.0):
        """Yields the model's predictions as dicts (docs/topics.md), each one once over all calls.

        count: how many; TimeoutError if fewer come. None: until none has come for `wait` seconds
        wait: seconds without an event; None: for ever
        """
        return self._events(PREDICTIONS, count, wait)

    def mistakes(self, count=None, wait=10.0):
        """As predictions(): the examples that changed the model."""
        return self._events(MISTAKES, count, wait)

    def refusals(self, count=None, wait=10.0):
        """As predictions(): dicts of what was sent under the model's name and not used: reason, message, value (bytes)."""
        return self._events(REFUSALS, count, wait)

    def weights(self, wait=60.0):
        """Lets the engine publish the model's weights; returns them, a perceptron_weights.Model, to predict without Kafka."""
        begin = self._kafka.end(self._topic(WEIGHTS), self._partitions[WEIGHTS])
        self._send_event({"action": "SNAPSHOT"})
        chunks = {}
        deadline = time.monotonic() + wait
        for record in self._kafka.read(self._topic(WEIGHTS), self._partitions[WEIGHTS], begin):
            if record is not None and record.value and self._is_chunk(record.key):
                chunk = self._reader.read(record.value)
                if chunk["chunk"] == 0:
                    chunks = {}
                chunks[chunk["chunk"]] = chunk
                if len(chunks) == chunk["chunks"]:
                    return perceptron_weights.Model([chunks[n] for n in range(len(chunks))])
            elif time.monotonic() >= deadline:
                raise TimeoutError(f"weights of {self.name} must come within {wait} s, got none{self._refused()}")

    def close(self):
        """Ends the connections, when all that was sent has arrived."""
        self._kafka.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def _topic(self, kind):
        return f"{self._prefix}-{kind}"

    def _partition(self, kind):
        count = self._kafka.partitions(self._topic(kind))
        if count == 0:
            raise kafka.KafkaError(f"topic {self._topic(kind)} must exist (start the engine, or choose another prefix)")
        return kafka.partition_of(self._key, count)

    def _send_event(self, event):
        self._send([examples.encoded(event)], of="the record")

    def _send(self, encoded, batch=1, of="row {}"):
        # before the first: the client would refuse one in the middle
        setting, most = self._kafka.max_bytes
        most -= len(self._key) + kafka.OVERHEAD
        for number, value in enumerate(encoded):
            if len(value) > most:
                raise examples.InvalidExample(
                    f"{of.format(number)} must have at most {most} bytes, got {len(value)}; nothing was sent (cut it, or raise"
                    f" {setting} in config, and max.message.bytes of the topic)"
                )
        for value in encoded if batch == 1 else _arrays(encoded, batch, min(MAX_BYTES, most)):
            self._kafka.send(self._topic(INPUT), self._key, value)
        self._kafka.flush()

    def _is_chunk(self, key):
        return key == self._key or (key or b"").startswith(self._key + b"/")

    def _events(self, kind, count, wait):
        if count == 0:
            return
        came = 0
        records = self._kafka.read(self._topic(kind), self._partitions[kind], self._next[kind][0])
        try:
            for record in kafka.until(records, wait):
                offset, skipped = self._next[kind]
                self._next[kind] = (record.offset, 0 if record.offset > offset else skipped)
                if record.key == self._key and record.value is not None:
                    all_events = [_refusal(record)] if kind == REFUSALS else self._reader.read_all(record.value)
                    for event in all_events[self._next[kind][1] :]:
                        came += 1
                        self._next[kind] = (record.offset, self._next[kind][1] + 1)
                        yield event
                        if came == count:
                            return
                self._next[kind] = (record.offset + 1, 0)
        finally:
            records.close()
        if count is not None:
            hint = "" if kind == REFUSALS else self._refused()
            raise TimeoutError(f"{count} {kind} of {self.name} must come within {wait} s of each other, got {came}{hint}")

    def _refused(self):
        """Why nothing may have come; leaves the position of refusals() as it is."""
        before = self._next[REFUSALS]
        messages = [refusal["message"] for refusal in self._events(REFUSALS, None, 1.0)]
        self._next[REFUSALS] = before
        if not messages:
            return " (is the engine running?)"
        return f" ({len(messages)} records were refused: {'; '.join(list(dict.fromkeys(messages))[:REFUSED_SHOWN])})"


def _arrays(encoded, batch, most):
    """JSON arrays of up to `batch` examples each, and up to `most` bytes as far as an example has no more."""
    gathered, size = [], 0
    for value in encoded:
        if gathered and (len(gathered) == batch or size + len(value) + 2 > most):
            yield b"[" + b",".join(gathered) + b"]"
            gathered, size = [], 0
        gathered.append(value)
        size += len(value) + 1
    if gathered:
        yield b"[" + b",".join(gathered) + b"]"


def _refusal(record):
    text = {name: value.decode("utf-8", "replace") for name, value in record.headers.items() if value is not None}
    return {"reason": text.get("perceptron-reason"), "message": text.get("__streams.errors.message"), "value": record.value}


def _setting(value):
    if isinstance(value, (list, tuple)):
        return ",".join(map(_setting, value))
    value = examples.plain(value)
    if isinstance(value, bool):
        return str(value).lower()
    if not isinstance(value, (str, int, float)) or value in (math.inf, -math.inf) or value != value:
        raise ValueError(f"a setting must be a text, a finite number, a boolean or a list of them, got {value!r}")
    return value if isinstance(value, str) else json.dumps(value)
