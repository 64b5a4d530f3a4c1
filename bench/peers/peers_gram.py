"""Blocks of the Gaussian kernel and their products with a vector."""
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from contender import array
from works import work


@work("block", "scikit-learn")
def block_sklearn(job):
    from sklearn.metrics.pairwise import rbf_kernel

    x, z = array(job, "x"), array(job, "z")

    def run():
        k = rbf_kernel(x, z, gamma=job["gamma"])
        return lambda: k.mean(dtype=np.float64)

    return run


def values(x, z, gamma, out=None):
    """The kernel by one product and in place, as one writes it by hand."""
    side = (2 * gamma * z.T).astype(x.dtype)
    k = np.dot(x, side, out=out)
    k -= (gamma * (z * z).sum(1)).astype(x.dtype)
    k -= (gamma * (x * x).sum(1)).astype(x.dtype)[:, None]
    return np.exp(k, out=k)


@work("block", "numpy")
def block_numpy(job):
    x, z = array(job, "x"), array(job, "z")

    def run():
        k = values(x, z, job["gamma"])
        return lambda: k.mean(dtype=np.float64)

    return run


@work("product", "numpy")
def product_numpy(job):
    """In blocks of rows that fit the cache, one a thread."""
    from threadpoolctl import threadpool_limits

    x, z, v = array(job, "x"), array(job, "z"), array(job, "v")
    pool, block = ThreadPoolExecutor(job["threads"]), 250

    def run():
        out = np.empty(len(x), x.dtype)

        def one(i):
            out[i : i + block] = values(x[i : i + block], z, job["gamma"]) @ v

        with threadpool_limits(1):
            list(pool.map(one, range(0, len(x), block)))
        return lambda: np.linalg.norm(out)

    return run


def tensors(job, *names):
    import torch

    torch.set_num_threads(job["threads"])
    return torch, [torch.from_numpy(array(job, n)) for n in names]


@work("block", "PyTorch")
def block_torch(job):
    torch, (x, z) = tensors(job, "x", "z")

    def run():
        k = torch.cdist(x, z).square_().mul_(-job["gamma"]).exp_()
        return lambda: k.mean(dtype=torch.float64)

    return run


@work("product", "PyTorch")
def product_torch(job):
    torch, (x, z, v) = tensors(job, "x", "z", "v")

    def run():
        parts = []
        for i in range(0, len(x), 1000):
            parts.append(torch.cdist(x[i : i + 1000], z).square_().mul_(-job["gamma"]).exp_() @ v)
        out = torch.cat(parts)
        return lambda: out.norm()

    return run


@work("product", "KeOps")
def product_keops(job):
    from pykeops.numpy import LazyTensor

    x, z, v = array(job, "x"), array(job, "z"), array(job, "v")

    def run():
        k = (-((LazyTensor(x[:, None, :]) - LazyTensor(z[None, :, :])) ** 2).sum(-1) * job["gamma"]).exp()
        out = k @ v[:, None]
        return lambda: np.linalg.norm(out)

    run()  # compiles
    return run
