"""The peer of bench/core: numpy with OpenBLAS, and scikit-learn.

Reads one JSON object a line, does the work once, and answers with the seconds
it took. Data are made once and kept.
"""
import json
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import scipy.linalg
from sklearn.metrics.pairwise import rbf_kernel
from threadpoolctl import threadpool_limits

rng = np.random.default_rng(1)
kept = {}
pool = ThreadPoolExecutor(2)


def data(key, make):
    if key not in kept:
        kept[key] = make()
    return kept[key]


def normal(shape, dtype):
    return data((shape, dtype), lambda: rng.standard_normal(shape).astype(dtype))


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
    if work == "hello":
        return lambda: None
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


for line in sys.stdin:
    try:
        job = json.loads(line)
        run = prepare(job)
        with threadpool_limits(job.get("threads", 2)):
            begun = time.perf_counter()
            run()
            seconds = time.perf_counter() - begun
        answer = {"seconds": seconds}
    except Exception as fault:  # the Go side reports it
        answer = {"error": repr(fault)}
    print(json.dumps(answer), flush=True)
