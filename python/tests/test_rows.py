"""What rows may be."""

import datetime

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp

import kerf


def people(n=300, seed=0):
    rng = np.random.default_rng(seed)
    age = rng.uniform(18, 80, n).round(1)
    job = rng.choice(["clerk", "smith", "nurse"], n)
    day = [datetime.datetime(2020, 1, 1) + datetime.timedelta(days=int(d)) for d in rng.integers(0, 300, n)]
    table = pd.DataFrame(
        {"age": age, "job": job, "since": day, "member": rng.random(n) < 0.5, "height": rng.normal(170, 9, n)}
    )
    y = np.where((table.age > 45) ^ (table.job == "nurse"), "yes", "no")
    table.loc[::7, "age"] = np.nan
    table.loc[::11, "job"] = None
    return table, y


def polars_of(table):
    columns = {}
    for name in table.columns:
        cells = [None if v is None or v != v else v for v in table[name].tolist()]
        columns[name] = [v.to_pydatetime() for v in cells] if name == "since" else cells
    return pl.DataFrame(columns)


def test_tables_of_pandas_and_polars_are_the_same():
    table, y = people()
    model = kerf.KernelClassifier().fit(table, y)
    assert model.score(table, y) > 0.8
    assert list(model.feature_names_in_) == list(table.columns)
    other = polars_of(table)
    assert (model.predict(other) == model.predict(table)).all()
    again = kerf.KernelClassifier().fit(other, y)
    assert (again.decision_function(table) == model.decision_function(table)).all()
    categories = table.astype({"job": "category"})
    assert (model.decision_function(categories) == model.decision_function(table)).all()


def test_tables_by_effort_normal():
    table, y = people(200)
    assert kerf.KernelClassifier(effort="normal", single=True).fit(table, y).score(table, y) > 0.8


def test_tables_of_numbers_to_learn():
    table, _ = people()
    model = kerf.KernelRegressor().fit(table.drop(columns="height"), table.height)
    assert np.isfinite(model.predict(table.drop(columns="height"))).all()
    features = kerf.KernelFeatures(dim=20).fit(table).transform(table)
    assert features.shape == (len(table), 20) and np.isfinite(features).all()
    assert set(kerf.OneClass().fit(table).predict(table)) == {-1, 1}


def test_columns_must_be_those_of_training():
    table, y = people()
    model = kerf.KernelClassifier().fit(table, y)
    with pytest.raises(ValueError, match="feature names"):
        model.predict(table[table.columns[::-1]])
    with pytest.raises(ValueError, match="feature"):
        model.predict(table[["age"]])
    with pytest.raises(ValueError, match="name"):
        kerf.KernelClassifier().fit(pd.concat([table, table], axis=1), y)
    with pytest.raises(ValueError, match="infinity"):
        kerf.KernelClassifier().fit(table.assign(age=np.inf), y)
    with pytest.raises(TypeError, match="must be a string"):
        kerf.KernelClassifier().fit(table.assign(job=[{}] * len(table)), y)
    with pytest.raises(ValueError, match="0 sample"):
        kerf.KernelClassifier().fit(table[:0], y[:0])


def test_unknown_categories_count_as_missing_and_are_told():
    table, y = people()
    model = kerf.KernelClassifier().fit(table, y)
    with pytest.warns(kerf.KerfWarning, match="categories that training did not have"):
        model.predict(table.assign(job="astronaut"))


def test_categories_of_numbers_are_told():
    table, y = people()
    with pytest.warns(kerf.KerfWarning, match="category of numbers"):
        kerf.KernelClassifier().fit(table.assign(code=pd.Categorical(np.arange(len(table)) % 3)), y)


