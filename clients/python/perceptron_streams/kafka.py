"""The two Kafka clients that a Model can use, behind the four things it needs."""
import collections
import time

Record = collections.namedtuple("Record", "offset key value headers")


# of a record beside key and value: lengths, time and header, and those of its batch
OVERHEAD = 100


class KafkaError(RuntimeError):
    """A broker or topic that cannot be used, with the client's own message."""


def open_client(kind, bootstrap, config):
    """kind: "confluent", "kafka-python", or None for the first of them that is installed"""
    kinds = {"confluent": _Confluent, "kafka-python": _KafkaPython}
    if kind is not None and kind not in kinds:
        raise ValueError(f"client must be one of {', '.join(kinds)}, got {kind!r}")
    for name in [kind] if kind else kinds:
        try:
            return kinds[name](bootstrap, config)
        except ImportError:
            if kind:
                raise
    raise ImportError("a Kafka client must be installed, got none (pip install confluent-kafka, or kafka-python)")


def partition_of(key, partitions):
    """The partition of a key by Kafka's murmur2, as Java's producers choose it."""
    return (_murmur2(key) & 0x7FFFFFFF) % partitions


def _murmur2(data):
    """MurmurHash2 (32 bits; Appleby) with the seed of Kafka's clients."""
    m, mask = 0x5BD1E995, 0xFFFFFFFF
    result = 0x9747B28C ^ len(data)
    whole = len(data) & ~3
    for k in range(0, whole, 4):
        word = int.from_bytes(data[k : k + 4], "little") * m & mask
        word = (word ^ word >> 24) * m & mask
        result = result * m & mask ^ word
    if whole < len(data):
        result = (result ^ int.from_bytes(data[whole:], "little")) * m & mask
    result = (result ^ result >> 13) * m & mask
    return result ^ result >> 15


class _Confluent:
    """confluent-kafka (librdkafka)."""

    def __init__(self, bootstrap, config):
        import confluent_kafka

        self._kafka = confluent_kafka
        self._config = {"bootstrap.servers": bootstrap, **config}
        self.max_bytes = ("message.max.bytes", int(self._config.get("message.max.bytes", 1_000_000)))
        # librdkafka's own default would send the model's records to another partition than Java's clients
        self._producer = confluent_kafka.Producer(
            {"linger.ms": 5, **self._config, "partitioner": "murmur2_random", "enable.idempotence": True}
        )
        self._failure = None

    def partitions(self, topic):
        try:
            found = self._producer.list_topics(topic, timeout=30).topics[topic]
        except self._kafka.KafkaException as error:
            raise KafkaError(f"broker {self._config['bootstrap.servers']} must answer within 30 s: {error}") from error
        return 0 if found.error else len(found.partitions)

    def end(self, topic, partition):
        consumer = self._consumer()
        try:
            return consumer.get_watermark_offsets(self._kafka.TopicPartition(topic, partition), timeout=30)[1]
        except self._kafka.KafkaException as error:
            raise KafkaError(f"end of {topic} must be known within 30 s: {error}") from error
        finally:
            consumer.close()

    def send(self, topic, key, value):
        while True:
            try:
                self._producer.produce(topic, key=key, value=value, on_delivery=self._delivered)
                break
            except BufferError:  # its queue is full
                self._producer.poll(0.1)
            except self._kafka.KafkaException as error:
                raise KafkaError(f"records must reach the broker, got: {error}") from error
        self._producer.poll(0)

    def _delivered(self, error, _):
        self._failure = self._failure or error

    def flush(self):
        self._producer.flush()
        failure, self._failure = self._failure, None
        if failure:
            raise KafkaError(f"records must reach the broker, got: {failure}")

    def read(self, topic, partition, offset):
        """Yields committed records from an offset on, and None for each tenth of a second without one; never ends."""
        consumer = self._consumer()
        try:
            consumer.assign([self._kafka.TopicPartition(topic, partition, offset)])
            while True:
                record = consumer.poll(0.1)
                if record is None:
                    yield None
                elif record.error():
                    raise KafkaError(f"{topic} must be readable, got: {record.error()}")
                else:
                    yield Record(record.offset(), record.key(), record.value(), dict(record.headers() or ()))
        finally:
            consumer.close()

    def _consumer(self):
        own = {"enable.auto.commit": False, "isolation.level": "read_committed"}
        default = {"group.id": "perceptron-streams-python", "auto.offset.reset": "earliest", "fetch.wait.max.ms": 100}
        return self._kafka.Consumer({**default, **self._config, **own})

    def close(self):
        self.flush()


class _KafkaPython:
    """kafka-python; before 2.1 it has no isolation level and reads the records of aborted transactions, too."""

    def __init__(self, bootstrap, config):
        import kafka

        self._kafka = kafka
        self._config = {"bootstrap_servers": bootstrap, **{name.replace(".", "_"): value for name, value in config.items()}}
        try:
            # its default partitioner is Java's murmur2; one request at a time, because retries must not change the order
            self._producer = kafka.KafkaProducer(
                **{"linger_ms": 5, "retries": 9, **self._config, "acks": "all", "max_in_flight_requests_per_connection": 1}
            )
        except kafka.errors.KafkaError as error:
            raise KafkaError(f"broker {bootstrap} must answer: {error}") from error
        self.max_bytes = ("max_request_size", self._producer.config["max_request_size"])
        self._reader = self._consumer()
        self._sent = []

    def partitions(self, topic):
        return len(self._reader.partitions_for_topic(topic) or ())

    def end(self, topic, partition):
        place = self._kafka.TopicPartition(topic, partition)
        return self._reader.end_offsets([place])[place]

    def send(self, topic, key, value):
        try:
            self._sent.append(self._producer.send(topic, key=key, value=value))
        except self._kafka.errors.KafkaError as error:
            raise KafkaError(f"records must reach the broker, got: {error}") from error
        if len(self._sent) == 10_000:
            self.flush()

    def flush(self):
        self._producer.flush()
        sent, self._sent = self._sent, []
        for future in sent:
            if future.failed():
                raise KafkaError(f"records must reach the broker, got: {future.exception}")

    def read(self, topic, partition, offset):
        """As that of the other client."""
        consumer = self._consumer()
        try:
            place = self._kafka.TopicPartition(topic, partition)
            consumer.assign([place])
            consumer.seek(place, offset)
            while True:
                records = consumer.poll(timeout_ms=100).get(place, ())
                for record in records:
                    yield Record(record.offset, record.key, record.value, dict(record.headers))
                if not records:
                    yield None
        finally:
            consumer.close()

    def _consumer(self):
        own = {"group_id": None, "enable_auto_commit": False}
        if "isolation_level" in self._kafka.KafkaConsumer.DEFAULT_CONFIG:
            own["isolation_level"] = "read_committed"
        default = {"auto_offset_reset": "earliest", "fetch_max_wait_ms": 100}
        return self._kafka.KafkaConsumer(**{**default, **self._config, **own})

    def close(self):
        self.flush()
        self._producer.close()
        self._reader.close()


def until(records, seconds):
    """The records without the Nones between them, until `seconds` have passed without one; None: for ever."""
    last = time.monotonic()
    for record in records:
        if record is not None:
            yield record
            last = time.monotonic()
        elif seconds is not None and time.monotonic() - last >= seconds:
            return
