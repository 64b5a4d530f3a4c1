"""Makes sklearn.json with scikit-learn 1.2.1: python3 peer.py > sklearn.json"""
import json
import numpy as np
from sklearn import metrics as m

rng = np.random.default_rng(2)
out = []
for classes, n in ((2, 150), (3, 200), (5, 400)):
    y = rng.integers(0, classes, n)
    s = np.round(np.eye(classes)[y] + rng.standard_normal((n, classes)), 1)  # ties
    p = np.exp(s)
    p /= p.sum(axis=1, keepdims=True)
    said = p.argmax(axis=1)
    f = {
        "classes": classes,
        "y": y.tolist(),
        "p": p.ravel().tolist(),
        "accuracy": m.accuracy_score(y, said),
        "balanced_accuracy": m.balanced_accuracy_score(y, said),
        "precision": m.precision_score(y, said, average=None).tolist(),
        "recall": m.recall_score(y, said, average=None).tolist(),
        "f1": m.f1_score(y, said, average=None).tolist(),
        "macro_f1": m.f1_score(y, said, average="macro"),
        "log_loss": m.log_loss(y, p),
        "auc": m.roc_auc_score(y, p[:, 1]) if classes == 2 else m.roc_auc_score(y, p, multi_class="ovr"),
    }
    # brier_score_loss is of one class against the rest; the sum over the classes is ours.
    f["brier"] = sum(m.brier_score_loss(y == k, p[:, k]) for k in range(classes))
    out.append(f)

y = rng.standard_normal(120) * 3 + 10
v = y + rng.standard_normal(120)
regression = {
    "y": y.tolist(), "p": v.tolist(),
    "rmse": m.mean_squared_error(y, v, squared=False), "mae": m.mean_absolute_error(y, v), "r2": m.r2_score(y, v),
}
print(json.dumps({"classes": out, "regression": regression}))
