#!/usr/bin/env python3
"""Computes the features that crosses must give, for CrossesReferenceTest: python3 src/test/python/crosses.py

Written from docs/settings.md#crosses, with the standard library only. Every set of features of an example is tried with every
order of the factors of every cross; nothing is grouped by namespace. Values are small dyadic numbers, so that products
and sums are exact.
"""
import itertools
import json
import pathlib

ROOT = pathlib.Path(__file__).resolve().parents[3]
WORD = 0xFFFFFFFF


class Numbers:
    """The generator of Park and Miller (1988)."""

    def __init__(self, seed):
        self.state = seed

    def below(self, n):
        self.state = self.state * 16807 % 2147483647
        return self.state % n


def mixed(h):
    h ^= h >> 16
    h = h * 0x85EBCA6B & WORD
    h ^= h >> 13
    h = h * 0xC2B2AE35 & WORD
    return h ^ h >> 16


def murmur3(data):
    """MurmurHash3 x86 32 with seed 0."""
    h = 0
    for at in range(0, len(data), 4):
        word = int.from_bytes(data[at:at + 4], "little") * 0xCC9E2D51 & WORD
        word = (word << 15 | word >> 17) & WORD
        h ^= word * 0x1B873593 & WORD
        if at + 4 <= len(data):
            h = (h << 13 | h >> 19) & WORD
            h = h * 5 + 0xE6546B64 & WORD
    return mixed(h ^ len(data))


def namespace(name):
    before, separator, _ = name.partition("^")
    return before if separator and before else "_"


def factors(cross):
    """The factors of user*item**: two stars in a row are a separator and the factor for any namespace."""
    found, at = [], 0
    while at < len(cross):
        if cross[at] == "*":
            found.append("*")
            at += 1
        else:
            end = cross.find("*", at)
            end = len(cross) if end < 0 else end
            found.append(cross[at:end])
            at = end
        at += 1
    return found


def fits(spaces, cross):
    return any(
        all(factor in ("*", space) for space, factor in zip(order, cross)) for order in itertools.permutations(spaces)
    )


def expected(features, settings):
    """features: (namespace, whole hash, index, value); returns index -> value."""
    ignored = settings.get("namespaces.ignore", "").split(",")
    kept = settings.get("namespaces.keep", "").split(",")
    used = [f for f in features if f[0] not in ignored and (kept == [""] or f[0] in kept)]
    found = {}
    for _, _, index, value in used:
        found[index] = found.get(index, 0) + value
    crosses = [factors(cross) for cross in settings.get("crosses", "").split(",") if cross]
    bits = int(settings.get("hash.bits", "18"))
    for size in range(2, 7):
        of_size = [cross for cross in crosses if len(cross) == size]
        for group in itertools.combinations(sorted(used, key=lambda f: f[1]), size if of_size else len(used) + 1):
            if any(fits([f[0] for f in group], cross) for cross in of_size):
                h = group[0][1]
                product = group[0][3]
                for _, each, _, value in group[1:]:
                    h = (h * 0x9E3779B1 & WORD ^ each) * 0x85EBCA6B & WORD
                    product *= value
                index = mixed(h) & (1 << bits) - 1
                found[index] = found.get(index, 0) + product
    return sorted(found.items())


def named(names, settings):
    bits = int(settings.get("hash.bits", "18"))
    features = []
    for name, value in names.items():
        h = murmur3(name.encode())
        features.append((namespace(name), h, h & (1 << bits) - 1, value))
    return expected(features, settings)


SETTINGS = [
    {"crosses": "user*item"},
    {"crosses": "item*user,user*user"},
    {"crosses": "user*item*hour,item*hour", "hash.bits": "30"},
    {"crosses": "user*user*item"},
    {"crosses": "***"},
    {"crosses": "user**,item**", "hash.bits": "24"},
    {"crosses": "*****,user*_"},
    {"crosses": "_*_,user*item", "namespaces.ignore": "hour"},
    {"crosses": "***", "namespaces.ignore": "_,user"},
    {"crosses": "user*item", "namespaces.keep": "user,item"},
    {"namespaces.keep": "_,ort"},
    {"namespaces.ignore": "item"},
    {"crosses": "ort**,straße*ort", "hash.bits": "8"},
    {"crosses": "user*item*user*hour"},
]
NAMES = 3 * ["user^", "item^", "hour^"] + ["ort^Köln=", "straße^", "", "_^", "^", " ^", "a^b^"]


def main():
    numbers = Numbers(20261123)
    cases = []
    for settings in SETTINGS:
        for _ in range(6):
            names = {}
            while len(names) < 9:
                name = NAMES[numbers.below(len(NAMES))] + "x" * numbers.below(3) + str(numbers.below(40))
                names[name] = (numbers.below(33) - 16) / 4
            cases.append({"settings": settings, "named": names, "expected": named(names, settings)})
        indices = sorted({numbers.below(5000) for _ in range(7)})
        values = [(numbers.below(33) - 16) / 4 for _ in indices]
        features = [("_", index, index, value) for index, value in zip(indices, values)]
        cases.append({"settings": settings, "indices": indices, "values": values,
                      "expected": expected(features, settings)})
        features = [("_", index, index, value) for index, value in enumerate(values)]
        cases.append({"settings": settings, "dense": values, "expected": expected(features, settings)})
    lines = ",\n".join(json.dumps(case, ensure_ascii=False) for case in cases)
    (ROOT / "src/test/resources/reference/crosses.json").write_text("[\n" + lines + "\n]\n")


if __name__ == "__main__":
    main()
