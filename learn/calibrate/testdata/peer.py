"""Makes sklearn.json with scikit-learn 1.2.1: python3 peer.py > sklearn.json"""
import json
import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.calibration import CalibratedClassifierCV
from sklearn.isotonic import IsotonicRegression


class Given(BaseEstimator, ClassifierMixin):
    """A classifier whose scores are its input."""

    def __init__(self, classes):
        self.classes = classes

    def fit(self, x, y):
        return self

    @property
    def classes_(self):
        return np.arange(self.classes)

    def decision_function(self, X):
        return X[:, 0] if self.classes == 2 else X


def probabilities(method, classes, s, y, fresh):
    g = Given(classes)
    g.fitted_ = True
    c = CalibratedClassifierCV(g, method=method, cv="prefit").fit(s, y)
    return c.predict_proba(fresh)


rng = np.random.default_rng(1)
out = {}

n = 200
y = rng.integers(0, 2, n)
s = np.round(1.5 * (2 * y - 1) + 2 * rng.standard_normal(n) - 0.5, 1)  # ties
fresh = np.round(np.linspace(-8, 8, 41), 3)
two = {"y": y.tolist(), "s": s.tolist(), "fresh": fresh.tolist()}
for m in ("sigmoid", "isotonic"):
    two[m] = probabilities(m, 2, s[:, None], y, fresh[:, None])[:, 1].tolist()
out["two"] = two

y = rng.integers(0, 3, n)
s = np.round(1.2 * np.eye(3)[y] + rng.standard_normal((n, 3)) - [0, 0.4, 0.8], 2)
fresh = np.round(rng.normal(0, 2, (40, 3)), 2)
three = {"y": y.tolist(), "s": s.tolist(), "fresh": fresh.tolist()}
for m in ("sigmoid", "isotonic"):
    three[m] = probabilities(m, 3, s, y, fresh).tolist()
out["three"] = three

x = rng.integers(0, 30, 100) / 4
v = np.sin(x / 3) + 0.3 * rng.standard_normal(100)
w = rng.integers(1, 5, 100) / 2
fresh = np.linspace(-1, 9, 60)
r = IsotonicRegression(out_of_bounds="clip").fit(x, v, w)
out["weighted"] = {"x": x.tolist(), "y": v.tolist(), "w": w.tolist(), "fresh": fresh.tolist(), "value": r.predict(fresh).tolist()}
print(json.dumps(out))
