"""Rows of a table, or of a list, as examples in JSON."""
import datetime
import json
import math
import numbers
import re
import uuid

# of event times: the engine's bounds (docs/topics.md)
FIRST_SECONDS, END_SECONDS = 1_000_000_000, 10_000_000_000
END_OF_TIMES = 7_258_118_400_000
ISO_8601 = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d([.,]\d{1,9})?)?(Z|[+-]\d\d:\d\d)")
INFINITE = {"inf", "infinity", "\u221e"}
END_OF_INDICES = 2**31
# from here on a float has no longer all whole numbers
END_OF_WHOLE = 2.0**53


_ENCODE = json.JSONEncoder(ensure_ascii=False, allow_nan=False).encode
_LABELS = {bool, int, str}
_FLOATS, _NUMBERS = {float}, {float, int}
# far below the limits of a float
_LARGE = 1e300


class InvalidExample(ValueError):
    """A row, label, id or weight that the engine would refuse; nothing of its call was sent."""


def encoded(event):
    return _ENCODE(event).encode("utf-8")


def encoded_row(number, *fields):
    """As encoded_example(), of a row that may have what JSON cannot hold: a set, half a surrogate pair."""
    try:
        return encoded_example(*fields)
    except (TypeError, ValueError) as error:
        raise InvalidExample(f"row {number} must have values that JSON can hold: {error}") from error


def encoded_example(example_id, label, features, weight, timestamp):
    """As encoded() of the fields, those of a checked row, in less than half of the time if the features are a list of numbers."""
    # Python writes a list of floats and ints as JSON does, which has to ask each of them for its type
    values = repr(features) if type(features) is list else _ENCODE(features)
    text = f'{{"id": {_ENCODE(example_id)}, "label": {"null" if label is None else _ENCODE(label)}, "features": {values}, "weight": {weight!r}'
    return (text + ("}" if timestamp is None else f', "timestamp": {_ENCODE(timestamp)}}}')).encode("utf-8")


def rows_of(table, without=()):
    """Returns the features of each row, a list, as examples in JSON have them.

    table: a pandas DataFrame (names of columns are names of features; columns of the type category are categories, also of
        numbers), a Polars DataFrame, a SciPy sparse matrix, a two-dimensional NumPy array, or an iterable of dicts by name, of
        dicts {"indices": [...], "values": [...]}, {"tokens": [...]} or {"candidates": [...]} (docs/clients.md), or of lists
        of numbers
    without: names of columns of a frame that are no features
    """
    rows = [_features(row, number) for number, row in enumerate(_rows(table, without))]
    count = table.shape[0] if hasattr(table, "shape") else len(table) if hasattr(table, "__len__") else len(rows)
    if count != len(rows):
        raise InvalidExample(
            f"rows must be read one by one, got {len(rows)} from a {type(table).__name__} of {count} (as a pandas frame or a"
            " list of dicts they can be)"
        )
    return rows


def _rows(table, without):
    if hasattr(table, "tocsr"):
        # before the dicts: SciPy's matrix of keys is one
        return _sparse(table.tocsr())
    if isinstance(table, (str, bytes, dict, set, frozenset)) or not hasattr(table, "__iter__"):
        raise InvalidExample(f"rows must be a table or a list with an entry for each example, got {type(table).__name__}")
    if hasattr(table, "columns"):
        return _rows_of_frame(table, without)
    if hasattr(table, "getA"):
        # numpy.matrix: each of its rows is a matrix again
        table = table.getA()
    if getattr(getattr(table, "dtype", None), "names", None):
        return (dict(zip(table.dtype.names, row)) for row in table.tolist())
    if type(table).__name__ == "ndarray" and table.ndim == 2 and table.dtype.kind in "fiu" and table.dtype.itemsize <= 8:
        # all numbers at once instead of an object of NumPy for each
        return table.tolist()
    if getattr(table, "ndim", 2) != 2 and getattr(table, "dtype", None) != object:
        raise InvalidExample(f"an array of rows must have two dimensions, got the shape {table.shape} (reshape it)")
    return table


def _a(noun):
    return ("an " if noun[0] in "aeiou" else "a ") + noun


