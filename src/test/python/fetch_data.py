#!/usr/bin/env python3
"""Fetches the public data sets of docs/results.md and docs/streams.md, and writes them as libsvm files.

    python3 src/test/python/fetch_data.py DIR [NAME ...]
    python3 src/test/python/fetch_data.py DIR --from FOLDER [NAME ...]

DIR/NAME/NAME.train.libsvm.gz and NAME.test.libsvm.gz have one example a line, `label index:value ...`, indices from 1 ascending, zeros left
out, values in the shortest form that reads back to the same double, labels +1 and -1 or class numbers from 0. Lines keep the order of the
origin, which is the order of the stream; where the origin has no test part, the last fifth is one. A file that is there already is not made
again. --from takes the original files from FOLDER, under their names there, instead of the network.

The contents of every file are checked by SHA-256. Only the standard library is needed. The licences are those of the origin: see LICENCES.
"""
import csv
import gzip
import hashlib
import io
import pathlib
import re
import struct
import sys
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parents[3]
RAW = "https://raw.githubusercontent.com/"
MNIST = RAW + "fgnt/mnist/ae608a02b796c9ee908c082585a5f006fe05258e/"
STREAMS = RAW + "scikit-multiflow/streaming-datasets/f1eb9f068c3450233721c3beac6fb0e880e9e7d7/"
BROWNLEE = RAW + "jbrownlee/Datasets/d20fcb6402ae34e653d4513b00f39257bb37ed7f/"
EWT = RAW + "UniversalDependencies/UD_English-EWT/15d613d8447b3478787d4c278730a1e48a945efb/"

LICENCES = {
    "a9a": "UCI Adult (Becker, Kohavi), CC BY 4.0; binned for LIBSVM",
    "sms-spam": "UCI SMS Spam Collection (Almeida, Gomez Hidalgo), CC BY 4.0",
    "breast-cancer": "UCI Breast Cancer Wisconsin, original (Wolberg), CC BY 4.0",
    "wdbc": "UCI Breast Cancer Wisconsin, diagnostic (Wolberg, Street, Mangasarian), CC BY 4.0",
    "banknote": "UCI Banknote Authentication (Lohweg), CC BY 4.0",
    "digits": "UCI Optical Recognition of Handwritten Digits (Alpaydin, Kaynak), CC BY 4.0",
    "mnist-10k": "MNIST (LeCun, Cortes), CC BY-SA 3.0",
    "mnist-0v8": "MNIST (LeCun, Cortes), CC BY-SA 3.0",
    "weather-stream": "measurements of NOAA, prepared by Elwell and Polikar 2011, no licence stated",
    "electricity": "Electricity market of New South Wales (Harries 1999), no licence stated",
    "ud-ewt": "Universal Dependencies English EWT, annotations CC BY-SA 4.0",
}


class Source:
    """Original files, from the network or from a folder."""

    def __init__(self, folder):
        self.folder = folder

    def read(self, url):
        name = url.rsplit("/", 1)[1]
        if self.folder:
            return (pathlib.Path(self.folder) / name).read_bytes()
        with urllib.request.urlopen(url, timeout=60) as answer:
            return answer.read()

    def rows(self, url, header=False):
        rows = list(csv.reader(io.StringIO(self.read(url).decode("utf-8"))))
        return rows[1:] if header else [row for row in rows if row]


def number(text):
    value = float(text)
    return str(int(value)) if value == int(value) and abs(value) < 1e15 else repr(value)


def line(label, values):
    return label + "".join(f" {i}:{number(v)}" for i, v in enumerate(values, 1) if float(v) != 0) + "\n"


def split(lines):
    """Returns the first four fifths and the rest."""
    cut = len(lines) * 4 // 5
    return {"train": lines[:cut], "test": lines[cut:]}


def a9a(source):
    def lines(url):
        return [each.rstrip() + "\n" for each in source.read(url).decode("ascii").splitlines()]

    return {
        "train": lines(RAW + "zhengruifeng/SparkGBM/600ffe911864d746ec06940d98cd1232c4253bad/data/a9a"),
        "test": lines(RAW + "UltramanGaia/ML2017-lab-02/a83899df9c288a04fb7047dbcbdf1d2eafb28e70/data/a9a.t"),
    }