def test_sparse_is_dense():
    rng = np.random.default_rng(0)
    x = rng.random((200, 12)) * (rng.random((200, 12)) < 0.3)
    y = (x[:, 0] + x[:, 1] > x[:, 2] + x[:, 3]).astype(int)
    for container in (sp.csr_array, sp.csc_matrix, sp.coo_array):
        model = kerf.KernelClassifier("rbf(gamma=1)", dim=64).fit(container(x), y)
        assert np.allclose(model.decision_function(container(x)), model.decision_function(x))
        dense = kerf.KernelClassifier("rbf(gamma=1)", dim=64).fit(x, y)
        assert np.allclose(dense.decision_function(container(x)), dense.decision_function(x))
        assert model.score(x, y) > 0.8
    with pytest.raises(ValueError, match="features"):
        model.predict(sp.csr_array(x[:, :5]))


def test_layouts_and_types_of_arrays():
    rng = np.random.default_rng(0)
    x = np.round(rng.normal(0, 30, (120, 4)))
    y = (x[:, 0] * x[:, 1] > 0).astype(int)
    want = kerf.KernelClassifier().fit(x, y).decision_function(x)
    for other in (np.asfortranarray(x), x.astype(">f8"), x.astype(np.int16), x.astype(np.float32), x[::-1][::-1],
                  x.astype(object), x.tolist(), np.repeat(x, 2, axis=1)[:, ::2]):  # fmt: skip
        assert (kerf.KernelClassifier().fit(other, y).decision_function(other) == want).all()


def words(n=200):
    rng = np.random.default_rng(0)
    bad = ["".join(rng.choice(list("ab"), 8)) for _ in range(n // 2)]
    good = ["".join(rng.choice(list("xyz é\n"), 8)) for _ in range(n // 2)]
    return bad + good, np.repeat(["bad", "good"], n // 2)


def test_texts():
    x, y = words()
    for texts in (x, np.array(x), np.array(x, dtype=object), pd.Series(x), pl.Series(x), tuple(x)):
        assert kerf.KernelClassifier("normalize(spectrum(k=2))", dim=50).fit(texts, y).score(texts, y) > 0.98
    model = kerf.KernelClassifier().fit(x, y)
    assert model.score(x, y) > 0.98
    assert kerf.KernelFeatures("spectrum(k=2)", dim=10).fit_transform(x).shape[0] == len(x)
    with pytest.raises(TypeError, match="row 1"):
        model.predict(["ab", 3])
    with pytest.raises(ValueError):
        model.predict(np.zeros((2, 3)))
    with pytest.raises(ValueError, match="strings"):
        kerf.KernelClassifier("rbf").fit(x, y)


def test_sets():
    rng = np.random.default_rng(0)
    x = [set(rng.choice(list("abcdefgh"), 4, replace=False).tolist()) for _ in range(200)]
    y = ["a" in s and "b" in s for s in x]
    model = kerf.KernelClassifier("conjunction(degree=2)", dim=100).fit(x, y)
    assert model.score(x, y) > 0.9
    assert (model.predict([sorted(s) for s in x]) == model.predict(x)).all()
    with pytest.raises(TypeError, match="row 1"):
        model.predict([{"a"}, 3])


def test_weights_and_lengths():
    x, y = np.random.default_rng(0).normal(size=(50, 3)), np.arange(50) % 2
    kerf.KernelClassifier().fit(x, y, sample_weight=np.arange(50.0))
    with pytest.raises(ValueError):
        kerf.KernelClassifier().fit(x, y, sample_weight=-np.ones(50))
    with pytest.raises(ValueError, match="weights"):
        kerf.KernelClassifier(learner="perceptron").fit(x, y, sample_weight=np.arange(50.0))
    with pytest.raises(ValueError, match="inconsistent"):
        kerf.KernelClassifier().fit(x, y[:-1])
    with pytest.raises(ValueError, match="inconsistent"):
        kerf.KernelRegressor().fit(*words()[:1], y)


def test_parts(monkeypatch):
    from kerf import _fit

    x, y = np.random.default_rng(0).normal(size=(500, 3)), np.arange(500) % 3
    model = kerf.KernelClassifier().fit(x, y)
    whole, features = model.predict_proba(x), model.features(x)
    monkeypatch.setattr(_fit, "CHUNK", 10_000)
    assert (model.predict_proba(x) == whole).all()
    assert np.allclose(model.features(x), features, rtol=0, atol=1e-12)
