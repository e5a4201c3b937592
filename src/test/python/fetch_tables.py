#!/usr/bin/env python3
"""Fetches tables of Debian 12 packages for docs/streams.md, and writes them as CSV.

    python3 src/test/python/fetch_tables.py DIR [NAME ...]

DIR/NAME/NAME.csv.gz has a header, the column "label" first, missing values as empty cells, and the rows in the order of the package. Two labels are
written as 1, the rarer one, and 0. Tables whose rows are sorted by the label are not among them. Needs apt-get, dpkg and Rscript (Debian's r-base-core); the packages are
unpacked in DIR/packages, not installed. A table that is there already is not made again.
"""
import collections
import csv
import gzip
import io
import pathlib
import re
import subprocess
import sys

PACKAGES = {
    "modeldata": "r-cran-modeldata=1.1.0-1",
    "AER": "r-cran-aer=1.2-10-1",
    "kernlab": "r-cran-kernlab=0.9-32-1",
    "mlbench": "r-cran-mlbench=2.1-3-1",
    "weka": "weka=3.6.14-3",
}

# name: package, object or file, label, columns to leave out
TABLES = {
    "attrition": ("modeldata", "attrition", "Attrition"),
    "cells": ("modeldata", "cells", "class", "case"),
    "check_times": ("modeldata", "check_times", "status"),
    "churn": ("modeldata", "mlc_churn", "churn"),
    "credit_data": ("modeldata", "credit_data", "Status"),
    "grants": ("modeldata", "grants_other", "class"),
    "hpc_data": ("modeldata", "hpc_data", "class"),
    "lending_club": ("modeldata", "lending_club", "Class"),
    "stackoverflow": ("modeldata", "stackoverflow", "Remote"),
    "wa_churn": ("modeldata", "wa_churn", "churn"),
    "credit_card": ("AER", "CreditCard", "card"),
    "doctor_visits": ("AER", "DoctorVisits", "private"),
    "fertility": ("AER", "Fertility2", "morekids"),
    "gss": ("AER", "GSS7402", "immigrant"),
    "healthins": ("AER", "HealthInsurance", "insurance"),
    "hmda": ("AER", "HMDA", "deny"),
    "nmes": ("AER", "NMES1988", "insurance"),
    "part_time": ("AER", "CPS1988", "parttime"),
    "psid": ("AER", "PSID7682", "union"),
    "resume": ("AER", "ResumeNames", "call", "name"),
    "smoke_ban": ("AER", "SmokeBan", "smoker"),
    "income": ("kernlab", "income", "INCOME"),
    "ticdata": ("kernlab", "ticdata", "CARAVAN"),
    "dna": ("mlbench", "DNA", "Class"),
    "pima": ("mlbench", "PimaIndiansDiabetes", "diabetes"),
    "satellite": ("mlbench", "Satellite", "classes"),
    "shuttle": ("mlbench", "Shuttle", "Class"),
    "vehicle": ("mlbench", "Vehicle", "Class"),
    "vowel": ("mlbench", "Vowel", "Class"),
    "credit-g": ("weka", "credit-g.arff", "class"),
    "segment": ("weka", "segment-challenge.arff", "class"),
    # these two columns have their first value after thousands of rows
    "supermarket": ("weka", "supermarket.arff", "total", "department6", "veal"),
}

# %s: folder of the data, object; prints it as CSV
DUMP = """
folder <- "%s"; name <- "%s"; data <- new.env()
if (file.exists(file.path(folder, "Rdata.rdx"))) invisible(lazyLoad(file.path(folder, "Rdata"), envir = data)) else
  for (file in list.files(folder, "[.]rda$", full.names = TRUE)) load(file, envir = data)
write.csv(as.data.frame(get(name, data)), stdout(), row.names = FALSE, na = "")
"""


def unpacked(directory, package):
    """Returns the folder of a package's files."""
    folder = directory / "packages" / package
    if not folder.exists():
        (directory / "packages").mkdir(parents=True, exist_ok=True)
        name = PACKAGES[package].split("=")[0]
        subprocess.run(["apt-get", "download", "-qq", PACKAGES[package]], cwd=directory / "packages", check=True)
        file = next((directory / "packages").glob(f"{name}_*.deb"))
        subprocess.run(["dpkg", "-x", file, folder], check=True)
    return folder


def frame(folder, package, name):
    data = next(folder.glob(f"usr/lib/R/*library/{package}/data"))
    text = subprocess.run(["Rscript", "-e", DUMP % (data, name)], capture_output=True, text=True, check=True).stdout
    rows = list(csv.reader(io.StringIO(text)))
    return rows[0], rows[1:]


def arff(file):
    """Header and rows of a file with commas between the cells; a cell of ? is missing."""
    head, _, data = file.read_text("latin-1").partition("@data\n")
    found = re.findall(r"^@attribute\s+(?:'([^']*)'|(\S+))", head, re.MULTILINE | re.IGNORECASE)
    names = [quoted or plain for quoted, plain in found]
    lines = (line for line in data.splitlines() if line and not line.startswith("%"))
    return names, [["" if cell == "?" else cell for cell in row] for row in csv.reader(lines, quotechar="'")]


def table(directory, package, name, label, *ignored):
    folder = unpacked(directory, package)
    if name.endswith(".arff"):
        header, rows = arff(folder / "usr/share/doc/weka/examples" / name)
    else:
        header, rows = frame(folder, package, name)
    place = header.index(label)
    kept = [k for k, column in enumerate(header) if k != place and column not in ignored]
    rows = [row for row in rows if row[place] != ""]
    counts = collections.Counter(row[place] for row in rows)
    names = {each: each for each in counts}
    if len(counts) == 2:
        rare = min(counts, key=lambda each: (counts[each], each))
        names = {each: str(int(each == rare)) for each in counts}
    return [["label"] + [header[k] for k in kept]] + [[names[row[place]]] + [row[k] for k in kept] for row in rows]


def path(directory, name):
    return pathlib.Path(directory) / name / f"{name}.csv.gz"


def fetch(directory, names):
    for name in names:
        target = path(directory, name)
        if target.exists():
            continue
        text = io.StringIO()
        csv.writer(text, lineterminator="\n").writerows(table(pathlib.Path(directory), *TABLES[name]))
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(gzip.compress(text.getvalue().encode("utf-8"), mtime=0))


def main(arguments):
    if not arguments or arguments[0].startswith("-"):
        sys.exit(__doc__)
    unknown = set(arguments[1:]) - set(TABLES)
    if unknown:
        sys.exit(f"table must be one of {', '.join(TABLES)}, got {', '.join(sorted(unknown))}")
    fetch(arguments[0], arguments[1:] or TABLES)


if __name__ == "__main__":
    main(sys.argv[1:])
