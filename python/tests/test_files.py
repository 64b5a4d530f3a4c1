"""Model files, which the program and the package share; and kernels that are functions."""

import json
import os
import pickle
import subprocess

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris, make_moons
from test_rows import people, words

import kerf


def program(*args):
    """Run the program and return what it prints."""
    done = subprocess.run([kerf.program(), *map(str, args)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_program_reads_what_is_saved(tmp_path):
    x, y = load_iris(return_X_y=True)
    model = kerf.KernelClassifier().fit(x, y)
    model.save(tmp_path / "m.kerf")
    np.save(tmp_path / "x.npy", x)
    said = program("predict", tmp_path / "m.kerf", tmp_path / "x.npy", "-q").split()
    assert said == [str(v) for v in model.predict(x)]
    assert (tmp_path / "m.kerf").stat().st_mode & 0o777 == 0o644

    table, y = people()
    model = kerf.KernelClassifier().fit(table, y)
    model.save(tmp_path / "t.kerf")
    table.to_csv(tmp_path / "t.csv", index=False)
    said = program("predict", tmp_path / "t.kerf", tmp_path / "t.csv", "-q").split()
    assert said == list(model.predict(table))

    x, y = words()
    x = [t.replace("\n", "") for t in x]
    model = kerf.KernelClassifier("spectrum(k=2)", dim=30).fit(x, y)
    model.save(tmp_path / "w.kerf")
    (tmp_path / "w.txt").write_text("\n".join(x) + "\n", encoding="utf-8")
    assert program("predict", tmp_path / "w.kerf", tmp_path / "w.txt", "-q").split() == list(model.predict(x))


def test_nothing_chosen_is_what_the_program_does(tmp_path):
    table, y = people()
    table.assign(outcome=y).to_csv(tmp_path / "t.csv", index=False)
    out = program("train", tmp_path / "t.csv", "--effort", "least", "-o", tmp_path / "m.kerf", "--json", "-q")
    trained = json.loads(out)
    model = kerf.KernelClassifier().fit(table, y)
    for key in ("kernel", "map", "dim", "learner", "C", "train", "scale"):
        assert model.report_[key] == trained[key], key
    theirs = kerf.load(tmp_path / "m.kerf")
    assert (theirs.predict(table) == model.predict(table)).all()
    assert np.allclose(theirs.predict_proba(table), model.predict_proba(table), atol=1e-12)


def test_load(tmp_path):
    x, y = load_iris(return_X_y=True)
    for model in (kerf.KernelClassifier(), kerf.KernelRegressor(), kerf.OneClass(), kerf.KernelFeatures(dim=9)):
        model.fit(x, y)
        model.save(tmp_path / "m.kerf")
        again = kerf.load(tmp_path / "m.kerf")
        assert type(again) is type(model)
        use = "transform" if hasattr(model, "transform") else "predict"
        assert (getattr(again, use)(x) == getattr(model, use)(x)).all()
        with pytest.raises(ValueError, match="columns|features"):
            getattr(again, use)(x[:, :2])
    np.save(tmp_path / "x.npy", x)
    program("map", tmp_path / "m.kerf", tmp_path / "x.npy", "-o", tmp_path / "f.npy")
    assert np.allclose(np.load(tmp_path / "f.npy"), model.transform(x), atol=1e-12)
    failed = subprocess.run([kerf.program(), "predict", tmp_path / "m.kerf", tmp_path / "x.npy"], capture_output=True,
                            text=True, check=False)  # fmt: skip
    assert failed.returncode != 0 and "predicts nothing" in failed.stderr


def test_load_of_what_the_program_trained(tmp_path):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(200, 3)), columns=["a", "b", "c"])
    frame["y"] = (frame.a * frame.b > 0).map({True: 7, False: 3})
    frame.to_csv(tmp_path / "d.csv", index=False)
    program("train", tmp_path / "d.csv", "--kernel", "rbf", "-o", tmp_path / "m.kerf", "-q")
    model = kerf.load(tmp_path / "m.kerf")
    assert model.classes_.tolist() == [3, 7]
    assert model.score(frame[["c", "a", "b"]], frame.y) > 0.9  # by name
    assert (model.predict(frame[["a", "b", "c"]].to_numpy()) == model.predict(frame)).all()
    program("train", tmp_path / "d.csv", "--kernel", "rbf", "--task", "regress", "-o", tmp_path / "r.kerf", "-q")
    assert kerf.load(tmp_path / "r.kerf").predict(frame).shape == (200,)
    with pytest.raises(ValueError, match="column"):
        model.predict(frame[["a"]])