def sms_spam(source):
    """Counts of words: maximal runs of [a-z0-9] after lowering A-Z, numbered by first appearance."""
    url = RAW + "hamzaaacodes/sms-spam-collection/f3e73e1e74e6330b62d1ee1983bba2a063184c26/SMSSpamCollection"
    numbers, lines = {}, []
    for message in source.read(url).decode("utf-8").split("\n"):
        label, tab, text = message.rstrip("\r").partition("\t")
        if not tab or label not in ("ham", "spam"):
            continue
        counts = {}
        lowered = re.sub("[A-Z]", lambda found: found.group().lower(), text)
        for word in re.findall("[a-z0-9]+", lowered):
            index = numbers.setdefault(word, len(numbers) + 1)
            counts[index] = counts.get(index, 0) + 1
        lines.append(("+1" if label == "spam" else "-1") + "".join(f" {i}:{counts[i]}" for i in sorted(counts)) + "\n")
    return split(lines)


def breast_cancer(source):
    rows = source.rows(BROWNLEE + "breast-cancer-wisconsin.csv")
    return split([line("+1" if row[-1] == "4" else "-1", row[:-1]) for row in rows if "?" not in row])


def banknote(source):
    """The origin is sorted by class; the order of the stream is that of a file of line numbers."""
    rows = source.rows(BROWNLEE + "banknote_authentication.csv")
    order = (ROOT / "src/test/resources/data/banknote-order.txt").read_text().split()
    return split([line("+1" if rows[int(i)][-1] == "1" else "-1", rows[int(i)][:-1]) for i in order])


