"""Data that are made for measurements, from fixed seeds, and how they are written
for all sides to read."""
import os

import numpy as np
import scipy.sparse as sp


def clusters(rows, wrong=0.04):
    """Two classes of ten normal clusters each in 20 dimensions, of which a part
    of the labels is wrong, and as many rows to test on."""
    rng = np.random.default_rng(20260101)
    centre = 0.9 * rng.normal(size=(20, 20))
    of = rng.integers(0, 20, 2 * rows)
    x = centre[of] + rng.normal(size=(2 * rows, 20))
    y = np.where((of < 10) == (rng.random(2 * rows) >= wrong), 1.0, -1.0)
    x = (x - x[:rows].mean(0)) / x[:rows].std(0)
    return {"x": x[:rows], "y": y[:rows], "xt": x[rows:], "yt": y[rows:]}


def dense(rows):
    """Unit rows of 1,000 coordinates of falling size, two labels in 25 wrong."""
    rng = np.random.default_rng(20260102)
    size = (np.arange(1, 1001) ** -0.25).astype(np.float32)
    w = rng.normal(size=1000).astype(np.float32)
    x = np.empty((rows, 1000), np.float32)
    for i in range(0, rows, 10000):
        part = x[i : i + 10000]
        rng.standard_normal(out=part, dtype=np.float32)
        part *= size
        part /= np.linalg.norm(part, axis=1, keepdims=True)
    return {"x": x, "y": noisy(rng, x @ w, 0.08)}


def sparse(rows):
    """Unit rows of up to 50 of 50,000 coordinates, as the words of texts: their
    frequencies fall as 1/rank. A label in 25 is wrong."""
    rng = np.random.default_rng(20260103)
    cols, words = 50000, 50
    part = 1.0 / np.arange(10, cols + 10)
    part /= part.sum()
    col = np.searchsorted(np.cumsum(part), rng.random((rows, words))).clip(0, cols - 1)
    value = np.log1p(5 * rng.random((rows, words))) * np.log1p(cols / (1 + cols * part[col]) / 50)
    x = sp.csr_matrix((value.ravel(), (np.repeat(np.arange(rows), words), col.ravel())), shape=(rows, cols))
    x.sum_duplicates()
    x = sp.diags(1 / np.sqrt(np.asarray(x.multiply(x).sum(1)).ravel())) @ x
    x.sort_indices()
    return {"x": sp.csr_matrix(x, dtype=np.float32), "y": noisy(rng, x @ rng.standard_t(3, size=cols), 0.04)}


def noisy(rng, score, wrong):
    """Returns the signs of the scores, a part of them wrong."""
    return np.where((score > 0) == (rng.random(len(score)) >= wrong), 1.0, -1.0)


def waves(rows):
    """Normal points in 20 dimensions with a sum of twelve sines of projections
    and noise of deviation 0.2 for targets, and 2,000 landmarks among them, or all."""
    rng = np.random.default_rng(7)
    w = 1.5 * rng.standard_normal((20, 12)) / np.sqrt(20)
    phase, height = 6 * rng.random(12), rng.standard_normal(12)
    x = rng.standard_normal((rows + 10000, 20))
    y = np.sin(x @ w + phase) @ height + 0.2 * rng.standard_normal(len(x))
    z = x[rng.choice(rows, min(2000, rows), replace=False)]
    return {"x": x[:rows], "y": y[:rows], "xt": x[rows:], "yt": y[rows:], "z": z}


def write(folder, arrays):
    """Writes each array to a file of its name, a sparse one as three."""
    flat = {}
    for name, a in arrays.items():
        if sp.issparse(a):
            end = name[1:]  # of xt, the rows to test on
            flat.update({"data" + end: a.data, "indices" + end: a.indices.astype(np.int32),
                         "indptr" + end: a.indptr.astype(np.int64)})
        else:
            flat[name] = a
    for name, a in flat.items():
        np.save(os.path.join(folder, name + ".npy"), a)
