"""Tables: reading them, and learning from one without being told how."""
import numpy as np
from works import work

NAMES = [f"c{i}" for i in range(15)]
NUMBERS = [NAMES[i] for i in (0, 2, 4, 10, 11, 12)]


def adult(job):
    import pandas as pd

    read = lambda name: pd.read_csv(f"{job['dir']}/{name}.csv", names=NAMES, skipinitialspace=True, na_values="?")
    a, b = read("adult"), read("adult.t")
    label = lambda t: t.pop("c14").str.rstrip(".").to_numpy()
    y, yt = label(a), label(b)
    return a, y, b, yt


@work("auto", "scikit-learn")
@work("auto-quick", "scikit-learn")
def pipeline(job):
    """Scaled numbers, one coordinate a category, Nyström features and a linear SVM; width and C by three folds."""
    from sklearn.compose import ColumnTransformer
    from sklearn.impute import SimpleImputer
    from sklearn.kernel_approximation import Nystroem
    from sklearn.model_selection import GridSearchCV
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OneHotEncoder, StandardScaler
    from sklearn.svm import LinearSVC

    def run():
        a, y, b, yt = adult(job)
        texts = [c for c in a if c not in NUMBERS]
        filled = lambda step, how: make_pipeline(SimpleImputer(strategy=how), step)
        encoder = ColumnTransformer([("n", filled(StandardScaler(), "median"), NUMBERS),
                                     ("c", filled(OneHotEncoder(handle_unknown="ignore"), "most_frequent"), texts)],
                                    sparse_threshold=0)
        p = make_pipeline(encoder, Nystroem(n_components=500, random_state=0), LinearSVC(dual=False))
        grid = {"nystroem__gamma": [0.01, 0.03, 0.1], "linearsvc__C": [0.1, 1, 10]}
        m = GridSearchCV(p, grid, cv=3, n_jobs=job["threads"]).fit(a, y)
        labels = m.predict(b)
        return lambda: np.mean(labels != yt)

    return run


@work("auto", "HistGradientBoosting")
@work("auto-quick", "HistGradientBoosting")
def boosting(job):
    """Categories as such; rate and leaves by three folds."""
    from sklearn.ensemble import HistGradientBoostingClassifier
    from sklearn.model_selection import GridSearchCV

    def run():
        a, y, b, yt = adult(job)
        for c in a:
            if c not in NUMBERS:
                a[c] = a[c].astype("category")
                b[c] = b[c].astype(a[c].dtype)
        grid = {"learning_rate": [0.05, 0.1, 0.2], "max_leaf_nodes": [15, 31, 63]}
        m = GridSearchCV(HistGradientBoostingClassifier(random_state=0), grid, cv=3).fit(a, y)
        labels = m.predict(b)
        return lambda: np.mean(labels != yt)

    return run


def whole(job, read):
    """Reading ends in one array of numbers in memory."""

    def run():
        x = read(f"{job['dir']}/table.{job['work']}")
        return lambda: x.sum(dtype=np.float64)

    return run


@work("csv", "pandas")
@work("parquet", "pandas")
def pandas(job):
    import pandas as pd

    read = pd.read_csv if job["work"] == "csv" else pd.read_parquet
    return whole(job, lambda path: read(path).to_numpy(np.float64))


@work("csv", "polars")
@work("parquet", "polars")
def polars(job):
    import polars as pl

    read = pl.read_csv if job["work"] == "csv" else pl.read_parquet
    return whole(job, lambda path: read(path).cast(pl.Float64).to_numpy())


@work("csv", "pyarrow")
@work("parquet", "pyarrow")
def pyarrow(job):
    from pyarrow import csv, parquet

    read = csv.read_csv if job["work"] == "csv" else parquet.read_table
    return whole(job, lambda path: np.column_stack([c.to_numpy() for c in read(path).columns]))


@work("libsvm", "scikit-learn")
def libsvm(job):
    from sklearn.datasets import load_svmlight_file

    def run():
        x, y = load_svmlight_file(f"{job['dir']}/table.libsvm")
        return lambda: x.data.sum() + y.sum()

    return run
