"""The peer of bench/core: numpy with OpenBLAS, and scikit-learn."""
import os
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import scipy.linalg
from sklearn.metrics.pairwise import rbf_kernel

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "peer"))
from peer import data, normal, rng, serve

pool = ThreadPoolExecutor(2)


def product(x, c, v, gamma, xn, cn, block=250):
    """K(X, C) v by blocks of rows, one a thread: numpy at its best."""
    out = np.empty(len(x), x.dtype)

    def one(i):
        k = x[i : i + block] @ c.T
        k *= 2
        k -= xn[i : i + block, None]
        k -= cn[None]
        np.minimum(k, 0, out=k)
        k *= gamma
        np.exp(k, out=k)
        out[i : i + block] = k @ v

    list(pool.map(one, range(0, len(x), block)))
    return out


def prepare(job):
    """Returns the work as a function without arguments."""
    work, dtype = job["work"], job.get("precision", "float64")
    if work == "gemm":
        n = job["n"]
        a, b = normal((n, n), dtype), data(("b", n, dtype), lambda: rng.standard_normal((n, n)).astype(dtype)).T
        c = data(("c", n, dtype), lambda: np.empty((n, n), dtype))
        return lambda: np.dot(a, b, out=c)
    if work == "cholesky":
        n = job["n"]
        i = np.arange(n)
        s = data(("spd", n, dtype), lambda: np.exp(-np.abs(np.subtract.outer(i, i)) / 50).astype(dtype))
        return lambda: scipy.linalg.cholesky(s, lower=True, check_finite=False)
    if work == "exp":
        x = data(("exp", dtype), lambda: (-10 * rng.random(job["n"])).astype(dtype))
        out = data(("exp out", dtype), lambda: np.empty_like(x))
        return lambda: [np.exp(x, out=out) for _ in range(job["times"])]
    n, m, d = job["rows"], job["cols"], job["d"]
    x, c, v = normal((n, d), dtype), normal((m, d), dtype), normal((m,), dtype)
    gamma = 0.5 / d
    if work == "rbf":
        return lambda: rbf_kernel(x, c, gamma=gamma)
    if work == "product":
        xn, cn = (x * x).sum(1), (c * c).sum(1)
        return lambda: product(x, c, v, x.dtype.type(gamma), xn, cn)
    raise ValueError(work)


serve(prepare)
