"""The peer of bench/learners: scikit-learn's learners and, for Falkon's scheme,
numpy. It makes the data and writes them as arrays that both sides learn from."""
import os
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import scipy.linalg as la
import scipy.sparse as sp
from inspect import signature
from sklearn.ensemble import AdaBoostClassifier
from sklearn.kernel_ridge import KernelRidge
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.svm import SVC, LinearSVC
from threadpoolctl import threadpool_limits

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "peer"))
from peer import data, kept, serve


def clusters(rows):
    """Two classes of ten normal clusters each in 20 dimensions, of which a label
    in 25 is wrong, and as many rows to test on."""
    rng = np.random.default_rng(20260101)
    centre = 0.9 * rng.normal(size=(20, 20))
    of = rng.integers(0, 20, 2 * rows)
    x = centre[of] + rng.normal(size=(2 * rows, 20))
    y = np.where((of < 10) == (rng.random(2 * rows) >= 0.04), 1.0, -1.0)
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
    and noise of deviation 0.2 for targets, and 2,000 landmarks among them."""
    rng = np.random.default_rng(7)
    w = 1.5 * rng.standard_normal((20, 12)) / np.sqrt(20)
    phase, height = 6 * rng.random(12), rng.standard_normal(12)
    x = rng.standard_normal((rows + 10000, 20))
    y = np.sin(x @ w + phase) @ height + 0.2 * rng.standard_normal(len(x))
    z = x[rng.choice(rows, 2000, replace=False)]
    return {"x": x[:rows], "y": y[:rows], "xt": x[rows:], "yt": y[rows:], "z": z}


def make(job):
    """Makes a set of data, keeps it in place of the one before, and writes it."""
    kept.clear()
    kept.update({"clusters": clusters, "dense": dense, "sparse": sparse, "waves": waves}[job["set"]](job["rows"]))
    arrays = dict(kept)
    if sp.issparse(kept["x"]):
        x = arrays.pop("x")
        arrays.update(data=x.data, indices=x.indices.astype(np.int32), indptr=x.indptr.astype(np.int64))
    for name, array in arrays.items():
        np.save(os.path.join(job["dir"], name + ".npy"), array)


def svm():
    m = kept["svm"] = SVC(C=1, gamma=0.05, cache_size=2000).fit(kept["x"], kept["y"])

    def dual():
        beta, v, sum = m.dual_coef_[0], m.support_vectors_, 0.0
        for i in range(0, len(v), 1000):
            sum += beta[i : i + 1000] @ (rbf_kernel(v[i : i + 1000], v, gamma=0.05) @ beta)
        return sum / 2 - np.abs(beta).sum()

    return dual


def svm_predict():
    if "svm" not in kept:
        svm()

    def predict():
        sign = kept["svm"].predict(kept["xt"])
        return lambda: np.mean(sign != kept["yt"])

    return predict


def linear(dual, hinge, eps):
    x, y = kept["x"], kept["y"]
    loss = "hinge" if hinge else "squared_hinge"
    w = LinearSVC(C=1, fit_intercept=False, loss=loss, dual=dual, tol=eps, random_state=0).fit(x, y).coef_[0]
    return lambda: w @ w / 2 + (np.maximum(0, 1 - y * (x @ w)) ** (1 if hinge else 2)).sum()


def ridge(penalty, gamma):
    m = KernelRidge(alpha=penalty, kernel="rbf", gamma=gamma).fit(kept["x"], kept["y"])
    return lambda: np.mean((m.predict(kept["xt"]) - kept["yt"]) ** 2)


def falkon(penalty, gamma, steps, threads, dtype):
    """Ridge regression on landmarks z by conjugate gradients, preconditioned by
    the same problem on the landmarks alone. Kernel values are made in blocks
    that fit the cache, one block a thread."""
    x, y, z = (data((name, dtype), lambda: kept[name].astype(dtype)) for name in "xyz")
    n, m, block = len(x), len(z), 250
    one = np.dtype(dtype).type

    def train():
        side = (2 * gamma * z.T).astype(dtype)
        zz, xx = -gamma * np.square(z).sum(1), -gamma * np.square(x).sum(1)
        room = [np.empty((block, m), dtype) for _ in range(threads)]

        def values(x, xx, out):
            np.dot(x, side, out=out)
            out += zz
            out += xx[:, None]
            return np.exp(out, out=out)

        def part(worker, first, last, of):
            sum = np.zeros(m, dtype)
            for i in range(first, last, block):
                j = min(last, i + block)
                k = values(x[i:j], xx[i:j], room[worker][: j - i])
                sum += of(k, i, j) @ k
            return sum

        def over(of):  # Σ of(k)·k over blocks k of the kernel values
            cut = [n * t // threads for t in range(threads + 1)]
            return sum(pool.map(lambda t: part(t, cut[t], cut[t + 1], of), range(threads)))

        def solve(u, v, trans=0):
            return la.solve_triangular(u, v, trans=trans, check_finite=False)

        k = values(z, zz, np.empty((m, m), dtype))
        k.flat[:: m + 1] += one(m * (1e-5 if dtype == "float32" else 1e-12))
        t = la.cholesky(k, overwrite_a=True, check_finite=False)
        a = t @ t.T / one(m)
        a.flat[:: m + 1] += one(penalty)
        a = la.cholesky(a, overwrite_a=True, check_finite=False)

        def times(u):
            v = solve(a, u)
            w = solve(t, v)
            w = over(lambda k, i, j: k @ w) / one(n)
            return solve(a, solve(t, w, 1) + one(penalty) * v, 1)

        with ThreadPoolExecutor(threads) as pool, threadpool_limits(1):
            r = solve(a, solve(t, over(lambda k, i, j: y[i:j]) / one(n), 1), 1)
            p, b, rr = r.copy(), np.zeros(m, dtype), r @ r
            for _ in range(steps):
                q = times(p)
                step = rr / (p @ q)
                b += step * p
                r -= step * q
                was, rr = rr, r @ r
                p = r + (rr / was) * p
        alpha = solve(t, solve(a, b))

        def error():
            return np.mean((rbf_kernel(kept["xt"], kept["z"], gamma=gamma) @ alpha - kept["yt"]) ** 2)

        return error

    return train


def boost():
    # SAMME is AdaBoost itself for two classes; SAMME.R is another algorithm, and
    # newer versions have SAMME alone and no choice.
    choice = {"algorithm": "SAMME"} if "algorithm" in signature(AdaBoostClassifier).parameters else {}
    m = AdaBoostClassifier(n_estimators=100, random_state=0, **choice).fit(kept["x"], kept["y"])
    return lambda: np.mean(m.predict(kept["xt"]) != kept["yt"])


def prepare(job):
    work = job["work"]
    if work == "make":
        return lambda: make(job)
    if work == "forget":
        return kept.clear
    if work == "svm":
        train = svm
    elif work == "svm-predict":
        train = svm_predict()
    elif work in ("linear-dense", "linear-hinge", "linear-sparse"):
        train = lambda: linear(job["dual"], job["hinge"], job["eps"])
    elif work == "ridge":
        train = lambda: ridge(job["penalty"], job["gamma"])
    elif work == "falkon":
        train = falkon(job["penalty"], job["gamma"], job["steps"], job["threads"], job["precision"])
    elif work == "boost":
        train = boost
    else:
        raise ValueError(work)

    def run():
        value = train()
        return (lambda: {"value": float(value())}) if job["check"] else None

    return run


if __name__ == "__main__":
    serve(prepare)
