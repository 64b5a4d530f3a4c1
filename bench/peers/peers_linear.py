"""Linear machines without a bias; each comes to its objective |w|²/2 + C·Σ loss."""
import numpy as np
from contender import NAME, array
from peer import kept
from works import work


def objective(job, w, logistic):
    def value():
        x, y, v = array(job, "x"), array(job, "y"), np.asarray(w, dtype=np.float64)
        t = y * (x @ v)
        loss = np.logaddexp(0, -t) if logistic else np.maximum(0, 1 - t) ** 2
        return v @ v / 2 + loss.sum()

    return value


@work("linear", "scikit-learn")
def linear_sklearn(job):
    from sklearn.svm import LinearSVC

    x, y = array(job, "x"), array(job, "y")

    def run():
        m = LinearSVC(C=1, fit_intercept=False, loss="squared_hinge", dual=job["dual"], tol=job["eps"], random_state=0)
        w = m.fit(x, y).coef_[0]
        return objective(job, w, False)

    return run


@work("logistic", "scikit-learn", "scikit-learn-intelex")
def logistic_sklearn(job):
    if NAME == "scikit-learn":
        from sklearn.linear_model import LogisticRegression
    else:
        from sklearnex.linear_model import LogisticRegression
    x, y = array(job, "x"), array(job, "y")

    def run():
        w = LogisticRegression(C=1, fit_intercept=False, tol=job["slope"], max_iter=1000).fit(x, y).coef_[0]
        return objective(job, w, True)

    return run


@work("linear", "LIBLINEAR")
@work("logistic", "LIBLINEAR")
def liblinear(job):
    from liblinear.liblinear import liblinear as library, parameter, problem, toPyModel

    logistic = job["work"] == "logistic"
    solver = (7 if job["dual"] else 0) if logistic else (1 if job["dual"] else 2)
    key = job["dir"], "problem"
    if key not in kept:
        kept[key] = problem(array(job, "y").astype(np.float64), array(job, "x").astype(np.float64))
    of, options = kept[key], parameter(f"-s {solver} -c 1 -e {job['eps']} -q")

    def run():
        m = toPyModel(library.train(of, options))
        sign = 1 if m.get_labels()[0] > 0 else -1
        return objective(job, sign * np.array(m.w[: m.nr_feature]), logistic)

    return run