def _rows_of_frame(table, without):
    is_pandas = hasattr(table, "itertuples")
    if not is_pandas and not hasattr(table, "iter_rows"):
        raise InvalidExample(
            f"rows must be a table that is read by rows, got a {type(table).__name__} (turn it into a pandas frame, as by"
            " .to_pandas(), or into a list of dicts)"
        )
    names = [str(name) for name in table.columns]
    if len(set(names)) < len(names):
        raise InvalidExample(f"columns must have different names, got {names}")
    categories = {name for name, kind in zip(names, getattr(table, "dtypes", ())) if is_pandas and str(kind) == "category"}
    rows = table.itertuples(index=False, name=None) if is_pandas else table.iter_rows()
    left = [(k, name, name in categories) for k, name in enumerate(names) if name not in without]
    return ({name: _category(row[k]) if is_category else row[k] for k, name, is_category in left} for row in rows)


def _category(value):
    """A category of numbers is a word: 3 is not between 2 and 4."""
    value = plain(value)
    if is_missing(value) or isinstance(value, (bool, str)):
        return value
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def is_name(table, values):
    """Whether values are the name of a column: a text, or a number or tuple that is one of a frame's."""
    return isinstance(values, str) or (
        isinstance(values, (int, tuple)) and hasattr(table, "columns") and values in list(table.columns)
    )


def column(table, values, what, count=None):
    """Returns the values as a list, None if there are none, and the name of the column of the frame that they are, or None.

    values: None, a list or another iterable in order, a frame of one column, or the name of a column of `table`
    count: number of values that there must be
    """
    name = values if is_name(table, values) else None
    if name is not None:
        if not hasattr(table, "columns") or name not in list(table.columns):
            raise InvalidExample(f"rows must be a frame with the column {name!r}")
        values = table[name]
    if values is None:
        return None, None
    if isinstance(values, (dict, set, frozenset)) or not hasattr(values, "__iter__"):
        raise InvalidExample(f"{what} must be a list with an entry for each row, got {_a(type(values).__name__)}")
    if hasattr(values, "tocsr"):
        raise InvalidExample(f"{what} must be a list with an entry for each row, got a sparse matrix (.toarray() of it)")
    shape = getattr(values, "shape", ())
    if len(shape) > 1:
        if len(shape) > 2 or shape[1] != 1:
            raise InvalidExample(
                f"{what} must be one for each row, got the shape {tuple(shape)}"
                + (" (of one-hot labels: labels.argmax(axis=1))" if what == "labels" else "")
            )
        values = values[list(values.columns)[0]] if hasattr(values, "columns") else values.reshape(-1)
        values = values.getA1() if hasattr(values, "getA1") else values
    rows, given = (getattr(each, "index", None) for each in (table, values))
    if hasattr(rows, "equals") and hasattr(given, "equals") and not rows.equals(given) and set(rows) == set(given):
        # pandas would go by the index, and this by the order: each of them is wrong for some users
        raise InvalidExample(f"{what} must be in the order of the rows, got their index in another one ({what}.reindex(rows.index))")
    values = list(values)
    if count is not None and len(values) != count:
        raise InvalidExample(f"{what} must be as many as rows, got {len(values)} for {count} rows")
    return values, name


def _sparse(matrix):
    matrix = matrix.copy()
    matrix.sum_duplicates()
    for row in range(matrix.shape[0]):
        part = slice(matrix.indptr[row], matrix.indptr[row + 1])
        yield {"indices": matrix.indices[part].tolist(), "values": matrix.data[part].tolist()}


def _is_plain(row):
    """Whether a list has only finite floats and ints, none of them large: few operations for the most usual row."""
    kinds = set(map(type, row))
    if kinds != _FLOATS and (not kinds or not kinds <= _NUMBERS or not -_LARGE < min(row) or not max(row) < _LARGE):
        return False
    return math.isfinite(sum(row))


def _features(row, number):
    if type(row) is list and _is_plain(row):
        return row
    row = _named(row, number)
    if isinstance(row, dict) and set(row) == {"indices", "values"} and all(map(_is_list, row.values())):
        return _of_indices(row, number)
    if isinstance(row, dict) and len(row) == 1 and isinstance(row.get("tokens", row.get("candidates")), list):
        return row
    if isinstance(row, dict):
        features = {str(name): _feature(value, f"row {number}, {name}") for name, value in row.items()}
        if len(features) < len(row):
            raise InvalidExample(f"row {number} must have different names, got {list(row)}")
        return {name: value for name, value in features.items() if value is not None}
    if isinstance(row, (str, bytes, bytearray, set, frozenset)) or not hasattr(row, "__iter__"):
        raise InvalidExample(f"row {number} must be a dict or a list of numbers, got {row!r}")
    return [_number(value, f"row {number}, feature {index}", "a number") for index, value in enumerate(row)]


