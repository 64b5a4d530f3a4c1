"""Makes ridge.json: kernel ridge by scikit-learn on the first rows of concrete.csv.

    python3 ridge.py concrete.csv.gz > ridge.json

Rows 0 to 199 are learnt from, rows 200 to 219 predicted; each coordinate is
divided by 100. Figures of the repository: scikit-learn 1.2.1, numpy 1.24.2.
"""
import json, sys
import numpy as np, sklearn
from sklearn.kernel_ridge import KernelRidge
D = np.loadtxt(sys.argv[1], delimiter=",")[:220]
X, Y = D[:, :-1] / 100, D[:, -1]
out = dict(made="ridge.py, scikit-learn %s" % sklearn.__version__, rows=D.tolist(), cases=[])
w = 0.5 + (np.arange(200) % 4)
for kernel, args, gamma in (("rbf", dict(gamma=0.05), 0.05), ("rbf", dict(gamma=2.0), 2.0), ("linear", {}, 0)):
    for alpha in (0.01, 1.0):
        for weighted in (False, True):
            m = KernelRidge(alpha=alpha, kernel=kernel, **args).fit(X[:200], Y[:200], sample_weight=w if weighted else None)
            out["cases"].append(dict(kernel=kernel, gamma=gamma, alpha=alpha, weighted=weighted,
                dual=m.dual_coef_[:5].tolist(), predicted=m.predict(X[200:]).tolist()))
json.dump(out, sys.stdout)