def test_no_model(tmp_path):
    with pytest.raises(FileNotFoundError):
        kerf.load(tmp_path / "none.kerf")
    (tmp_path / "m.kerf").write_bytes(b"garbage")
    with pytest.raises(ValueError, match="not a kerf model"):
        kerf.load(tmp_path / "m.kerf")
    x, y = load_iris(return_X_y=True)
    whole = kerf.KernelClassifier().fit(x, y).model_file_
    (tmp_path / "m.kerf").write_bytes(whole[: len(whole) // 2])
    with pytest.raises(ValueError, match="damaged"):
        kerf.load(tmp_path / "m.kerf")
    with pytest.raises(FileNotFoundError, match="there is no folder .*no to write the model to: .*m.kerf"):
        kerf.KernelClassifier().fit(x, y).save(tmp_path / "no" / "m.kerf")
    assert os.listdir(tmp_path) == ["m.kerf"]


def gauss(a, b):
    return np.exp(-2 * ((np.asarray(a)[:, None] - np.asarray(b)[None]) ** 2).sum(axis=-1))


def closeness(a, b):
    return np.array([[1 / (1 + abs(len(s) - len(t))) for t in b] for s in a])


def test_functions_are_kernels():
    x, y = make_moons(300, noise=0.1, random_state=0)
    for kind in (None, "f1", "f2", "f3"):
        model = kerf.KernelClassifier(gauss, map=kind, dim=50).fit(x, y)
        assert model.score(x, y) > 0.97, kind
        assert (pickle.loads(pickle.dumps(model)).predict(x) == model.predict(x)).all()
        assert kerf.KernelFeatures(gauss, map=kind, dim=20).fit_transform(x).shape[1] <= 20
    assert kerf.KernelRegressor(gauss, dim=100).fit(x, x[:, 0] * x[:, 1]).score(x, x[:, 0] * x[:, 1]) > 0.9
    assert kerf.OneClass(gauss, nu=0.1).fit(x).predict([[9, 9]]) == [-1]
    f = kerf.KernelFeatures(gauss, dim=300).fit_transform(x)
    assert np.allclose(f @ f.T, gauss(x, x), atol=1e-5)  # F2 of all rows is the kernel itself


def test_functions_of_anything():
    things = [b"x" * (i % 9) for i in range(90)]
    y = [len(t) > 4 for t in things]
    assert kerf.KernelClassifier(closeness, map="f1", dim=20).fit(things, y).score(things, y) > 0.95


def test_functions_that_are_no_kernels():
    x, y = make_moons(60, random_state=0)
    for wrong, text in [
        (lambda a, b: -gauss(a, b), "kernel is 0|no kernel"),
        (lambda a, b: -((a[:, None] - b[None]) ** 2).sum(-1), "no kernel"),
        (lambda a, b: gauss(a, b) * np.arange(len(b)), "symmetric"),
        (lambda a, b: gauss(a, b)[:, :-1], "shape"),
        (lambda a, b: gauss(a, b) * np.nan, "NaN"),
    ]:
        with pytest.raises(ValueError, match=text):
            kerf.KernelClassifier(wrong, dim=20).fit(x, y)
    model = kerf.KernelClassifier(lambda a, b: -((a[:, None] - b[None]) ** 2).sum(-1), map="f1", dim=20).fit(x, y)
    with pytest.raises(ValueError, match="Python function"):
        model.save("never.kerf")
    with pytest.raises(ValueError, match="f1, f2 or f3"):
        kerf.KernelClassifier(gauss, map="fourier").fit(x, y)
