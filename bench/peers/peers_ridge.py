"""Kernel ridge regression, exact, on landmarks, and with a metric that is learnt; each comes to the mean squared
error of the test rows."""
import numpy as np
import scipy.linalg as la
from contender import array
from peers_gram import values
from works import work


def error(job, predict):
    return lambda: np.mean((predict(array(job, "xt")) - array(job, "yt")) ** 2)


@work("ridge", "scikit-learn")
def ridge(job):
    from sklearn.kernel_ridge import KernelRidge

    x, y = array(job, "x"), array(job, "y")

    def run():
        m = KernelRidge(alpha=job["penalty"], kernel="rbf", gamma=job["gamma"]).fit(x, y)
        return error(job, m.predict)

    return run


@work("ridge", "numpy")
def ridge_numpy(job):
    x, y = array(job, "x"), array(job, "y")

    def run():
        k = values(x, x, job["gamma"])
        k.flat[:: len(k) + 1] += job["penalty"]
        alpha = la.cho_solve(la.cho_factor(k, lower=True, overwrite_a=True, check_finite=False), y, check_finite=False)
        return error(job, lambda xt: values(xt, x, job["gamma"]) @ alpha)

    return run


@work("falkon", "numpy")
def falkon_numpy(job):
    """Conjugate gradients on 2,000 landmarks, preconditioned by the problem on the landmarks alone; bench/learners
    has the same scheme."""
    import importlib.util
    import os

    from peer import kept

    here = os.path.dirname(os.path.abspath(__file__))
    of = importlib.util.spec_from_file_location("learners", os.path.join(here, "..", "learners", "peer.py"))
    learners = importlib.util.module_from_spec(of)
    of.loader.exec_module(learners)
    for name in ("x", "y", "xt", "yt", "z"):
        kept[name] = array({**job, "precision": "float64"}, name)
    return learners.falkon(job["penalty"], job["gamma"], job["steps"], job["threads"], job["precision"])


@work("falkon", "Falkon")
def falkon(job):
    import falkon as package
    import torch

    torch.set_num_threads(job["threads"])
    x, y, z = (torch.from_numpy(array(job, n).astype(job["precision"])) for n in ("x", "y", "z"))
    options = package.FalkonOptions(use_cpu=True, keops_active="no", cg_tolerance=0)
    kernel = package.kernels.GaussianKernel(sigma=(2 * job["gamma"]) ** -0.5)

    def run():
        m = package.Falkon(kernel, job["penalty"], len(z), center_selection=_Fixed(z), maxiter=job["steps"],
                           options=options)
        m.fit(x, y[:, None])
        return error(job, lambda xt: m.predict(torch.from_numpy(xt)).numpy()[:, 0])

    return run


class _Fixed:
    """Landmarks that are given."""

    def __init__(self, z):
        self.z, self.num_centers = z, len(z)

    def select(self, x, y):
        return self.z


@work("metric", "xRFM")
def metric(job):
    """Its defaults of the same kernel, the Gaussian, with as many rounds; a quarter of the rows judges them."""
    import torch
    from xrfm import xRFM

    torch.set_num_threads(job["threads"])
    x, y = array(job, "x").astype(np.float32), array(job, "y").astype(np.float32)
    n = len(x) * 3 // 4

    def run():
        parameters = {"model": {"kernel": "l2", "bandwidth": 10.0, "exponent": 1.0, "diag": False},
                      "fit": {"reg": 1e-3, "iters": job["rounds"], "verbose": False, "early_stop_rfm": True}}
        m = xRFM(parameters, device=torch.device("cpu"), tuning_metric="mse")
        m.fit(x[:n], y[:n, None], x[n:], y[n:, None])
        return error(job, lambda xt: np.asarray(m.predict(xt.astype(np.float32))).reshape(-1))

    return run