def _named(row, number):
    """As a dict if the row has names: otherwise they would be left out, and its values learned by their places."""
    if isinstance(row, dict):
        return row
    fields = getattr(row, "_fields", None)
    if isinstance(row, tuple) and fields:
        if type(row).__name__ == "Pandas" and fields[0] == "Index":
            raise InvalidExample(f"row {number} must have no index of pandas (the frame itself, or itertuples(index=False))")
        return row._asdict()
    if not hasattr(row, "keys"):
        return row
    named = {name: row[name] for name in row.keys()}
    if hasattr(row, "__len__") and len(named) < len(row):
        raise InvalidExample(f"row {number} must have different names, got {list(row.keys())}")
    return named


def _is_list(values):
    return hasattr(values, "__iter__") and not isinstance(values, (str, bytes, dict, set, frozenset))


def _of_indices(row, number):
    values = [_number(value, f"row {number}", "a number") for value in row["values"]]
    indices = [plain(index) for index in row["indices"]]
    if not all(isinstance(index, int) and not isinstance(index, bool) for index in indices):
        raise InvalidExample(f"row {number}, indices must be whole numbers, got {indices}")
    if len(indices) != len(values):
        raise InvalidExample(f"row {number} must have as many values as indices, got {len(values)} and {len(indices)}")
    if any(before >= index for before, index in zip([-1] + indices, indices + [END_OF_INDICES])):
        raise InvalidExample(f"row {number}, indices must ascend, from 0 to {END_OF_INDICES - 1}, got {indices}")
    return {"indices": indices, "values": values}


def is_missing(value):
    """None, NaN, NaT, pandas' NA, and what a masked array of NumPy hides."""
    if value is None or type(value).__name__ in ("NAType", "NaTType", "MaskedConstant"):
        return True
    if _is_numpy_time(value):
        return str(value) == "NaT"
    if type(value).__name__ == "Decimal":
        return value.is_nan()
    return isinstance(value, numbers.Real) and math.isnan(value)


def plain(value):
    """A scalar of NumPy as one of Python; its times stay, of which item() would make nanoseconds."""
    is_scalar = type(value).__module__ == "numpy" and getattr(value, "ndim", 1) == 0
    return value.item() if is_scalar and not _is_numpy_time(value) else value


def _is_numpy_time(value):
    return getattr(getattr(value, "dtype", None), "kind", "") in ("m", "M") and getattr(value, "ndim", 1) == 0


def _feature(value, where):
    value = plain(value)
    if is_missing(value):
        return None
    if isinstance(value, str):
        if value != "INF" and value[value[:1] in ("-", "+") :].lower() in INFINITE:
            raise InvalidExample(f"{where} must be finite, got {value!r}, the text of an infinite number (leave it out)")
        return value
    if isinstance(value, bool):
        return value
    return _number(value, where)


def _hint(value, rule):
    if rule == "a number" and (isinstance(value, str) or is_missing(value)):
        return "; rows by name may have texts and missing values"
    kind = getattr(getattr(value, "dtype", None), "kind", "")
    if isinstance(value, datetime.timedelta) or kind == "m":
        return ", such as seconds: .total_seconds() of it in pandas"
    if isinstance(value, (datetime.date, datetime.time)) or kind == "M":
        return ", such as .hour or .dayofweek of it in pandas"
    return ""


def _number(value, where, rule="a number, a text or a boolean"):
    value = plain(value)
    is_number = isinstance(value, numbers.Real) or type(value).__name__ == "Decimal"
    # NumPy's lengths of time are integers to Python
    if not is_number or _is_numpy_time(value):
        hint = _hint(value, rule)
        raise InvalidExample(
            f"{where} must be {rule}, got {value!r} (leave it out, or turn it into one{hint})"
        )
    if not isinstance(value, int):
        value = float(value)
    elif abs(value) >= 2**1023:
        value = math.inf
    else:
        # also of a boolean, or of a member of an enumeration
        value = int(value)
    if not math.isfinite(value):
        raise InvalidExample(f"{where} must be finite, got {value} (rows by name may leave missing values out)")
    return value


