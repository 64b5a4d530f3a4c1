"""Prints the optimum of a C-SVC or nu-SVC with a Gaussian kernel that svm-train has
solved: python3 optimum.py <type> <gamma> <C or nu> <rows> <model>

LIBSVM keeps K in float32. Its solution tells which variables are at their bounds;
the others are then found from the linear system of the optimality conditions, in
float64, and the conditions of all variables are checked."""
import sys

import numpy as np


def rows(lines, skip):
    out = []
    for line in lines:
        words = line.split()
        row = {0: float(words[0])}
        row.update((int(j), float(v)) for j, v in (w.split(":") for w in words[skip:]))
        out.append(row)
    return out


def dense(list_of, cols):
    x = np.zeros((len(list_of), cols))
    for i, row in enumerate(list_of):
        for j, v in row.items():
            if j > 0:
                x[i, j - 1] = v
    return x


kind, gamma, price = int(sys.argv[1]), float(sys.argv[2]), float(sys.argv[3])
sample = rows(open(sys.argv[4]), 1)
y = np.array([r[0] for r in sample])
text = open(sys.argv[5]).read().splitlines()
support = rows(text[text.index("SV") + 1 :], 1)
cols = max(max(r) for r in sample)
x = dense(sample, cols)
b, used = np.zeros(len(y)), set()
flip = [l for l in text if l.startswith("label")][0].split()[1] != "1"
for r, v in zip(support, dense(support, cols)):
    i = next(i for i in np.flatnonzero(np.abs(x - v).max(1) < 1e-9) if i not in used and y[i] * r[0] * (-1 if flip else 1) > 0)
    used.add(i)
    b[i] = abs(r[0]) * y[i]

n = len(y)
k = np.exp(-gamma * ((x[:, None, :] - x[None]) ** 2).sum(-1))
top = price if kind == 0 else np.abs(b).max()
bound, e = (price, -y) if kind == 0 else (1.0, np.zeros(n))
b *= bound / top
full = np.abs(b) > bound * (1 - 1e-9)
b[full] = bound * y[full]
free = np.flatnonzero((b != 0) & ~full)
# One sum is fixed for all, or one for each label.
groups = [np.ones(n)] if kind == 0 else [(y > 0) * 1.0, (y < 0) * 1.0]
sums = [0.0] if kind == 0 else [price * n / 2, -price * n / 2]
a = np.array(groups)
rest = np.where(full, b, 0.0)
m = len(free)
system = np.zeros((m + len(a), m + len(a)))
system[:m, :m] = k[np.ix_(free, free)]
system[:m, m:] = -a[:, free].T
system[m:, :m] = a[:, free]
right = np.concatenate([-e[free] - k[free] @ rest, np.array(sums) - a @ rest])
z = np.linalg.solve(system, right)
b = rest.copy()
b[free] = z[:m]
level = z[m:]
slope = k @ b + e - a.T @ level  # 0 inside, of the sign of y at 0, of the other at the bound
assert np.all(y * b >= 0) and np.all(y * b <= bound * (1 + 1e-12)), "not feasible"
worst = max(np.abs(slope[free]).max(), (-(y * slope)[b == 0]).max(), (y * slope)[full].max() if full.any() else 0)
assert worst < 1e-7, "not optimal: %g" % worst
value = 0.5 * b @ k @ b + e @ b
if kind == 1:
    value /= ((level[0] - level[1]) / 2) ** 2
print("%.9f" % value)
