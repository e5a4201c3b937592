#!/usr/bin/env python3
"""Makes the table "Real data" of src/bench/notebook.md again: python3 src/test/python/real_data.py data [NAME ...]

Runs ./perceptron fit for each row of the table (of the data sets NAME, by default all), with the settings of its first cell,
and prints it. The columns majority and same come from the labels alone: the share of examples on which the most frequent label so
far, or the last one, would have been wrong.
"""
import gzip
import json
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[3]
HEAD = "| settings | updates | online: last | averaged, or voted by kernels |"


def labels(file):
    with gzip.open(file, "rt") as lines:
        return [line.split()[0] for line in lines if line.strip()]


def baselines(file):
    """A tie is won by the smaller label of -1 and +1, else by the label that was seen first."""
    counts, majority, same, last = {}, 0, 0, None
    truth = labels(file)
    if set(truth) <= {"-1", "+1"}:
        counts = {"-1": 0, "+1": 0}
    for k, label in enumerate(truth):
        best = max(counts, key=counts.get) if k else None
        majority += best != label
        same += last != label
        counts[label] = counts.get(label, 0) + 1
        last = label
    return majority / len(truth), same / len(truth)


def fit(data, settings, folder):
    command = [str(ROOT / "perceptron"), "fit", str(data / f"{data.name}.train.libsvm.gz"), "--epochs", "1", "--json"]
    test = data / f"{data.name}.test.libsvm.gz"
    command += ["--test", str(test)] if test.exists() else []
    command += ["--output", str(pathlib.Path(folder) / "w")]
    for setting in settings:
        command += ["--set", setting]
    out = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    objects = [json.loads(line) for line in out.splitlines()]
    result = next(each for each in objects if "theory" in each)
    return objects[0], result


def percent(share):
    return f"{100 * share:.2f} %"


def row(data, settings):
    is_kernel = any(setting.startswith("kernel") for setting in settings)
    has_average = not any(setting == "algorithm=arow" for setting in settings)
    with tempfile.TemporaryDirectory() as folder:
        one, result = fit(data, settings, folder)
        other = None
        if has_average:
            predict = "predict=voted" if is_kernel else "predict=averaged"
            other, _ = fit(data, settings + [predict], folder)
    tests = {name: count / result["testExamples"] for name, count in result.get("testErrors", {}).items()}
    majority, same = baselines(data / f"{data.name}.train.libsvm.gz")
    cells = [" ".join(f"`{setting}`" for setting in settings) or "defaults", f"{one['updates']:,}"]
    cells += [percent(one["errors"] / one["examples"])]
    cells += [percent(other["errors"] / other["examples"]) if other else "-"]
    cells += [percent(majority), percent(same)]
    cells += [percent(tests[name]) if name in tests else "-" for name in ("last", "averaged", "voted")]
    return "| " + " | ".join(cells) + " |"


def main():
    folder, wanted = pathlib.Path(sys.argv[1]), sys.argv[2:]
    lines = (ROOT / "src/bench/notebook.md").read_text().splitlines()
    at = next(k for k, line in enumerate(lines) if line.startswith(HEAD))
    name = None
    for line in lines[at : lines.index("", at)]:
        heading = re.match(r"\| \*\*`([a-z0-9-]+)`\*\*", line)
        name = heading.group(1) if heading else name
        if name is None or heading and (not wanted or name in wanted):
            print(line)
        elif not wanted or name in wanted:
            first = line.split(" | ")[0]
            print(row(folder / name, re.findall(r"`([^`]+)`", first)), flush=True)


main()