def label_of(value, where="label"):
    """A label as JSON has it, None if it is missing; 1.0 is 1, because pandas turns ints beside missing ones to floats."""
    if type(value) in _LABELS and value != "":
        return value
    value = plain(value)
    if isinstance(value, str) and value == "":
        raise InvalidExample(f"{where} must have at least one sign, got '' (None, where the row is only to be predicted)")
    if getattr(value, "ndim", 0) == 1 and hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, (list, tuple)):
        return [tag if isinstance(tag, str) else str(plain(tag)) for tag in value]
    if is_missing(value):
        return None
    if isinstance(value, float):
        if not value.is_integer():
            raise InvalidExample(f"{where} must be a whole number, a name or a boolean, got {value} (models classify)")
        return int(value)
    if isinstance(value, (bool, int, str)):
        return value
    raise InvalidExample(f"{where} must be a whole number, a name, a boolean or a list of tags, got {value!r}")


def label_of_row(value, features, where):
    """As label_of; tags only for a row of tokens: other lists are one-hot labels, or several labels."""
    label = label_of(value, where)
    if isinstance(label, list) and not (isinstance(features, dict) and "tokens" in features):
        raise InvalidExample(
            f"{where} must be one label, got {value!r} for a row without tokens (of one-hot labels take the name, or the index of the 1)"
        )
    return label


def id_of(value, where="id"):
    """An id as a text; 17.0 is 17, because pandas turns ints beside missing ones to floats."""
    value = plain(value)
    if is_missing(value):
        raise InvalidExample(f"{where} must be known, got {value} (without ids, ids are made up)")
    if isinstance(value, float) and value.is_integer():
        if abs(value) >= END_OF_WHOLE:
            raise InvalidExample(f"{where} must have all its digits, got the float {value!r} (read the column as text)")
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, (str, int, uuid.UUID)) or value == "":
        raise InvalidExample(f"{where} must be a text or a whole number, got {value!r} (str() makes a text of it)")
    return str(value)


def ids_of(values, what):
    """As id_of() of each; two that are different, such as 1 and "1", must not become one."""
    found = {}
    for n, value in enumerate(values):
        text = id_of(value, f"{what} of row {n}")
        if plain(found.setdefault(text, value)) != plain(value):
            raise InvalidExample(f"{what} of row {n} must be another text, got {value!r} after {found[text]!r} (both are {text!r})")
        yield text


def weight_of(value, where="weight"):
    """A weight as a float."""
    value = plain(value)
    if is_missing(value):
        raise InvalidExample(f"{where} must be known, got {value} (1 is the weight without one)")
    if isinstance(value, bool) or not (isinstance(value, numbers.Real) or type(value).__name__ == "Decimal"):
        raise InvalidExample(f"{where} must be a number, got {value!r}")
    if not 0 < float(value) < math.inf:
        raise InvalidExample(f"{where} must be a positive finite number, got {value} (leave out rows that do not count)")
    return float(value)


def _is_iso_8601(text):
    found = ISO_8601.fullmatch(text)
    try:
        return bool(found) and datetime.datetime.fromisoformat(text[:19] if found[1] else text[:16]) and _is_offset(found[3])
    except ValueError:
        return False


def _is_offset(text):
    # the largest one of Java
    return text == "Z" or text[1:] <= "18:00" and text[4:] < "60"


def timestamp_of(value, where="timestamp"):
    """An event time in ms since 1970, or as the text that it is."""
    value = plain(value)
    if is_missing(value):
        raise InvalidExample(f"{where} must be known, got {value} (without timestamps, the time is now)")
    if isinstance(value, str):
        if not _is_iso_8601(value):
            raise InvalidExample(f"{where} must be as 2026-01-31T12:00:00Z, with a zone, got {value!r} (pandas.to_datetime reads others)")
        return value
    if _is_numpy_time(value) or (isinstance(value, datetime.datetime) and value.tzinfo is None):
        raise InvalidExample(
            f"{where} must have a zone, got {value!r} (if it is in UTC: pandas.to_datetime(values).tz_localize('UTC') of a list or"
            " array, .dt.tz_localize('UTC') of a column)"
        )
    if isinstance(value, datetime.datetime):
        since = value - datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc)
        value = (since.days * 86_400 + since.seconds) * 1000 + since.microseconds // 1000
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int):
        raise InvalidExample(f"{where} must be in ms since 1970, ISO 8601 with a zone, or a time of pandas or Python, got {value!r}")
    if FIRST_SECONDS <= value < END_SECONDS:
        raise InvalidExample(f"{where} must be in ms since 1970, got {value}, a time of 1970 (in seconds? then multiply it by 1000)")
    if not 0 <= value < END_OF_TIMES:
        hint = " (in micro- or nanoseconds? then divide it by 1000 or 1000000)" if value > 0 else ""
        raise InvalidExample(f"{where} must be in ms since 1970 and before the year 2200, got {value}{hint}")
    return value
