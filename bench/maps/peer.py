"""The peer of bench/maps: scikit-learn's kernel approximations and projections."""
import os
import sys

from sklearn.kernel_approximation import Nystroem, PolynomialCountSketch, RBFSampler
from sklearn.random_projection import GaussianRandomProjection, SparseRandomProjection

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "peer"))
from peer import data, kept, normal, serve


def fitted(name, x, make):
    return data((name, x.shape, x.dtype.name), lambda: make().fit(x))


def prepare(job):
    work, out, dtype = job["work"], job["out"], job["precision"]
    shape = (job["rows"], job["d"])
    for key in [k for k in kept if k[0] != shape and isinstance(k[0], tuple)]:
        del kept[key]  # a large array a shape is all that memory should hold
    x = normal(shape, dtype)
    if work == "nystroem":
        return lambda: Nystroem(gamma=0.01, n_components=out, random_state=0).fit(x).transform(x)
    if work == "fourier":
        m = fitted(work, x, lambda: RBFSampler(gamma=0.01, n_components=out, random_state=0))
    elif work == "sketch":
        m = fitted(work, x, lambda: PolynomialCountSketch(degree=2, n_components=out, random_state=0))
    elif work == "gaussian":
        m = fitted(work, x, lambda: GaussianRandomProjection(out, random_state=0))
    elif work == "sparse":
        m = fitted(work, x, lambda: SparseRandomProjection(out, random_state=0, dense_output=True))
    else:
        raise ValueError(work)
    return lambda: m.transform(x)


serve(prepare)
