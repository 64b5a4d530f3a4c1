"""Kernels that are Python functions: similarities to landmarks, and what is linear after them."""

import numpy as np
import scipy.sparse as sp
from sklearn.utils.validation import validate_data

DIM = 500  # landmarks where nobody chose a number, as of kerf
RANK = 1e-10  # eigenvalues below this part of the largest count as 0
WRONG = 1e-6  # and below minus this part they say that the function is no kernel
BLOCK = 4096  # rows whose similarities are computed at a time


def objects_of(estimator, x, reset):
    """Return rows as the function takes them: an array where they are numbers, else a list."""
    if sp.issparse(x):
        return validate_data(estimator, x, accept_sparse="csr", reset=reset)
    if isinstance(x, (list, tuple)) and len(x) and not _is_number_row(x[0]):
        return list(x)
    if isinstance(x, np.ndarray) and x.ndim == 1 and x.dtype.kind in "UOT":
        return x.tolist()
    return validate_data(estimator, x, dtype="numeric", reset=reset)


def _is_number_row(row):
    try:
        return np.asarray(row).dtype.kind in "fiub"
    except ValueError:
        return False


def length(x):
    """Return the number of rows."""
    return x.shape[0] if hasattr(x, "shape") else len(x)


def pick(x, index):
    """Return some of the rows."""
    return x[index] if hasattr(x, "shape") else [x[i] for i in index]


class Landmarks:
    """The mappings F1, F2 and F3 of a function K(X, Y), which returns a row for each of X.

    F1 is K(x, landmarks). F2 is K(x, landmarks) U D^(-1/2) with K(landmarks, landmarks) =
    U D U', the orthogonal projection onto the landmarks' span. F3 is F2 times a random
    matrix.
    """

    def __init__(self, kernel, landmarks, after):
        self.kernel, self.landmarks, self.after = kernel, landmarks, after

    @classmethod
    def fit(cls, kernel, x, kind, dim, seed):
        kind = kind or "f2"
        if kind not in ("f1", "f2", "f3"):
            raise ValueError(f"map is {kind!r} and must be f1, f2 or f3 where the kernel is a function")
        n, rng = length(x), np.random.default_rng(seed)
        if n == 0:
            raise ValueError("Found array with 0 sample(s) while a minimum of 1 is required.")
        m = min(n, (dim or DIM) if kind != "f3" else 4 * (dim or DIM))
        if m < 1:
            raise ValueError(f"dim is {dim} and must be at least 1")
        index = np.sort(rng.choice(n, size=m, replace=False))
        out = cls(kernel, pick(x, index), None)
        if kind != "f1":
            out.after = _whitening(out._similarities(out.landmarks))
        if kind == "f3":
            width = dim or DIM
            out.after = out.after @ rng.standard_normal((out.after.shape[1], width)) / np.sqrt(width)
        return out

    def _similarities(self, x):
        k = np.asarray(self.kernel(x, self.landmarks), dtype=np.float64)
        want = (length(x), length(self.landmarks))
        if k.shape != want:
            raise ValueError(f"the kernel returned an array of shape {k.shape} for {want[0]} and {want[1]} rows")
        if not np.isfinite(k).all():
            raise ValueError("the kernel returned NaN or infinity")
        return k

    def transform(self, x):
        n = length(x)
        parts = []
        for lo in range(0, n, BLOCK):
            k = self._similarities(x[lo : lo + BLOCK])
            parts.append(k if self.after is None else k @ self.after)
        return np.concatenate(parts) if parts else np.empty((0, length(self.landmarks)))


def _whitening(k):
    if not np.allclose(k, k.T, rtol=1e-6, atol=1e-9 * np.abs(k).max()):
        raise ValueError("the kernel is not symmetric; map='f1' takes any similarity")
    d, u = np.linalg.eigh((k + k.T) / 2)
    if d[-1] <= 0:
        raise ValueError("the kernel is 0 on all landmarks; give another one")
    if d[0] < -WRONG * d[-1]:
        raise ValueError(
            f"the function is no kernel: an eigenvalue of its values on landmarks is {d[0]:.3g}, "
            f"and the largest is {d[-1]:.3g}; map='f1' takes any similarity"
        )
    kept = d > RANK * d[-1]
    return u[:, kept] / np.sqrt(d[kept])
