"""python3 -m unittest discover -s clients/python/tests: rows, labels and reading, without a broker."""
import datetime
import decimal
import json
import math
import pathlib
import struct
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from perceptron_streams import InvalidExample, Model, PerceptronClassifier, examples, kafka, model  # noqa: E402

try:
    import numpy
    import pandas
except ImportError:
    numpy = pandas = None
try:
    import avro
except ImportError:
    avro = None


class Topics:
    """A Kafka client that keeps what is sent, and reads what a test puts there."""

    def __init__(self, missing=()):
        self.sent = []
        self.records = {}
        self.missing = missing
        self.flushes = 0

    def partitions(self, topic):
        return 0 if topic in self.missing else 6

    def end(self, topic, partition):
        return len(self.records.get(topic, ()))

    def send(self, topic, key, value):
        self.sent.append((topic, key, json.loads(value)))

    def flush(self):
        self.flushes += 1

    def read(self, topic, partition, offset):
        for n, (key, value, headers) in list(enumerate(self.records.get(topic, ())))[offset:]:
            yield kafka.Record(n, key, value, headers)
        while True:
            yield None

    def close(self):
        pass


class PackageTest(unittest.TestCase):
    def setUp(self):
        self.topics = Topics()
        self.opened = kafka.open_client
        kafka.open_client = lambda *_: self.topics
        self.model = Model("m")

    def tearDown(self):
        kafka.open_client = self.opened

    def sent(self):
        return [value for _, _, value in self.topics.sent]

    def put(self, topic, value, key=b"m", headers=None):
        self.topics.records.setdefault(topic, []).append((key, value, headers or {}))

    def refused(self, message, call, *arguments, error=InvalidExample, **named):
        with self.assertRaises(error) as raised:
            call(*arguments, **named)
        self.assertEqual(message, str(raised.exception))
        self.assertEqual([], self.topics.sent)

    def test_partitions_are_those_of_java(self):
        # org.apache.kafka.common.utils.Utils.murmur2, as UtilsTest of Kafka has them
        for text, hash_ in {"21": -973932308, "foobar": -790332482, "a-little-bit-long-string": -985981536, "abc": 479470107}.items():
            self.assertEqual((hash_ & 0x7FFFFFFF) % 1009, kafka.partition_of(text.encode(), 1009), text)

    def test_rows_of_dicts(self):
        ids = self.model.send(
            [{"age": 3, "city": "Rome", "new": True, "gone": None, "nan": math.nan, "price": decimal.Decimal("1.5")}, {}],
            [True, None],
            weights=[2, 1],
            timestamps=[1000, "2026-01-31T12:00:00Z"],
        )
        features = {"age": 3, "city": "Rome", "new": True, "price": 1.5}
        self.assertEqual(
            [
                {"id": ids[0], "label": True, "features": features, "weight": 2.0, "timestamp": 1000},
                {"id": ids[1], "label": None, "features": {}, "weight": 1.0, "timestamp": "2026-01-31T12:00:00Z"},
            ],
            self.sent(),
        )
        self.assertEqual({("perceptron-examples", b"m")}, {(topic, key) for topic, key, _ in self.topics.sent})
        self.assertEqual(1, self.topics.flushes)

    def test_rows_of_numbers_and_of_indices(self):
        self.model.send([[0.5, 2, True], (1, 0, 0)], ["a", ["x", "y"]], ids=[7, "b"])
        self.model.send([{"indices": [3, 9], "values": [1, 0.5]}])
        self.assertEqual([[0.5, 2, 1], [1, 0, 0]], [value["features"] for value in self.sent()[:2]])
        self.assertEqual([("7", "a"), ("b", ["x", "y"])], [(value["id"], value["label"]) for value in self.sent()[:2]])
        self.assertEqual({"indices": [3, 9], "values": [1, 0.5]}, self.sent()[2]["features"])

    def test_rows_of_structured_models(self):
        rows = [{"tokens": [["w=the"], ["w=dog"]]}, {"candidates": [{"output": "a", "features": {"f": 1}}]}, {"tokens": 2}]
        self.model.send(rows, [["DET", "NOUN"], "a", None])
        self.assertEqual(rows, [value["features"] for value in self.sent()])
        self.assertEqual([["DET", "NOUN"], "a", None], [value["label"] for value in self.sent()])

    def test_ids_are_different_in_each_model_and_call(self):
        ids = self.model.send([[1], [2]]) + self.model.send([[1]]) + Model("m").send([[1]])
        self.assertEqual(4, len(set(ids)))

    @unittest.skipUnless(pandas, "needs pandas")
    def test_frames(self):
        frame = pandas.DataFrame(
            {
                "id": ["a", "b"],
                "n": [1, 2],
                "x": [0.1, None],
                "city": pandas.Categorical(["Rome", None]),
                "new": [True, False],
                "paid": [1, None],
                3: [1, 2],
            }
        )
        self.assertEqual(["a", "b"], self.model.send(frame, labels="paid", ids="id"))
        self.assertEqual(
            [
                {"id": "a", "label": 1, "features": {"n": 1, "x": 0.1, "city": "Rome", "new": True, "3": 1}, "weight": 1.0},
                {"id": "b", "label": None, "features": {"n": 2, "new": False, "3": 2}, "weight": 1.0},
            ],
            self.sent(),
        )
        self.assertIn("paid", frame.columns)

    @unittest.skipUnless(pandas, "needs pandas")
    def test_arrays_and_series(self):
        self.model.send(numpy.array([[1.5, 2], [0, 1]], dtype="float32"), pandas.Series([0, 1], index=[5, 6]), weights=numpy.ones(2))
        self.assertEqual([[1.5, 2.0], [0.0, 1.0]], [value["features"] for value in self.sent()])
        self.assertEqual([0, 1], [value["label"] for value in self.sent()])

    def test_nothing_is_sent_of_a_call_with_a_fault(self):
        good = {"x": 1}
        day = datetime.date(2026, 1, 31)
        send = self.model.send
        self.refused(
            "row 1, day must be a number, a text or a boolean, got datetime.date(2026, 1, 31) (leave it out, or turn it into"
            " one, such as .hour or .dayofweek of it)",
            send,
            [good, {"day": day}],
        )
        self.refused("row 1, x must be finite, got inf (rows by name may leave missing values out)", send, [good, {"x": math.inf}])
        self.refused("row 0, feature 1 must be finite, got nan (rows by name may leave missing values out)", send, [[1, math.nan]])
        self.refused("labels must be as many as rows, got 2 for 1 rows", send, [good], [1, 2])
        self.refused("label of row 0 must be a whole number, a name or a boolean, got 0.5 (models classify)", send, [good], [0.5])
        self.refused("rows must be a frame with the column 'y'", send, [good], "y")
        self.refused("rows must be a table or a list with an entry for each example, got dict", send, good)
        self.refused("row 0 must be a dict or a list of numbers, got 1", send, [1])
        self.refused("label must be known, got none", self.model.label, "7", None)
        self.refused("settings must contain at least one, got none", self.model.set, error=ValueError)

    def test_settings_and_late_labels(self):
        self.model.set({"await.labels.ms": 60000}, negative_label=0, bias=False, algorithm="pa")
        self.model.label(7, "spam", 2)
        self.assertEqual(
            {"await.labels.ms": "60000", "negative.label": "0", "bias": "false", "algorithm": "pa"},
            self.sent()[0]["settings"],
        )
        self.assertEqual({"exampleId": "7", "label": "spam", "weight": 2.0}, self.sent()[1])

    def test_events_come_once_and_only_those_of_the_model(self):
        self.put("perceptron-predictions", b'{"exampleId":"0"}', key=b"other")
        for n in range(1, 4):
            self.put("perceptron-predictions", b'{"exampleId":"%d"}' % n)
        ids = [event["exampleId"] for event in self.model.predictions(2)]
        ids += [event["exampleId"] for event in self.model.predictions(wait=0)]
        self.assertEqual(["1", "2", "3"], ids)
        self.assertEqual([], list(Model("m").predictions(wait=0)))
        self.assertEqual(3, len(list(Model("m", since="earliest").predictions(3))))

    def test_records_of_several_predictions(self):
        self.put("perceptron-predictions", b'[{"exampleId":"1"},{"exampleId":"2"},{"exampleId":"3"}]')
        self.put("perceptron-predictions", b'{"predictions":[{"exampleId":"4"},{"exampleId":"5"}]}')
        self.put("perceptron-predictions", b'{"exampleId":"6"}')
        ids = [[event["exampleId"] for event in self.model.predictions(count)] for count in (2, 2, 2)]
        self.assertEqual([["1", "2"], ["3", "4"], ["5", "6"]], ids)
        self.assertEqual([], list(self.model.predictions(wait=0)))

    def test_several_examples_in_one_record(self):
        for wrong in (0, 1001, "2", 1.5, True):
            self.refused(f"batch must be from 1 to 1000, got {wrong!r}", lambda: self.model.send([[1]], batch=wrong), error=ValueError)
        ids = self.model.send([[n] for n in range(5)], [1, 0, 1, 0, None], batch=2)
        self.assertEqual([ids[:2], ids[2:4], ids[4:]], [[each["id"] for each in value] for value in self.sent()])
        self.assertEqual([1, 0], [each["label"] for each in self.sent()[0]])

    def test_examples_that_are_too_large_for_one_record(self):
        self.model.send([[0.5] * 80_000] * 5, batch=1000)
        self.assertEqual([2, 2, 1], [len(value) for value in self.sent()])

    def test_missing_events_name_what_was_refused(self):
        message = "1 mistakes of m must come within 0 s of each other, got 0"
        self.refused(message + " (is the engine running?)", list, self.model.mistakes(1, wait=0), error=TimeoutError)
        headers = {"perceptron-reason": b"INVALID_LABEL", "__streams.errors.message": b"label must be -1 or 1, got 2"}
        self.put("perceptron-dead-letters", b"{}", headers=headers)
        message += " (1 records were refused: label must be -1 or 1, got 2)"
        self.refused(message, list, self.model.mistakes(1, wait=0), error=TimeoutError)
        self.assertEqual(
            [{"reason": "INVALID_LABEL", "message": "label must be -1 or 1, got 2", "value": b"{}"}],
            list(self.model.refusals(wait=0)),
        )

    def test_a_missing_topic_is_named(self):
        self.topics.missing = ["other-mistakes"]
        message = "topic other-mistakes must exist (start the engine, or choose another prefix)"
        self.refused(message, Model, "m", prefix="other", error=kafka.KafkaError)

    def test_other_values_are_refused(self):
        message = "event must be JSON or begin with 0 and the id of its schema, got b'\\x01'"
        self.refused(message, self.model._reader.read, b"\x01", error=ValueError)

    @unittest.skipUnless(avro, "needs avro")
    def test_a_registry_that_does_not_answer_is_named(self):
        reader = Model("m", registry="http://user:secret@127.0.0.1:1")._reader
        with self.assertRaisesRegex(ValueError, "^registry http://127.0.0.1:1 must have schema 5, got: .*refused"):
            reader.read(struct.pack(">bI", 0, 5))

    def test_weights_are_those_of_one_snapshot(self):
        snapshot = chunk(0, 2, [0, 1], [1.0, 2.0])
        send = self.topics.send

        def answer(topic, key, value):
            send(topic, key, value)
            self.put("perceptron-weights", json.dumps(snapshot).encode())
            self.put("perceptron-weights", json.dumps(chunk(0, 1, [2], [9.0])).encode(), key=b"m2")
            self.put("perceptron-weights", json.dumps(chunk(1, 2, [5], [-4.0])).encode(), key=b"m/1")

        self.topics.send = answer
        self.put("perceptron-weights", json.dumps(chunk(0, 1, [0], [100.0])).encode())
        weights = self.model.weights()
        self.assertEqual([{"action": "SNAPSHOT"}], self.sent())
        self.assertEqual((1, 5.0), tuple(weights.predict([1, 2])))
        self.assertEqual((-1, -4.0), tuple(weights.predict({"indices": [5], "values": [1]})))


