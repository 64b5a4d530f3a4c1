"""The peer of bench/learners: scikit-learn's learners and, for Falkon's scheme,
numpy. It makes the data and writes them as arrays that both sides learn from."""
import os
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import scipy.linalg as la
from inspect import signature
from sklearn.ensemble import AdaBoostClassifier
from sklearn.kernel_ridge import KernelRidge
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.svm import SVC, LinearSVC
from threadpoolctl import threadpool_limits

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "peer"))
from peer import data, kept, serve
from sets import clusters, dense, sparse, waves, write


def make(job):
    """Makes a set of data, keeps it in place of the one before, and writes it."""
    kept.clear()
    kept.update({"clusters": clusters, "dense": dense, "sparse": sparse, "waves": waves}[job["set"]](job["rows"]))
    write(job["dir"], kept)


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