def wdbc(_):
    with open(ROOT / "src/app/main/resources/demo/wdbc.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    features = [name for name in rows[0] if name not in ("id", "diagnosis")]
    return split([line("+1" if row["diagnosis"] == "1" else "-1", [row[f] for f in features]) for row in rows])


def digits(source):
    packed = source.read(RAW + "scikit-learn/scikit-learn/1.2.1/sklearn/datasets/data/digits.csv.gz")
    rows = list(csv.reader(io.StringIO(gzip.decompress(packed).decode("ascii"))))
    return split([line(str(int(float(row[-1]))), row[:-1]) for row in rows])


def images(source, part):
    def ubytes(name):
        return gzip.decompress(source.read(MNIST + name))

    labels = ubytes(part + "-labels-idx1-ubyte.gz")[8:]
    pixels = ubytes(part + "-images-idx3-ubyte.gz")
    _, count, height, width = struct.unpack(">IIII", pixels[:16])
    size = height * width
    return [(labels[i], pixels[16 + i * size : 16 + (i + 1) * size]) for i in range(count)]


def mnist_10k(source):
    return {
        "train": [line(str(label), pixels) for label, pixels in images(source, "train")[:10_000]],
        "test": [line(str(label), pixels) for label, pixels in images(source, "t10k")[:2_000]],
    }


def mnist_0v8(source):
    def lines(part):
        return [line("+1" if label == 0 else "-1", pixels) for label, pixels in images(source, part) if label in (0, 8)]

    return {"train": lines("train"), "test": lines("t10k")}


def weather_stream(source):
    rows = source.rows(STREAMS + "weather.csv", header=True)
    return {"train": [line("+1" if row[-1] == "1" else "-1", row[:-1]) for row in rows]}


def electricity(source):
    rows = source.rows(STREAMS + "elec.csv", header=True)
    return {"train": [line("+1" if row[-1] == "1" else "-1", row[:-1]) for row in rows]}


def ud_ewt(source):
    return {part: [source.read(f"{EWT}en_ewt-ud-{part}.conllu").decode("utf-8")] for part in ("train", "dev")}


# SHA-256 of the unpacked files
CHECKSUMS = {
    ("a9a", "train"): "76b604b2c3f738783537bd3b32893eae66af54b8a41aee534fac1ecea45c1535",
    ("a9a", "test"): "0c3135eb9b9d83a4fa007d6e1a3b719f029db78884dafd5a46a4d7eeb4c2b018",
    ("sms-spam", "train"): "5d726442b70d82ea3d93cc6f709ec53a7757a3d50dee24848e886be940c5f64c",
    ("sms-spam", "test"): "05b57234327dce50930bdef1ff7f9917fc3a07643fb1794326c671567162da28",
    ("breast-cancer", "train"): "b19623cb12fc04c6c0cdaf6d961f411d9cdf830e168d4b97ab0e09fc3ab99b14",
    ("breast-cancer", "test"): "328022fe63246e0186bd95a3944121cf9b411cbefbf688f4ce1a6eba35647810",
    ("wdbc", "train"): "4f4318ad5d252b43ea44d1fe9411129e95b75affdf697622c9fb51eb87360850",
    ("wdbc", "test"): "877ae50dd1c34911dc0d82f33faf2e1bfb66166195abac0ddffd16d66ecfca49",
    ("banknote", "train"): "01c82e1b1c8ff999552134a41dccbdc1c33e88fe04f1f03c50c2eb0015448853",
    ("banknote", "test"): "bc1a46fe0acce125ae0538bb44b091d3b9cd6df994d5f3c4345bab55cf75226d",
    ("digits", "train"): "e2b8863c3d7c2af8ffe83401b067a9390337a06c369bad2036ea88e019ccb020",
    ("digits", "test"): "62806256bba66674fc593be4cb0f2d9db38742f15f11b24aa6518d1e138cacfc",
    ("mnist-10k", "train"): "db50c7466906bb353bccce3f5aa6b53df1a3e8ac7de0ef0432826163621a7958",
    ("mnist-10k", "test"): "f5e83136937b8a260055759d75131c8b4394dc8361dc7fc4f01f4ebb04dbbeaf",
    ("mnist-0v8", "train"): "13713bd61ef325825aed31723461dfc8564d89d16e0d505ea096b204d3e39d73",
    ("mnist-0v8", "test"): "33fb0b18c332df746af279d1f02064ab1e8e5ca64c2b92920a8516efd9496a60",
    ("weather-stream", "train"): "06cbbec92869e05fe48ac1dc7d9b8ca27099be62c185f398a17d8565f67e58bc",
    ("electricity", "train"): "9b184a38d14bd3719abe62a699a8cddbd0b79259b8f224b318de6e413f022501",
    ("ud-ewt", "train"): "3fb78e2b55482c8ee00caa653af436c88c9e5bc9a73ce26e4ae3ddc79d2b7e7b",
    ("ud-ewt", "dev"): "531a54ff90d6ab12201c5a50c3e78e6ddac4de69abc4bce5d275d3cd29efe2b6",
}

MAKERS = {name: globals()[name.replace("-", "_")] for name in LICENCES}


def path(directory, name, part):
    file = f"en_ewt-ud-{part}.conllu.gz" if name == "ud-ewt" else f"{name}.{part}.libsvm.gz"
    return pathlib.Path(directory) / name / file


def main(arguments):
    if not arguments or arguments[0].startswith("-"):
        sys.exit(__doc__)
    directory, names = arguments[0], arguments[1:]
    folder = None
    if names and names[0] == "--from":
        folder, names = names[1], names[2:]
    unknown = set(names) - set(MAKERS)
    if unknown:
        sys.exit(f"data set must be one of {', '.join(MAKERS)}, got {', '.join(sorted(unknown))}")
    for name in names or MAKERS:
        parts = [part for set_name, part in CHECKSUMS if set_name == name]
        if all(path(directory, name, part).exists() for part in parts):
            continue
        for part, lines in MAKERS[name](Source(folder)).items():
            content = "".join(lines).encode("utf-8")
            digest = hashlib.sha256(content).hexdigest()
            if digest != CHECKSUMS.get((name, part)):
                sys.exit(f"{name}.{part} must have SHA-256 {CHECKSUMS.get((name, part))}, got {digest}: the origin has changed")
            target = path(directory, name, part)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(gzip.compress(content, mtime=0))
            print(f"{target}: {len(lines) if name != 'ud-ewt' else content.count(chr(10).encode() * 2)} examples ({LICENCES[name]})")


if __name__ == "__main__":
    main(sys.argv[1:])