class ClassifierTest(unittest.TestCase):
    @unittest.skipUnless(numpy, "needs NumPy")
    def test_two_classes(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder, "weights.json")
            file.write_text(json.dumps(chunk(0, 1, [0, 1], [1.0, 2.0], threshold="1.5")))
            classifier = PerceptronClassifier(file)
            rows = numpy.array([[1, 0], [0, 1], [1, 0.25]])
            self.assertEqual([-1, 1], classifier.classes_.tolist())
            self.assertEqual([-1, 1, 1], classifier.fit(rows, [1, 1, 1]).predict(rows).tolist())
            self.assertEqual([-0.5, 0.5, 0.0], classifier.decision_function(rows).tolist())
            self.assertEqual(2 / 3, classifier.score(rows, [-1, 1, -1]))
            self.assertEqual(0.75, classifier.score(rows, [-1, 1, -1], sample_weight=[2, 1, 1]))

    @unittest.skipUnless(numpy, "needs NumPy")
    def test_several_classes(self):
        rows = chunk(0, 1, [], [], algorithm="multiclass")
        rows["state"]["names"] = ["a", "b", "c"]
        rows["state"]["numbers"] = ["0.0"]
        rows["state"]["blocks"] = [{"vector": 0, "number": 0, "length": 6, "positions": [0, 2], "values": [1.0, 3.0]}]
        classifier = PerceptronClassifier(model.perceptron_weights.Model([rows]))
        self.assertEqual(["a", "b", "c"], classifier.classes_.tolist())
        self.assertEqual([[2.0, 0.0, 6.0]], classifier.decision_function([[2]]).tolist())
        self.assertEqual(["c", "b"], classifier.predict([[2], [-1]]).tolist())


def chunk(number, count, indices, weights, threshold="0", algorithm="perceptron"):
    settings = {"bias": "false", "predict": "last", "scale": "none", "negative.label": "auto:-1", "labels": "", "hash.bits": "18"}
    block = {"vector": 0, "number": 0, "length": 256, "positions": indices, "values": weights}
    numbers = ["0.0", "0.0", "0.0"] if number == 0 else []
    state = {"numbers": numbers, "names": [], "blocks": [block]}
    return {"chunk": number, "chunks": count, "algorithm": algorithm, "settings": {**settings, "threshold": threshold}, "state": state}


if __name__ == "__main__":
    unittest.main()
