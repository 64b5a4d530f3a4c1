"""Feature maps and random projections of scikit-learn. A map comes to how far its inner products are from the
kernel on some rows, a projection to how far squared lengths are from those of the rows."""
import numpy as np
from contender import array
from sklearn.kernel_approximation import Nystroem, PolynomialCountSketch, RBFSampler
from sklearn.metrics.pairwise import polynomial_kernel, rbf_kernel
from sklearn.random_projection import GaussianRandomProjection, SparseRandomProjection
from works import work

SOME = 500


def away(x, y, kernel):
    """The mean distance of the inner products of mapped rows y from the kernel of the rows x."""
    y = y[:SOME].astype(np.float64)
    return np.abs(y @ y.T - kernel(x[:SOME].astype(np.float64))).mean()


def mapped(job, make, kernel, fits=False):
    x = array(job, "x")
    fitted = None if fits else make().fit(x)

    def run():
        y = (make().fit(x) if fits else fitted).transform(x)
        return lambda: away(x, y, kernel)

    return run


@work("f2", "scikit-learn")
def f2(job):
    g = job["gamma"]
    make = lambda: Nystroem(gamma=g, n_components=job["out"], random_state=0)
    return mapped(job, make, lambda x: rbf_kernel(x, gamma=g), True)


@work("fourier", "scikit-learn")
def fourier(job):
    g = job["gamma"]
    make = lambda: RBFSampler(gamma=g, n_components=job["out"], random_state=0)
    return mapped(job, make, lambda x: rbf_kernel(x, gamma=g))


@work("sketch", "scikit-learn")
def sketch(job):
    make = lambda: PolynomialCountSketch(degree=2, coef0=1, n_components=job["out"], random_state=0)
    return mapped(job, make, lambda x: polynomial_kernel(x, degree=2, gamma=1, coef0=1))


def projected(make):
    def of(job):
        x = array(job, "x")
        fitted = make(job["out"]).fit(x)

        def run():
            y = fitted.transform(x)
            square = lambda a: (a[:SOME].astype(np.float64) ** 2).sum(1)
            return lambda: np.abs(square(y) / square(x) - 1).mean()

        return run

    return of


work("gaussian", "scikit-learn")(projected(lambda out: GaussianRandomProjection(out, random_state=0)))
work("thin", "scikit-learn")(projected(lambda out: SparseRandomProjection(out, random_state=0, dense_output=True)))
