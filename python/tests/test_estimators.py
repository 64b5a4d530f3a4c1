"""The estimators by scikit-learn's own rules, and in its tools."""

import pickle
import warnings

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris, make_moons
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import check_estimator

import kerf

ESTIMATORS = [
    kerf.KernelClassifier(),
    kerf.KernelClassifier("rbf", map="fourier", dim=64, learner="logistic", C=1),
    kerf.KernelRegressor(),
    kerf.OneClass(),
    kerf.KernelFeatures(),
    kerf.KernelFeatures(map="f1", dim=20),
    kerf.KernelFeatures(map="f3", dim=10),
    kerf.KernelFeatures(map="fourier", dim=20),
]


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=lambda v: repr(v)[:60])
def test_check_estimator(estimator):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        results = check_estimator(estimator, on_skip=None)
    assert len(results) > 40
    assert not [r["check_name"] for r in results if r["status"] not in ("passed", "skipped")]
    skipped = {r["check_name"] for r in results if r["status"] == "skipped"}
    assert skipped <= {"check_array_api_input"}  # it is for estimators on other devices


def test_nothing_chosen():
    x, y = load_breast_cancer(return_X_y=True)
    model = kerf.KernelClassifier()
    assert cross_val_score(model, x, y, cv=3).mean() > 0.95
    model.fit(x, y)
    assert model.report_["status"] == "converged"
    assert model.report_["n"] == len(y)
    p = model.predict_proba(x)
    assert np.allclose(p.sum(axis=1), 1)
    assert (p.argmax(axis=1) == model.predict(x)).all()
    assert ((model.decision_function(x) > 0) == (model.predict(x) == 1)).mean() > 0.99
    assert model.features(x).shape == (len(y), model.dim_)


def test_numbers():
    x, y = load_diabetes(return_X_y=True)
    assert cross_val_score(kerf.KernelRegressor(), x, y, cv=3).mean() > 0.4


def test_grid_search_in_a_pipeline():
    x, y = make_moons(300, noise=0.1, random_state=0)
    pipe = make_pipeline(StandardScaler(), kerf.KernelFeatures("rbf(gamma=2)", dim=30), LogisticRegression())
    search = GridSearchCV(pipe, {"kernelfeatures__map": ["f1", "f2", "fourier"], "kernelfeatures__dim": [4, 40]}, cv=3)
    search.fit(x, y)
    assert search.best_score_ > 0.95
    names = search.best_estimator_[:-1].get_feature_names_out()
    assert names[0] == "kernelfeatures0"


def test_single_recipes():
    x, y = make_moons(300, noise=0.1, random_state=0)
    for parameters in [
        {"kernel": "rbf(gamma=2)", "map": "f2", "dim": 50, "learner": "svm", "C": 10},
        {"kernel": "rbf", "learner": "kernel-svm", "C": 1.0},
        {"kernel": "poly(degree=3)", "map": "monomials"},
        {"learner": "boost", "rounds": 30},
    ]:
        model = kerf.KernelClassifier(**parameters).fit(x, y)
        assert model.score(x, y) > 0.85, parameters
        assert model.report_["learner"] == parameters.get("learner", "svm")


def test_effort_normal_searches():
    x, y = make_moons(200, noise=0.2, random_state=0)
    assert kerf.KernelClassifier(effort="normal").fit(x, y).report_["tried"] > 10


def test_classes_of_any_type_and_order():
    x, y = load_iris(return_X_y=True)
    for names in [np.array(["z", "b", "ä ö"]), np.array([30, 4, -1]), np.array([1.0, 2.0, 10.0]), [False, True, True]]:
        labels = np.asarray(names)[y]
        model = kerf.KernelClassifier().fit(x, labels)
        assert list(model.classes_) == sorted(set(names))
        assert model.predict(x).dtype == labels.dtype
        assert model.score(x, labels) > 0.9
        p = model.predict_proba(x)
        assert (model.classes_[p.argmax(axis=1)] == model.predict(x)).all()


def test_labels_that_are_none():
    x, _ = load_iris(return_X_y=True)
    for y, text in [
        (["1", "1.0", "2"] * 50, "same once"),
        (["a", None, "b"] * 50, "order"),
        (["a", "", "b"] * 50, "label is missing"),
        ([7] * 150, "one class"),
    ]:
        with pytest.raises(ValueError, match=text):
            kerf.KernelClassifier().fit(x, y)
    y = np.arange(150) % 3
    with pytest.raises(ValueError, match="weight 0"):
        kerf.KernelClassifier().fit(x, y, sample_weight=(y < 2).astype(float))


def test_pickle_and_clone():
    x, y = load_iris(return_X_y=True)
    model = kerf.KernelClassifier(random_state=3).fit(x, y)
    again = pickle.loads(pickle.dumps(model))
    assert (again.predict_proba(x) == model.predict_proba(x)).all()
    assert clone(model).get_params() == model.get_params()
    assert not hasattr(clone(model), "model_file_")


def test_same_seed_same_model_whatever_the_workers():
    x, y = load_iris(return_X_y=True)
    fit = lambda **p: kerf.KernelClassifier(**p).fit(x, y).decision_function(x)  # noqa: E731
    one = fit(n_jobs=1, random_state=5)
    assert (one == fit(n_jobs=2, random_state=5)).all()
    assert (one == fit(n_jobs=-1, random_state=5)).all()


@pytest.mark.parametrize(
    "parameters, text",
    [
        ({"kernel": "rbf(gamma=-1)"}, "gamma"),
        ({"kernel": "nonsense"}, "nonsense"),
        ({"kernel": 5}, "function"),
        ({"map": "f9"}, "f9"),
        ({"learner": "magic"}, "magic"),
        ({"dim": 0}, "dim is 0"),
        ({"C": -1}, "C is -1"),
        ({"effort": "heroic"}, "effort is"),
        ({"learner": "ridge", "C": 3}, "C"),
        ({"max_memory": "lots"}, "lots"),
        ({"n_jobs": 0}, "n_jobs"),
        ({"random_state": -1}, "random_state"),
        ({"class_weight": {9: "x"}}, ""),
    ],
)
def test_wrong_parameters_are_one_line(parameters, text):
    x, y = load_iris(return_X_y=True)
    with pytest.raises(ValueError, match=".") as e:
        kerf.KernelClassifier(**parameters).fit(x, y)
    line = str(e.value)
    assert text in line and "\n" not in line and "--" not in line


def test_no_probabilities_without_calibration():
    x, y = load_iris(return_X_y=True)
    model = kerf.KernelClassifier(calibrate="none").fit(x, y)
    assert not hasattr(model, "predict_proba")
    assert model.score(x, y) > 0.9


def test_outliers():
    rng = np.random.default_rng(0)
    x = rng.standard_normal((300, 2))
    model = kerf.OneClass(nu=0.1).fit(x)
    assert 0.05 < (model.predict(x) == -1).mean() < 0.2
    assert (model.predict([[9, 9], [0, 0]]) == [-1, 1]).all()
    assert model.decision_function([[9, 9]])[0] < 0
