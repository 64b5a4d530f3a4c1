"""Whole weights are repetitions: the very model that the repeated rows give."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.ensemble import BaggingClassifier

import kerf

N = 60


def rows():
    """Return 60 rows of each kind, which all differ, and their classes."""
    rng = np.random.default_rng(3)
    x = rng.normal(size=(N, 4)).round(2)
    x[:, 0] = np.arange(N)
    y = np.where(x[:, 1] + 0.3 * rng.normal(size=N) > 0, "yes", "no")
    words = np.array(["one", "two", "three", "four"])
    kinds = {
        "matrix": x,
        "sparse": sp.csr_array(np.where(np.abs(x) > 0.5, x, 0)),
        "table": pd.DataFrame(x, columns=list("abcd")).assign(
            town=words[rng.integers(0, 4, N)], d=lambda t: t.d.where(t.d < 1)
        ),
        "texts": [f"{words[int(abs(r[1]) * 9) % 4]} {r[2]} row {r[0]}" for r in x],
        "sets": [{f"a{int(r[1] * 3)}", f"b{int(r[2] * 3)}", f"c{r[0]}"} for r in x],
    }
    return kinds, y


def pick(x, index):
    if isinstance(x, list):
        return [x[i] for i in index]
    return x.iloc[index] if hasattr(x, "iloc") else x[index]


KINDS, Y = rows()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("make", [kerf.KernelClassifier, kerf.KernelRegressor, kerf.OneClass])
def test_weights_are_repetitions(kind, make):
    x, rng = KINDS[kind], np.random.default_rng(5)
    y = Y if make is kerf.KernelClassifier else np.arange(N) % 7 + (Y == "yes") * 0.5
    weight = rng.integers(0, 4, N)
    repeated, shuffled = np.repeat(np.arange(N), weight), rng.permutation(N)
    kernel = {"texts": "normalize(spectrum(k=2))", "sets": "jaccard"}.get(kind)
    one = make(kernel).fit(pick(x, repeated), y[repeated])
    two = make(kernel).fit(pick(x, shuffled), y[shuffled], sample_weight=weight[shuffled])
    assert one.model_file_ == two.model_file_
    assert one.report_["n"] == two.report_["n"] == weight.sum()
    # Weights of 1 are none, and rows without copies stay where they are.
    assert make(kernel).fit(x, y, sample_weight=np.ones(N)).model_file_ == make(kernel).fit(x, y).model_file_


def test_other_weights_stay_weights():
    x = KINDS["matrix"]
    weight = np.linspace(0.5, 2, N)
    fractions = kerf.KernelClassifier().fit(x, Y, sample_weight=weight)
    assert fractions.report_["n"] == N and fractions.report_["weights"]["sum"] == pytest.approx(weight.sum())
    many = kerf.KernelClassifier().fit(x, Y, sample_weight=np.full(N, 1000))
    assert many.report_["n"] == N and many.report_["weights"]["sum"] == 1000 * N


def test_bagging():
    model = BaggingClassifier(kerf.KernelClassifier("rbf", C=1), n_estimators=4, random_state=0).fit(KINDS["matrix"], Y)
    assert model.score(KINDS["matrix"], Y) > 0.8


def test_rows_of_weight_0_are_no_landmarks():
    shown = set()

    def kernel(a, b):
        shown.update(b)
        return [[len(set(s) & set(t)) for t in b] for s in a]

    x = [f"row {'even' if i % 2 == 0 else 'odd'} {i}" for i in range(20)]
    y = [i % 4 > 1 for i in range(20)]
    kerf.KernelClassifier(kernel, dim=5).fit(x, y, sample_weight=[i % 2 for i in range(20)])
    assert shown and all("odd" in text for text in shown)
    with pytest.raises(ValueError, match="weight 0"):
        kerf.KernelClassifier(kernel).fit(x, np.arange(20) % 3, sample_weight=np.arange(20) % 3 > 0)
