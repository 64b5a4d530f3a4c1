"""C-SVC: training comes to the dual objective of two classes, or the test error of many; predicting to the test
error. What was trained is kept for the predictions."""
import numpy as np
from contender import NAME, array
from peer import kept
from works import work


def parameters(job):
    return dict(C=job["C"], gamma=job["gamma"], tol=1e-3)


def wrong(job, labels):
    return lambda: np.mean(labels != array(job, "yt"))


def dual(beta, v, gamma):
    """The objective of the dual, from the weights of the support vectors."""
    from sklearn.metrics.pairwise import rbf_kernel

    total = 0.0
    for i in range(0, len(v), 1000):
        total += beta[i : i + 1000] @ (rbf_kernel(v[i : i + 1000], v, gamma=gamma) @ beta)
    return total / 2 - np.abs(beta).sum()


def weights(m):
    """The weights of two classes, dense."""
    beta = m.dual_coef_
    return np.asarray(beta.todense() if hasattr(beta, "todense") else beta, dtype=np.float64).ravel()


def estimator(job):
    if NAME == "scikit-learn-intelex":
        from sklearnex.svm import SVC
    elif NAME == "ThunderSVM":
        from thundersvm import SVC

        return SVC(kernel="rbf", n_jobs=job["threads"], **parameters(job))
    else:
        from sklearn.svm import SVC
    return SVC(kernel="rbf", cache_size=2000, **parameters(job))


@work("svm", "scikit-learn", "scikit-learn-intelex", "ThunderSVM")
def train(job):
    x, y = array(job, "x"), array(job, "y")
    estimator(job)  # which loads what it takes

    def run():
        kept["model"] = m = estimator(job).fit(x, y)
        if job["two"]:
            return lambda: dual(weights(m), x[np.asarray(m.support_, dtype=int)], job["gamma"])
        return wrong(job, m.predict(array(job, "xt"))) if job.get("check") else None

    return run


@work("svm-predict", "scikit-learn", "scikit-learn-intelex", "ThunderSVM")
def predict(job):
    xt = array(job, "xt")

    def run():
        return wrong(job, kept["model"].predict(xt))

    return run


@work("svm-one", "scikit-learn", "scikit-learn-intelex")
def one(job):
    xt = array(job, "xt")[: job["calls"]]

    def run():
        labels = np.array([kept["model"].predict(xt[i : i + 1])[0] for i in range(len(xt))])
        return lambda: np.mean(labels != array(job, "yt")[: len(labels)])

    return run


@work("svm-one", "onnxruntime")
def one_onnx(job):
    """scikit-learn's machine as a graph, made off the clock."""
    import onnxruntime
    from skl2onnx import to_onnx
    from sklearn.svm import SVC

    xt = array(job, "xt")[: job["calls"]].astype(np.float32)
    key = job["dir"], "session"
    if key not in kept:
        m = SVC(kernel="rbf", cache_size=2000, **parameters(job)).fit(array(job, "x"), array(job, "y"))
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = job["threads"]
        graph = to_onnx(m, xt[:1]).SerializeToString()
        kept[key] = onnxruntime.InferenceSession(graph, options, providers=["CPUExecutionProvider"])
    s = kept[key]
    name, out = s.get_inputs()[0].name, s.get_outputs()[0].name

    def run():
        labels = np.array([s.run([out], {name: xt[i : i + 1]})[0][0] for i in range(len(xt))])
        return lambda: np.mean(labels != array(job, "yt")[: len(labels)])

    return run


def problem(job, name):
    from libsvm.svmutil import svm_problem

    key = job["dir"], name, "problem"
    if key not in kept:
        kept[key] = svm_problem(array(job, "y" + name[1:]), array(job, name))
    return kept[key]


@work("svm", "LIBSVM")
def train_libsvm(job):
    from libsvm.svm import svm_parameter
    from libsvm.svmutil import svm_predict, svm_train

    p = problem(job, "x")
    options = f"-q -m 2000 -e 0.001 -c {job['C']} -g {job['gamma']}"

    def run():
        kept["model"] = m = svm_train(p, svm_parameter(options))
        if not job.get("check"):
            return None
        if not job["two"]:
            return wrong(job, np.array(svm_predict(array(job, "yt"), array(job, "xt"), m, "-q")[0]))
        beta, support = np.array(m.get_sv_coef()).ravel(), np.array(m.get_sv_indices()) - 1
        return lambda: dual(beta, array(job, "x")[support], job["gamma"])

    return run


@work("svm-predict", "LIBSVM")
def predict_libsvm(job):
    """The library's own loop over nodes that are there, one row a call, as its program does."""
    from libsvm.svm import gen_svm_nodearray, libsvm

    key = job["dir"], "nodes"
    if key not in kept:
        kept[key] = [gen_svm_nodearray(row)[0] for row in array(job, "xt")]
    nodes = kept[key]

    def run():
        m = kept["model"]
        return wrong(job, np.array([libsvm.svm_predict(m, node) for node in nodes]))

    return run


@work("svm-one", "LIBSVM")
def one_libsvm(job):
    from libsvm.svm import gen_svm_nodearray, libsvm

    nodes = [gen_svm_nodearray(row)[0] for row in array(job, "xt")[: job["calls"]]]

    def run():
        labels = np.array([libsvm.svm_predict(kept["model"], node) for node in nodes])
        return lambda: np.mean(labels != array(job, "yt")[: len(labels)])

    return run
