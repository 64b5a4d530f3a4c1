"""What an estimator is given, as the frames in which the program takes it."""

import numbers
import warnings

import numpy as np
import scipy.sparse as sp
from sklearn.utils.validation import validate_data

from ._errors import KerfWarning
from ._frames import array_frame, text_frame


class Matrix:
    """Rows of numbers."""

    def __init__(self, x):
        self.x = x

    def __len__(self):
        return self.x.shape[0]

    def size(self):
        """Return about how many bytes a row has."""
        return 8 * self.x.shape[1]

    def part(self, lo, hi):
        """Return the head and the frames of some rows."""
        return {"form": "matrix"}, [array_frame("x", self.x[lo:hi])]


class Sparse:
    """Rows of numbers that are mostly zero."""

    def __init__(self, x):
        self.x = sp.csr_array(x)
        if not self.x.has_canonical_format:
            self.x = self.x.copy()
            self.x.sum_duplicates()

    def __len__(self):
        return self.x.shape[0]

    def size(self):
        return 16 * (self.x.nnz // max(1, len(self)) + 1)

    def part(self, lo, hi):
        x = self.x[lo:hi]
        return {"form": "sparse", "cols": x.shape[1]}, [
            array_frame("ptr", x.indptr),
            array_frame("index", x.indices),
            array_frame("value", x.data),
        ]


class Texts:
    """Rows that are texts."""

    def __init__(self, x):
        self.x = x

    def __len__(self):
        return len(self.x)

    def size(self):
        return 4 * sum(map(len, self.x)) // max(1, len(self.x)) + 1

    def part(self, lo, hi):
        return {"form": "texts"}, [text_frame("x", self.x[lo:hi])]


class Sets:
    """Rows that are sets of items."""

    def __init__(self, x):
        self.x = [sorted(map(str, items)) for items in x]

    def __len__(self):
        return len(self.x)

    def size(self):
        return 64 * sum(map(len, self.x)) // max(1, len(self.x)) + 1

    def part(self, lo, hi):
        some = self.x[lo:hi]
        ptr = np.concatenate([[0], np.cumsum([len(items) for items in some], dtype=np.int64)])
        return {"form": "sets"}, [array_frame("ptr", ptr), text_frame("x", [i for items in some for i in items])]


class Table:
    """Rows of a table: columns of numbers, NaN where one is missing, or of texts, None where one is."""

    def __init__(self, names, columns):
        self.names, self.columns = names, columns

    def __len__(self):
        return len(self.columns[0]) if self.columns else 0

    def size(self):
        return 24 * len(self.columns)

    def part(self, lo, hi):
        frames = []
        for k, column in enumerate(self.columns):
            cells = column[lo:hi]
            if isinstance(cells, list):
                frames.append(text_frame(f"c{k}", cells))
                continue
            missing = np.flatnonzero(np.isnan(cells))
            if missing.size:
                cells = np.where(np.isnan(cells), 0.0, cells)
                frames.append(array_frame(f"m{k}", missing))
            frames.append(array_frame(f"c{k}", cells))
        return {"form": "table", "names": self.names}, frames


def rows_of(estimator, x, reset):
    """Return what x is, checked by scikit-learn's rules where it is an array.

    With reset the estimator takes note of the columns; without, they must be those it has.
    """
    if sp.issparse(x):
        return Sparse(validate_data(estimator, x, accept_sparse="csr", dtype=np.float64, reset=reset))
    if _is_frame(x):
        columns = list(x.columns)
        if all(isinstance(c, str) for c in columns) or not _all_numbers(x):
            loaded = not reset and not hasattr(estimator, "feature_names_in_") and estimator.description_["columns"]
            if not loaded:  # whose columns the program finds by name, in any order
                validate_data(estimator, x, skip_check_array=True, reset=reset)
            return _table(x, columns)
    items = _items(x)
    if items is not None:
        return items
    return Matrix(validate_data(estimator, x, dtype="numeric", reset=reset))


def _is_frame(x):
    module = type(x).__module__.partition(".")[0]
    return module in ("pandas", "polars") and hasattr(x, "columns") and hasattr(x, "shape")


def _all_numbers(x):
    return all(np.issubdtype(t, np.number) for t in x.dtypes if isinstance(t, np.dtype)) and all(
        isinstance(t, np.dtype) for t in x.dtypes
    )


def _items(x):
    """Return x as texts or sets where it is a sequence of these, else None."""
    if type(x).__module__.partition(".")[0] in ("pandas", "polars") and hasattr(x, "to_list"):
        x = x.to_list()
    if isinstance(x, np.ndarray) and x.ndim == 1 and x.dtype.kind in "UOT":
        x = x.tolist()
    if not isinstance(x, (list, tuple)) or not x:
        return None
    if isinstance(x[0], str):
        for i, text in enumerate(x):
            if not isinstance(text, str):
                raise TypeError(f"X: row {i} is a {type(text).__name__}, and the first one is a text; give texts alone")
        return Texts(list(x))
    if isinstance(x[0], (set, frozenset)) or (
        isinstance(x[0], (list, tuple)) and len(x[0]) and all(isinstance(i, str) for i in x[0])
    ):
        for i, items in enumerate(x):
            if not isinstance(items, (set, frozenset, list, tuple)):
                raise TypeError(f"X: row {i} is a {type(items).__name__}, and the first one is a set; give sets alone")
        return Sets(x)
    return None


def _table(x, columns):
    names = [str(c) for c in columns]
    if len(set(names)) < len(names):
        twice = next(n for n in names if names.count(n) > 1)
        raise ValueError(f"X: two columns have the name {twice!r}; rename one")
    if x.shape[0] == 0:
        raise ValueError("Found array with 0 sample(s) while a minimum of 1 is required.")
    if not columns:
        raise ValueError(f"0 feature(s) (shape={tuple(x.shape)}) while a minimum of 1 is required.")
    polars = type(x).__module__.startswith("polars")
    take = _polars_column if polars else _pandas_column
    return Table(names, [take(x[c] if polars else x.iloc[:, j], names[j]) for j, c in enumerate(columns)])


def _numbers(values, name):
    values = np.asarray(values, dtype=np.float64)
    if np.isinf(values).any():
        raise ValueError(f"X: column {name!r} contains infinity; replace it, or leave out the row")
    return values


def _warn_codes(name, values):
    if len(values) and all(isinstance(v, numbers.Number) for v in values):
        warnings.warn(
            f"column {name!r} is a category of numbers, which is learnt as numbers; "
            "rename its categories to texts to have it learnt as categories",
            KerfWarning,
            stacklevel=6,
        )


def _pandas_column(s, name):
    import pandas as pd
    from pandas.api import types

    if isinstance(s.dtype, pd.CategoricalDtype):
        _warn_codes(name, list(s.cat.categories))
        if types.is_numeric_dtype(s.cat.categories.dtype) and not types.is_bool_dtype(s.cat.categories.dtype):
            return _numbers(s.astype(object).where(s.notna(), np.nan).to_numpy(dtype=np.float64), name)
        s = s.astype(object)
    if types.is_bool_dtype(s.dtype):
        return [None if v is pd.NA else str(bool(v)) for v in s]
    if types.is_numeric_dtype(s.dtype):
        return _numbers(s.to_numpy(dtype=np.float64, na_value=np.nan), name)
    if types.is_datetime64_any_dtype(s.dtype):
        return [None if pd.isna(v) else _day(v) for v in s]
    if types.is_timedelta64_dtype(s.dtype):
        return _numbers(s.dt.total_seconds().to_numpy(dtype=np.float64), name)
    return _cells([None if _is_missing(v) else v for v in s], name)


def _polars_column(s, name):
    import polars as pl

    if s.dtype == pl.Boolean:
        return [None if v is None else str(v) for v in s.to_list()]
    if s.dtype.is_numeric():
        return _numbers(s.cast(pl.Float64).fill_null(float("nan")).to_numpy(), name)
    if s.dtype in (pl.Date, pl.Datetime):
        return [None if v is None else _day(v) for v in s.to_list()]
    if isinstance(s.dtype, pl.Duration):
        return _numbers([np.nan if v is None else v.total_seconds() for v in s.to_list()], name)
    return _cells(s.to_list(), name)


def _is_missing(v):
    if v is None:
        return True
    if isinstance(v, str):
        return False
    try:
        return bool(v != v)
    except TypeError:  # pandas.NA has no truth
        return True


def _day(v):
    text = v.isoformat(sep=" ") if hasattr(v, "hour") else v.isoformat()
    return text[: -len(" 00:00:00")] if text.endswith(" 00:00:00") else text[:19]


def _cells(values, name):
    """Return a column of objects: numbers if all are, else texts."""
    present = [v for v in values if v is not None]
    if present and all(isinstance(v, numbers.Real) and not isinstance(v, (bool, np.bool_)) for v in present):
        return _numbers([np.nan if v is None else float(v) for v in values], name)
    for i, v in enumerate(values):
        if v is not None and not isinstance(v, (str, numbers.Real, np.bool_)):
            raise TypeError(
                f"X: row {i} of column {name!r} is a {type(v).__name__}; "
                "argument must be a string, a number or a truth value"
            )
    return [None if v is None else v if isinstance(v, str) else str(v) for v in values]
