"""python3 -m unittest discover -s clients/python/tests: rows, labels and reading, without a broker."""
import collections
import datetime
import decimal
import enum
import json
import math
import pathlib
import random
import sqlite3
import struct
import sys
import tempfile
import types
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from perceptron_streams import InvalidExample, Model, PerceptronClassifier, examples, kafka, model  # noqa: E402

try:
    import numpy
    import pandas
except ImportError:
    numpy = pandas = None
try:
    import scipy.sparse
except ImportError:
    scipy = None
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

    max_bytes = ("message.max.bytes", 1_000_000)

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
        self.model.send([[0.5, 2, True], (1, 0, 0)], ["a", "b"], ids=[7, "b"])
        self.model.send([{"indices": [3, 9], "values": [1, 0.5]}])
        self.assertEqual([[0.5, 2, 1], [1, 0, 0]], [value["features"] for value in self.sent()[:2]])
        self.assertEqual([("7", "a"), ("b", "b")], [(value["id"], value["label"]) for value in self.sent()[:2]])
        self.assertEqual({"indices": [3, 9], "values": [1, 0.5]}, self.sent()[2]["features"])

    def test_examples_are_the_json_of_their_fields(self):
        seed = random.randrange(2**32)
        chance = random.Random(seed)
        for n in range(2000):
            numbers = [
                chance.choice([0, -0.0, 1, chance.gauss(0, 1), chance.uniform(-1, 1) * 10.0 ** chance.randrange(-300, 300), -(10**18)])
                for _ in range(chance.randrange(12))
            ]
            row = chance.choice([numbers, {"x": 1.5, "ü": "ß\u2028"}, {"indices": [1], "values": [2.5]}])
            label = chance.choice([None, True, False, -1, 7, 'a "quoted" nämé'])
            fields = {"id": f"ö{n}", "label": label, "features": row, "weight": chance.choice([1.0, 0.1, 1e-300])}
            timestamp = chance.choice([None, 1000, "2026-01-31T12:00:00Z"])
            if timestamp is not None:
                fields["timestamp"] = timestamp
            found = examples.encoded_example(fields["id"], label, examples.rows_of([row])[0], fields["weight"], timestamp)
            self.assertEqual(examples.encoded(fields), found, f"seed {seed}")

    def test_numbers_of_other_types_in_lists(self):
        class Level(enum.IntEnum):
            HIGH = 2

        class Price(float):
            def __repr__(self):
                return "expensive"

        self.model.send([[Level.HIGH, True, Price(1.5), decimal.Decimal("0.5")], [], [2**1022, -(2**1022)]])
        self.assertEqual([[2, 1, 1.5, 0.5], [], [2**1022, -(2**1022)]], [value["features"] for value in self.sent()])
        for wrong in (math.nan, math.inf, -math.inf, 2**1023, -(2**1023), 2**5000):
            for row in ([wrong], [1.5, wrong], [wrong, 1.5, 2], [3, wrong, math.nan], [wrong, -wrong]):
                with self.assertRaises(InvalidExample, msg=repr(row)):
                    examples.rows_of([row])

    @unittest.skipUnless(numpy, "needs numpy")
    def test_arrays_of_each_type(self):
        for kind in ("float16", "float32", "float64", "int8", "uint8", "int64", "uint64", "bool", "longdouble"):
            array = numpy.array([[1, 0], [0, 1]], dtype=kind)
            self.assertEqual([[1, 0], [0, 1]], examples.rows_of(array), kind)
            self.assertLessEqual({type(value) for row in examples.rows_of(array) for value in row}, {int, float}, kind)
        with self.assertRaises(InvalidExample):
            examples.rows_of(numpy.array([[1.0, math.nan]]))
        with self.assertRaises(InvalidExample):
            examples.rows_of(numpy.ma.masked_invalid([[1.0, math.nan]]))

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
            " one, such as .hour or .dayofweek of it in pandas)",
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

    def test_ids_are_whole_or_refused(self):
        # pandas makes floats of a column of ints with a gap
        self.assertEqual(["17", "18", "x"], self.model.send([[1], [2], [3]], ids=[17.0, 18, "x"]))
        self.model.label(17.0, 1)
        self.assertEqual("17", self.sent()[3]["exampleId"])
        self.topics.sent.clear()
        rule = "must be known, got nan (without ids, ids are made up)"
        self.refused("id of row 1 " + rule, self.model.send, [[1], [2]], ids=[17.0, math.nan])
        self.refused("example_id " + rule, self.model.label, math.nan, 1)
        self.refused(
            "id of row 0 must have all its digits, got the float 9007199254740992.0 (read the column as text)",
            self.model.send,
            [[1]],
            ids=[2.0**53],
        )
        for wrong in (1.5, True, b"x", ("a", 1), "", datetime.date(2026, 1, 31)):
            message = f"id of row 0 must be a text or a whole number, got {wrong!r} (str() makes a text of it)"
            self.refused(message, self.model.send, [[1]], ids=[wrong])

    @unittest.skipUnless(pandas, "needs pandas")
    def test_ids_of_a_column_with_gaps(self):
        rides = pandas.DataFrame({"ride": [17, 18, None], "km": [1.0, 2.0, 3.0]})
        self.refused("id of row 2 must be known, got nan (without ids, ids are made up)", self.model.send, rides, ids="ride")
        rides["ride"] = rides["ride"].astype("Int64")
        self.refused("id of row 2 must be known, got <NA> (without ids, ids are made up)", self.model.send, rides, ids="ride")
        self.assertEqual(["17", "18"], self.model.send(rides[:2], ids="ride"))

    def test_frames_that_are_read_by_columns(self):
        class Columns:
            columns = ["km", "fare"]
            shape = (3, 2)

            def __iter__(self):
                return iter([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])

        self.refused(
            "rows must be a table that is read by rows, got a Columns (turn it into a pandas frame, as by .to_pandas(), or into a"
            " list of dicts)",
            self.model.send,
            Columns(),
        )

        class Rows(Columns):
            def iter_rows(self):
                return iter([(1.0, 4.0), (2.0, 5.0), (3.0, None)])

        self.model.send(Rows())
        self.assertEqual([{"km": 1.0, "fare": 4.0}, {"km": 2.0, "fare": 5.0}, {"km": 3.0}], [each["features"] for each in self.sent()])

    def test_tables_of_another_length_than_their_rows(self):
        class Table:
            def __len__(self):
                return 3

            def __iter__(self):
                return iter([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])

        self.refused(
            "rows must be read one by one, got 2 from a Table of 3 (as a pandas frame or a list of dicts they can be)",
            self.model.send,
            Table(),
        )

    @unittest.skipUnless(pandas, "needs pandas")
    def test_event_times(self):
        # 1795856400 s are 2026-11-28T09:00:00Z (date -u -d @1795856400)
        first, second = 1_795_856_400_000, 1_795_856_401_000
        texts = ["2026-11-28T09:00:00Z", "2026-11-28T09:00:01Z"]
        times = pandas.Series(pandas.to_datetime(texts))
        zone = datetime.timezone(datetime.timedelta(hours=2))
        for given in (
            times,
            times.dt.tz_convert("Asia/Tokyo"),
            pandas.DatetimeIndex(times),
            [float(first), float(second)],
            numpy.array([first, second]),
            [datetime.datetime(2026, 11, 28, 11, tzinfo=zone), datetime.datetime(2026, 11, 28, 11, 0, 1, 999, tzinfo=zone)],
        ):
            self.topics.sent.clear()
            self.model.send([[1], [2]], timestamps=given)
            self.assertEqual([first, second], [each["timestamp"] for each in self.sent()], given)
        self.topics.sent.clear()
        self.model.send(pandas.DataFrame({"km": [1, 2], "when": times, "w": [1, 2]}), timestamps="when", weights="w")
        self.assertEqual([({"km": 1}, first, 1.0), ({"km": 2}, second, 2.0)], [(e["features"], e["timestamp"], e["weight"]) for e in self.sent()])
        self.topics.sent.clear()
        self.model.send([[1], [2]], timestamps=texts)
        self.assertEqual(texts, [each["timestamp"] for each in self.sent()])

    @unittest.skipUnless(pandas, "needs pandas")
    def test_event_times_that_cannot_be_told_are_refused(self):
        naive = pandas.Timestamp("2026-11-28T09:00:00")
        remedy = (
            " (if it is in UTC: pandas.to_datetime(values).tz_localize('UTC') of a list or array, .dt.tz_localize('UTC') of a column)"
        )
        for given in (naive, naive.to_numpy(), datetime.datetime(2026, 11, 28, 9)):
            message = f"timestamp of row 0 must have a zone, got {given!r}{remedy}"
            self.refused(message, self.model.send, [[1]], timestamps=[given])
        for given in (None, math.nan, pandas.NaT, numpy.datetime64("NaT"), pandas.NA):
            message = f"timestamp of row 1 must be known, got {given} (without timestamps, the time is now)"
            self.refused(message, self.model.send, [[1], [2]], timestamps=[1_795_856_400_000, given])
        message = "timestamp of row 0 must be in ms since 1970, got 1795856400, a time of 1970 (in seconds? then multiply it by 1000)"
        self.refused(message, self.model.send, [[1]], timestamps=[1_795_856_400])
        for given in (1_795_856_400_000_000, 1_795_856_400_000_000_000):
            message = (
                f"timestamp of row 0 must be in ms since 1970 and before the year 2200, got {given}"
                " (in micro- or nanoseconds? then divide it by 1000 or 1000000)"
            )
            self.refused(message, self.model.send, [[1]], timestamps=[given])
        message = "timestamp of row 0 must be as 2026-01-31T12:00:00Z, with a zone, got '2026-11-28 09:00' (pandas.to_datetime reads others)"
        self.refused(message, self.model.send, [[1]], timestamps=["2026-11-28 09:00"])

    @unittest.skipUnless(pandas, "needs pandas")
    def test_times_are_no_features(self):
        # item() of a time in ns is an int
        for unit in ("ns", "us", "D"):
            time = numpy.datetime64("2026-11-28", unit)
            message = (
                f"row 0, at must be a number, a text or a boolean, got {time!r} (leave it out, or turn it into one, such as .hour or"
                " .dayofweek of it in pandas)"
            )
            self.refused(message, self.model.send, [{"at": time}])
        for length in (numpy.timedelta64(5, "s"), pandas.Timedelta("5s"), datetime.timedelta(seconds=5)):
            message = (
                f"row 0, took must be a number, a text or a boolean, got {length!r} (leave it out, or turn it into one, such as seconds:"
                " .total_seconds() of it in pandas)"
            )
            self.refused(message, self.model.send, [{"took": length}])
        self.model.send([{"at": numpy.datetime64("NaT"), "x": 1}])
        self.assertEqual({"x": 1}, self.sent()[0]["features"])

    def test_weights_are_checked(self):
        for given, rule in (
            (math.nan, "must be known, got nan (1 is the weight without one)"),
            (None, "must be known, got None (1 is the weight without one)"),
            (0, "must be a positive finite number, got 0 (leave out rows that do not count)"),
            (math.inf, "must be a positive finite number, got inf (leave out rows that do not count)"),
            ("2", "must be a number, got '2'"),
            (True, "must be a number, got True"),
        ):
            self.refused(f"weight of row 1 {rule}", self.model.send, [[1], [2]], weights=[1.0, given])

    @unittest.skipUnless(pandas, "needs pandas")
    def test_categories_of_numbers_are_words(self):
        frame = pandas.DataFrame({"zip": pandas.Categorical([1067, None, 1099]), "n": [1, 2, 3]})
        self.model.send(frame)
        self.assertEqual([{"zip": "1067", "n": 1}, {"n": 2}, {"zip": "1099", "n": 3}], [each["features"] for each in self.sent()])

    @unittest.skipUnless(numpy, "needs NumPy")
    def test_shapes(self):
        dense = numpy.array([[1.0, 2.0], [3.0, 4.0]])
        self.model.send(numpy.asmatrix(dense), numpy.array([[1], [-1]]))
        self.assertEqual([([1.0, 2.0], 1), ([3.0, 4.0], -1)], [(each["features"], each["label"]) for each in self.sent()])
        self.topics.sent.clear()
        one_hot = "labels must be one for each row, got the shape (2, 2) (of one-hot labels: labels.argmax(axis=1))"
        self.refused(one_hot, self.model.send, dense, numpy.eye(2))
        self.refused(
            "label of row 0 must be one label, got [1, 0] for a row without tokens (of one-hot labels take the name, or the index of the 1)",
            self.model.send,
            dense,
            [[1, 0], [0, 1]],
        )
        self.refused("weights must be one for each row, got the shape (2, 2)", self.model.send, dense, weights=dense)
        shapes = "an array of rows must have two dimensions, got the shape {} (reshape it)"
        self.refused(shapes.format("(2,)"), self.model.send, numpy.array([1.0, 2.0]))
        self.refused(shapes.format("(1, 2, 2)"), self.model.send, dense.reshape(1, 2, 2))
        self.refused("labels must be a list with an entry for each row, got a set", self.model.send, dense, {1, -1})
        self.model.send(numpy.array([(1, 2.5)], dtype=[("n", int), ("x", float)]))
        self.model.send(numpy.ma.masked_array(dense, [[False, False], [False, False]])[:1])
        self.model.send([{"indices": numpy.array([3, 9]), "values": numpy.array([1, 0.5])}])
        self.assertEqual(
            [{"n": 1, "x": 2.5}, [1.0, 2.0], {"indices": [3, 9], "values": [1, 0.5]}], [each["features"] for each in self.sent()]
        )
        self.topics.sent.clear()
        masked = numpy.ma.masked_array(dense, [[False, True], [False, False]])
        with self.assertRaisesRegex(InvalidExample, "^row 0, feature 1 must be "):
            self.model.send(masked)
        self.assertEqual([], self.topics.sent)

    def test_empty_labels_are_refused(self):
        # frames that were read with keep_default_na=False have them for missing ones: they became a class of their own
        end = " must have at least one sign, got '' (None, where the row is only to be predicted)"
        self.refused("label of row 1" + end, self.model.send, [[1], [2]], ["a", ""])
        self.refused("label" + end, self.model.label, 1, "")

    @unittest.skipUnless(pandas, "needs pandas")
    def test_labels_in_another_order_than_the_rows_are_refused(self):
        frame = pandas.DataFrame({"x": [1, 2, 3]}, index=[10, 11, 12])
        labels = pandas.Series([0, 1, 0], index=[11, 10, 12])
        # pandas takes 1, 0, 0 for these rows; the labels were sent as 0, 1, 0
        self.refused(
            "labels must be in the order of the rows, got their index in another one (labels.reindex(rows.index))",
            self.model.send,
            frame,
            labels,
        )
        self.refused(
            "ids must be in the order of the rows, got their index in another one (ids.reindex(rows.index))",
            lambda: self.model.send(frame, ids=labels),
        )
        self.model.send(frame, labels.reindex(frame.index))
        self.model.send(frame.reset_index(drop=True), labels)
        self.assertEqual([1, 0, 0, 0, 1, 0], [each["label"] for each in self.sent()])

    @unittest.skipUnless(pandas, "needs pandas")
    def test_frames_of_labels(self):
        frame = pandas.DataFrame({"x": [1, 2]})
        self.model.send(frame, pandas.DataFrame({"y": [1, 0]}))
        self.assertEqual([1, 0], [each["label"] for each in self.sent()])
        self.topics.sent.clear()
        one_hot = "labels must be one for each row, got the shape (2, 2) (of one-hot labels: labels.argmax(axis=1))"
        self.refused(one_hot, self.model.send, frame, pandas.get_dummies(["a", "b"]))

    def test_rows_with_names_keep_them(self):
        # their values were learned by place, those of a dict-like one were its keys
        named = collections.namedtuple("Ride", "km fare")
        database = sqlite3.connect(":memory:")
        database.row_factory = sqlite3.Row
        rides = database.execute("select 5.0 as km, 6.0 as fare").fetchall()
        database.close()
        rows = [named(5.0, 6.0), collections.UserDict(km=5.0, fare=6.0), types.MappingProxyType({"km": 5.0, "fare": 6.0}), *rides]
        if pandas:
            frame = pandas.DataFrame({"km": [5.0], "fare": [6.0]})
            rows += [row for _, row in frame.iterrows()] + list(frame.itertuples(index=False))
            self.refused(
                "row 0 must have no index of pandas (the frame itself, or itertuples(index=False))", self.model.send, list(frame.itertuples())
            )
        self.model.send(rows)
        self.assertEqual([{"km": 5.0, "fare": 6.0}] * len(rows), [each["features"] for each in self.sent()])
        self.topics.sent.clear()
        self.refused("row 0 must have different names, got [1, '1']", self.model.send, [{1: 5, "1": 6}])

    def test_rows_without_an_order_are_refused(self):
        self.refused("row 0 must be a dict or a list of numbers, got {1.5}", self.model.send, [{1.5}])
        self.refused("row 0 must be a dict or a list of numbers, got bytearray(b'ab')", self.model.send, [bytearray(b"ab")])
        self.refused("rows must be a table or a list with an entry for each example, got set", self.model.send, {(1, 2)})

    def test_what_json_cannot_hold_is_refused_with_its_row(self):
        for row in ({"a": "\ud800"}, {"\ud800": 1}, {"tokens": [{"w=a"}]}, {"tokens": [{"a": math.nan}]}):
            with self.assertRaisesRegex(InvalidExample, "^row 1 must have values that JSON can hold: "):
                self.model.send([[1], row])
            self.assertEqual([], self.topics.sent)

    def test_texts_of_infinite_numbers_are_refused(self):
        for text in ("Infinity", "-Infinity", "inf", "-inf", "+INF", "\u221e"):
            message = f"row 1, a must be finite, got {text!r}, the text of an infinite number (leave it out)"
            self.refused(message, self.model.send, [{"a": 1}, {"a": text}])
        # the level of a log
        self.model.send([{"a": "INF", "b": "infinity pool"}])

    def test_lists_have_numbers_only(self):
        end = " (leave it out, or turn it into one; rows by name may have texts and missing values)"
        for value in ("1", None):
            self.refused(f"row 0, feature 1 must be a number, got {value!r}{end}", self.model.send, [[1, value]])

    def test_indices_are_checked(self):
        for indices, rule in (
            ([3, 1], ", indices must ascend, from 0 to 2147483647, got [3, 1]"),
            ([1, 1], ", indices must ascend, from 0 to 2147483647, got [1, 1]"),
            ([-1, 1], ", indices must ascend, from 0 to 2147483647, got [-1, 1]"),
            ([1, 2**31], ", indices must ascend, from 0 to 2147483647, got [1, 2147483648]"),
            ([1], " must have as many values as indices, got 2 and 1"),
            ([1.0, 2.0], ", indices must be whole numbers, got [1.0, 2.0]"),
        ):
            self.refused("row 0" + rule, self.model.send, [{"indices": indices, "values": [1, 2]}])
        with self.assertRaises(InvalidExample):
            self.model.send([{"indices": None, "values": [1]}])

    def test_different_ids_stay_different(self):
        message = "id of row 1 must be another text, got '1' after 1 (both are '1')"
        self.refused(message, self.model.send, [[1], [2]], ids=[1, "1"])
        self.assertEqual(["1", "1"], self.model.send([[1], [2]], ids=[1, 1.0]))

    def test_times_that_no_calendar_has_are_refused(self):
        for text in ("2026-02-31T00:00:00Z", "2026-02-01T25:00:00Z", "2026-02-01T24:00:00Z", "2026-02-01T10:00:60Z", "2026-02-01T10:00:00+99:00"):
            message = f"timestamp of row 0 must be as 2026-01-31T12:00:00Z, with a zone, got {text!r} (pandas.to_datetime reads others)"
            self.refused(message, self.model.send, [[1]], timestamps=[text])

    @unittest.skipUnless(pandas, "needs pandas")
    def test_names_of_columns_that_are_no_texts(self):
        # the name ("a", "y") was taken for the labels of two rows
        frame = pandas.DataFrame([[1, 0], [2, 1]], columns=pandas.MultiIndex.from_tuples([("a", "x"), ("a", "y")]))
        self.model.send(frame, labels=("a", "y"))
        self.model.send(pandas.DataFrame([[1, 0], [2, 1]]), labels=1)
        self.assertEqual([0, 1, 0, 1], [each["label"] for each in self.sent()])
        self.assertEqual([{"('a', 'x')": 1}, {"0": 1}], [each["features"] for each in self.sent()[::2]])

    @unittest.skipUnless(scipy, "needs SciPy")
    def test_sparse_matrices(self):
        dense = numpy.array([[0, 1.5], [2, 0]])
        for form in ("csr", "csc", "coo", "lil", "dok", "bsr", "dia"):
            rows = examples.rows_of(getattr(scipy.sparse, form + "_matrix")(dense))
            self.assertEqual([{"indices": [1], "values": [1.5]}, {"indices": [0], "values": [2.0]}], rows, form)
        message = "labels must be a list with an entry for each row, got a sparse matrix (.toarray() of it)"
        self.refused(message, self.model.send, dense, scipy.sparse.csr_matrix([[1], [0]]))

    def test_settings_are_texts_numbers_or_lists(self):
        self.model.set(labels=["no", "yes"], h=0.5)
        self.assertEqual({"labels": "no,yes", "h": "0.5"}, self.sent()[0]["settings"])
        self.topics.sent.clear()
        for wrong in (None, {"a"}, math.inf, math.nan):
            message = f"a setting must be a text, a finite number, a boolean or a list of them, got {wrong!r}"
            self.refused(message, self.model.set, h=wrong, error=ValueError)

    def test_settings_and_late_labels(self):
        self.model.set({"await.labels.ms": 60000}, negative_label=0, bias=False, algorithm="pa")
        self.model.label(7, "spam", 2)
        self.assertEqual(
            {"await.labels.ms": "60000", "negative.label": "0", "bias": "false", "algorithm": "pa"},
            self.sent()[0]["settings"],
        )
        self.assertEqual({"exampleId": "7", "label": "spam", "weight": 2.0}, self.sent()[1])
        self.model.label(7, "ham", source="review", knowable_at="2026-01-31T12:00:00Z")
        self.assertEqual(
            {"exampleId": "7", "label": "ham", "weight": 1.0, "source": "review", "knowableAt": "2026-01-31T12:00:00Z"},
            self.sent()[2],
        )
        self.topics.sent.clear()
        self.refused("source must be a text, got 7", self.model.label, 7, "ham", source=7)

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

    def test_predictions_say_how_sure_they_are(self):
        sure = {"exampleId": "1", "label": "no", "probability": 0.897939, "labelSet": ["no", "yes"], "decision": "yes", "withheld": True}
        self.put("perceptron-predictions", json.dumps(sure).encode())
        self.put("perceptron-predictions", json.dumps({"predictions": [sure, {**sure, "labelSet": []}]}).encode())
        events = list(self.model.predictions(3))
        self.assertEqual([sure, sure, {**sure, "labelSet": []}], events)
        self.assertEqual(["no", "yes"], events[0]["labelSet"])

    def test_several_examples_in_one_record(self):
        for wrong in (0, 1001, "2", 1.5, True):
            self.refused(f"batch must be from 1 to 1000, got {wrong!r}", lambda: self.model.send([[1]], batch=wrong), error=ValueError)
        ids = self.model.send([[n] for n in range(5)], [1, 0, 1, 0, None], batch=2)
        self.assertEqual([ids[:2], ids[2:4], ids[4:]], [[each["id"] for each in value] for value in self.sent()])
        self.assertEqual([1, 0], [each["label"] for each in self.sent()[0]])

    def test_examples_that_are_too_large_for_one_record(self):
        self.model.send([[0.5] * 80_000] * 5, batch=1000)
        self.assertEqual([2, 2, 1], [len(value) for value in self.sent()])

    def test_records_that_are_too_large_stop_the_call_before_anything_is_sent(self):
        # the client refused one in the middle: the rows before it were sent or not, with an error of its own class
        self.topics.max_bytes = ("message.max.bytes", 1000)
        end = "; nothing was sent (cut it, or raise message.max.bytes in config, and max.message.bytes of the topic)"
        self.refused(
            "row 1 must have at most 899 bytes, got 1064" + end,
            lambda: self.model.send([{"a": 1}, {"a": "x" * 1000}], ids=["1", "2"]),
        )
        self.refused("the record must have at most 899 bytes, got 1048" + end, lambda: self.model.label("1", ["x" * 1000]))
        # the arrays of a batch are no larger, either
        self.model.send([[0.5] * 100] * 5, batch=5)
        self.assertEqual([1, 1, 1, 1, 1], [len(array) for array in self.sent()])

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

    def test_a_threshold_of_costs_leaves_the_label(self):
        weights = model.perceptron_weights.Model([chunk(0, 1, [0, 1], [1.0, 2.0], threshold="cost:1.0:20.0")])
        self.assertEqual([1, -1], [weights.predict(row).label for row in ([1, 0], [-1, 0])])

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
