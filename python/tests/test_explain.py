"""Why, and how sure: explanations and prediction sets."""

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_diabetes, load_iris

import kerf


def data():
    rng = np.random.default_rng(1)
    x = rng.normal(size=(300, 3))
    return x, np.where(x[:, 0] + 0.2 * rng.normal(size=300) > 0, "up", "down")


def test_columns_that_matter():
    x, y = data()
    frame = pd.DataFrame(x, columns=["real", "noise", "more noise"])
    model = kerf.KernelClassifier("rbf(gamma=0.3)", map="f2", dim=40, C=1).fit(frame, y)
    ranked = model.column_importances(frame, y)
    assert ranked[0]["column"] == "real" and ranked[0]["low"] > 0.1
    assert all(abs(one["mean"]) < 0.1 for one in ranked[1:]) and len(ranked) == 3
    for x_, y_, fault in [(frame[:5], y[:5], "at least 10"), (frame, y[:5], "inconsistent")]:
        with pytest.raises(ValueError, match=fault):
            model.column_importances(x_, y_)
    with pytest.raises(ValueError, match="metric"):
        model.column_importances(frame, y, metric="beauty")


def test_why_a_row():
    x, y = data()
    model = kerf.KernelClassifier("rbf(gamma=0.3)", map="f2", dim=40, C=1).fit(x, y)
    rows = model.explain(x[:4], against=x, y_against=y, nearest=3)
    assert [r["prediction"] for r in rows] == model.predict(x[:4]).tolist()
    assert np.allclose([r["scores"][1] for r in rows], model.decision_function(x[:4]))
    for i, row in enumerate(rows):
        assert len(row["similar"]) == 3 and row["similar"][0]["row"] == i + 1
        assert row["similar"][0]["label"] == y[i] and row["similar"][0]["similarity"] > 0.999999
        assert len(row["landmarks"]) == 3 and "pull" in row["landmarks"][0]
        assert np.isclose(row["sum"]["bias"] + row["sum"]["rest"] + row["sum"]["pulls"], row["score"])
        assert len(row["columns"]) == 3
    assert "similar" not in model.explain(x[:1])[0]
    with pytest.raises(ValueError, match="no such rows"):
        model.explain(x[:1], y_against=y)
    with pytest.raises(ValueError, match="1000"):
        model.explain(np.tile(x, (4, 1)))


def test_labels_that_are_numbers_and_texts():
    x, y = load_iris(return_X_y=True)
    model = kerf.KernelClassifier("rbf(gamma=0.3)", map="f2", dim=20, C=1).fit(x, y)
    row = model.explain(x[[60]], against=x, y_against=y)[0]
    assert row["prediction"] == 1 and row["similar"][0]["label"] == 1 and int(np.argmax(row["scores"])) == 1
    texts = ["great film", "what a bore", "great fun", "such a bore"] * 10
    model = kerf.KernelClassifier("normalize(spectrum(k=3))").fit(texts, ["good", "bad"] * 20)
    row = model.explain(["great bore"], against=texts, y_against=["good", "bad"] * 20)[0]
    assert row["prediction"] in ("good", "bad") and row["similar"][0]["text"] in texts


def test_numbers():
    x, y = load_diabetes(return_X_y=True)
    model = kerf.KernelRegressor("rbf(gamma=1)", map="f2", dim=50, learner="ridge", lambda_=0.01, conformal=0.3)
    model.fit(x[:300], y[:300])
    ends = model.predict_interval(x[300:], coverage=0.9)
    inside = (ends[:, 0] <= y[300:]) & (y[300:] <= ends[:, 1])
    assert ends.shape == (142, 2) and inside.mean() > 0.75
    assert np.all(ends[:, 0] <= model.predict(x[300:])) and np.all(model.predict(x[300:]) <= ends[:, 1])
    assert len(model.column_importances(x, y)) == 10
    assert isinstance(model.explain(x[:1])[0]["prediction"], float)


def test_sets():
    x, y = load_iris(return_X_y=True)
    order = np.random.default_rng(0).permutation(len(y))
    x, y = x[order], y[order]
    model = kerf.KernelClassifier("rbf(gamma=0.3)", map="f2", dim=20, C=1, conformal=0.4).fit(x[:100], y[:100])
    sets = model.predict_set(x[100:], coverage=0.95)
    assert sets.dtype == bool and sets.shape == (50, 3)
    assert sets[np.arange(50), y[100:]].mean() > 0.85
    with pytest.raises(ValueError, match="coverage is 0.77"):
        model.predict_set(x, coverage=0.77)
    plain = kerf.KernelClassifier("rbf", map="f2", dim=20, C=1)
    assert not hasattr(plain, "predict_set")
    with pytest.raises(AttributeError, match="predict_set"):
        plain.fit(x, y).predict_set(x)


def test_functions_are_not_explained():
    x, y = data()
    model = kerf.KernelClassifier(lambda a, b: np.asarray(a) @ np.asarray(b).T, map="f2", dim=3).fit(x, y)
    with pytest.raises(ValueError, match="Python function"):
        model.explain(x[:1])
    with pytest.raises(ValueError, match="predicts nothing"):
        kerf.KernelFeatures("rbf(gamma=1)", dim=5).fit(x).explain(x[:1])
    ones = kerf.OneClass("rbf(gamma=1)").fit(x)
    assert len(ones.explain(x[:2])) == 2
