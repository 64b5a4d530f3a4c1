"""What bench/gpu measures, in PyTorch: blocks of rows, float32, medians of five after one call to warm up."""

import statistics
import time

import torch

torch.backends.cuda.matmul.allow_tf32 = False
device = torch.device("cuda")


def gaussian(x, y, gamma, yy):
    d = torch.addmm(yy, x, y.T, alpha=-2)
    d += (x * x).sum(1, keepdim=True)
    return d.clamp_(min=0).mul_(-gamma).exp_()


def median(call):
    times = []
    for _ in range(6):
        torch.cuda.synchronize()
        start = time.perf_counter()
        call()
        torch.cuda.synchronize()
        times.append(time.perf_counter() - start)
    return statistics.median(times[1:])


m = 10_000
for n, d in [(2_000_000, 18), (500_000, 90), (500_000, 440)]:
    x, y = torch.randn(n, d, device=device), torch.randn(m, d, device=device)
    v, gamma = torch.randn(m, device=device), 0.5 / d
    yy = (y * y).sum(1)
    for block in [20_000, 100_000]:

        def product():
            return torch.cat([gaussian(x[i : i + block], y, gamma, yy) @ v for i in range(0, n, block)])

        def normal():
            out = torch.zeros(m, device=device)
            for i in range(0, n, block):
                k = gaussian(x[i : i + block], y, gamma, yy)
                out += k.T @ (k @ v)
            return out

        print(f"PyTorch n={n} m={m} d={d} blocks of {block}: K·v {median(product)*1e3:.1f} ms, "
              f"KᵀKv {median(normal)*1e3:.1f} ms", flush=True)
    del x

# F2: the landmarks' Gram matrix, its Cholesky factor, and features of all rows back on the host.
n, d, m = 1_000_000, 50, 4000
host = torch.randn(n, d)
out = torch.empty(n, m, pin_memory=True)
gamma = 0.5 / d


def f2():
    z = host[:m].to(device)
    zz = (z * z).sum(1)
    g = gaussian(z.double(), z.double(), gamma, zz.double())
    g.diagonal().add_(1e-10)
    inverse = torch.linalg.inv_ex(torch.linalg.cholesky(g))[0].float().T.contiguous()
    for i in range(0, n, 50_000):
        k = gaussian(host[i : i + 50_000].to(device), z, gamma, zz)
        out[i : i + 50_000].copy_(k @ inverse, non_blocking=True)


print(f"PyTorch F2 fit + map {n}×{d}, {m} landmarks: {median(f2):.3f} s", flush=True)
