"""Encodes one example with each kind of features, as a client with the package avro does: plain dictionaries.

Usage: python3 avro_examples.py EXAMPLE_AVSC; prints a line of hexadecimal Avro binary for each example.
"""

import io
import sys

import avro.io
import avro.schema

FEATURES = [
    {"values": [0.5, -2.0]},
    {"indices": [3, 70000], "values": [0.5, -2.0]},
    {"named": {"age": 0.3, "word=thé": 1.0}},
    {"named": {}},
    {"tokens": [["w=the"], ["w=dog", "w=dog"]]},
    {"candidates": [{"output": "a", "features": {"f": 1.0}}, {"output": "b", "features": {"g": 2.0}}]},
]

if len(sys.argv) != 2:
    sys.exit(__doc__)
with open(sys.argv[1], encoding="utf-8") as file:
    writer = avro.io.DatumWriter(avro.schema.parse(file.read()))
for number, features in enumerate(FEATURES):
    encoded = io.BytesIO()
    example = {"id": str(number), "label": 1, "features": features, "weight": 1.0}
    writer.write(example, avro.io.BinaryEncoder(encoded))
    print(encoded.getvalue().hex())
