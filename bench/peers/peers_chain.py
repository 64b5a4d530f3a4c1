"""Nyström features and a linear SVM on them, from the array to the separator."""
import numpy as np
from contender import array
from works import work


@work("chain", "scikit-learn")
def chain(job):
    from sklearn.kernel_approximation import Nystroem
    from sklearn.svm import LinearSVC

    x, y = array(job, "x"), array(job, "y")

    def run():
        m = Nystroem(gamma=job["gamma"], n_components=job["out"], random_state=0).fit(x)
        separator = LinearSVC(C=1, dual=False, tol=1e-2).fit(m.transform(x), y)
        return lambda: np.mean(separator.predict(m.transform(array(job, "xt"))) != array(job, "yt"))

    return run
