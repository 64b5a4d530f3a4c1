# Writes ridge.tsv: figures of scikit-learn's RidgeCV on small.libsvm.
import sys, warnings
import numpy as np, sklearn
from sklearn.datasets import load_svmlight_file
from sklearn.linear_model import RidgeCV
warnings.simplefilter("ignore")
x, y = load_svmlight_file(sys.argv[1], n_features=8)
x = x.toarray()
z = x[:, 0] * y + 0.5 * x[:, 3]            # a second target, of real numbers
y = np.stack([y, z], axis=1)
c = 0.5 + (np.arange(len(x)) % 4) / 2      # weights
alphas = [0.01, 0.1, 1, 10, 100]
print("# scikit-learn %s; rows intercept weighted alpha | loo of target 0, 1 | w and b of target 0" % sklearn.__version__)
for n in (120, 6):
    for intercept in (True, False):
        for weighted in (False, True):
            w = c[:n] if weighted else None
            m = RidgeCV(alphas=alphas, fit_intercept=intercept, store_cv_values=True).fit(x[:n], y[:n], sample_weight=w)
            for k, a in enumerate(alphas):
                one = RidgeCV(alphas=[a], fit_intercept=intercept).fit(x[:n], y[:n], sample_weight=w)
                loo = m.cv_values_[:, :, k].mean(axis=0)
                row = [n, int(intercept), int(weighted), a] + list(loo) + list(one.coef_[0]) + [np.atleast_1d(one.intercept_)[0]]
                print("\t".join("%.15g" % v for v in row))
