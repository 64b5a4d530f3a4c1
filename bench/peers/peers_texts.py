"""Strings, from files to the test error: explicit n-grams and a linear SVM in scikit-learn."""
import numpy as np
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.preprocessing import OneHotEncoder
from sklearn.svm import LinearSVC
from works import work


def lines(path):
    with open(path, encoding="utf-8") as f:
        pairs = [line.rstrip("\n").split("\t", 1) for line in f]
    return [p[1] for p in pairs], np.array([p[0] for p in pairs])


def places(texts, most):
    """The runs of 1 to most letters at each place, as numbers: columns for an encoder."""
    letters = np.frombuffer("".join(texts).encode("latin-1"), np.uint8).reshape(len(texts), -1).astype(np.int64)
    runs, code = [], np.zeros_like(letters)
    for k in range(most):
        width = letters.shape[1] - k
        code = code[:, :width] * 256 + letters[:, k:]
        runs.append(code)
    return np.concatenate(runs, axis=1)


@work("text", "scikit-learn")
def text(job):
    def run():
        (a, y), (b, yt) = lines(job["dir"] + "/train.tsv"), lines(job["dir"] + "/test.tsv")
        if job["aligned"]:
            encoder = OneHotEncoder(handle_unknown="ignore", dtype=np.float32)
            a, b = places(a, job["aligned"]), places(b, job["aligned"])
        else:
            encoder = TfidfVectorizer(analyzer="char_wb", ngram_range=(2, 5), sublinear_tf=True, dtype=np.float32)
        m = LinearSVC(C=job["C"]).fit(encoder.fit_transform(a), y)
        labels = m.predict(encoder.transform(b))
        return lambda: np.mean(labels != yt)

    return run
