"""Rows of a table, or of a list, as examples in JSON."""
import datetime
import json
import math
import numbers


class InvalidExample(ValueError):
    """A row, label, id or weight that the engine would refuse; nothing of its call was sent."""


def encoded(event):
    return json.dumps(event, ensure_ascii=False, allow_nan=False).encode("utf-8")


def rows_of(table):
    """Yields the features of each row as examples in JSON have them.

    table: a pandas DataFrame (names of columns are names of features), a SciPy sparse matrix, a two-dimensional NumPy array,
        or an iterable of dicts by name, of dicts {"indices": [...], "values": [...]}, {"tokens": [...]} or
        {"candidates": [...]} (docs/clients.md), or of lists of numbers
    """
    if hasattr(table, "itertuples") and hasattr(table, "columns"):
        names = [str(name) for name in table.columns]
        if len(set(names)) < len(names):
            raise InvalidExample(f"columns must have different names, got {names}")
        rows = (dict(zip(names, row)) for row in table.itertuples(index=False, name=None))
    elif hasattr(table, "tocsr"):
        rows = _sparse(table.tocsr())
    elif isinstance(table, (str, bytes, dict)) or not hasattr(table, "__iter__"):
        raise InvalidExample(f"rows must be a table or a list with an entry for each example, got {type(table).__name__}")
    else:
        rows = table
    for number, row in enumerate(rows):
        yield _features(row, number)


def _sparse(matrix):
    matrix = matrix.copy()
    matrix.sum_duplicates()
    for row in range(matrix.shape[0]):
        part = slice(matrix.indptr[row], matrix.indptr[row + 1])
        yield {"indices": matrix.indices[part].tolist(), "values": matrix.data[part].tolist()}


def _features(row, number):
    if isinstance(row, dict) and isinstance(row.get("indices"), (list, tuple)):
        values = [_number(value, f"row {number}") for value in row["values"]]
        return {"indices": [int(index) for index in row["indices"]], "values": values}
    if isinstance(row, dict) and len(row) == 1 and isinstance(row.get("tokens", row.get("candidates")), list):
        return row
    if isinstance(row, dict):
        features = {str(name): _feature(value, f"row {number}, {name}") for name, value in row.items()}
        return {name: value for name, value in features.items() if value is not None}
    if isinstance(row, (str, bytes)) or not hasattr(row, "__iter__"):
        raise InvalidExample(f"row {number} must be a dict or a list of numbers, got {row!r}")
    return [_number(value, f"row {number}, feature {index}") for index, value in enumerate(row)]


def is_missing(value):
    """None, NaN, pandas' NA and NaT."""
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(value, numbers.Real) and math.isnan(value)


def plain(value):
    """A scalar of NumPy as one of Python."""
    return value.item() if type(value).__module__ == "numpy" and hasattr(value, "item") else value


def _feature(value, where):
    value = plain(value)
    if is_missing(value):
        return None
    if isinstance(value, (bool, str)):
        return value
    return _number(value, where)


def _number(value, where):
    value = plain(value)
    is_number = isinstance(value, numbers.Real) or type(value).__name__ == "Decimal"
    if not is_number:
        hint = ", such as .hour or .dayofweek of it" if isinstance(value, datetime.date) else ""
        raise InvalidExample(
            f"{where} must be a number, a text or a boolean, got {value!r} (leave it out, or turn it into one{hint})"
        )
    if isinstance(value, bool):
        return int(value)
    if not isinstance(value, int):
        value = float(value)
    if not math.isfinite(value):
        raise InvalidExample(f"{where} must be finite, got {value} (rows by name may leave missing values out)")
    return value


def label_of(value, where="label"):
    """A label as JSON has it, None if it is missing; 1.0 is 1, because pandas turns ints beside missing ones to floats."""
    value = plain(value)
    if isinstance(value, (list, tuple)):
        return [str(tag) for tag in value]
    if is_missing(value):
        return None
    if isinstance(value, float):
        if not value.is_integer():
            raise InvalidExample(f"{where} must be a whole number, a name or a boolean, got {value} (models classify)")
        return int(value)
    if isinstance(value, (bool, int, str)):
        return value
    raise InvalidExample(f"{where} must be a whole number, a name, a boolean or a list of tags, got {value!r}")
