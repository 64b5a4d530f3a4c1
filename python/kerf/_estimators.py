"""The estimators."""

import numpy as np
from sklearn.base import (
    ClassifierMixin,
    ClassNamePrefixFeaturesOutMixin,
    OutlierMixin,
    RegressorMixin,
    TransformerMixin,
)
from sklearn.utils import check_array, column_or_1d
from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted

from ._fit import KerfEstimator, has_sets, label_text


def _target(estimator, y):
    if y is None:
        raise ValueError(f"{type(estimator).__name__} requires y to be passed, but the target y is None")
    y = column_or_1d(y, warn=True)
    if not len(y):
        raise ValueError("Found array with 0 sample(s) (y) while a minimum of 1 is required.")
    if y.dtype.kind in "fc":
        check_array(y, ensure_2d=False, dtype=None, input_name="y", ensure_min_samples=0)
    return y


class KernelClassifier(ClassifierMixin, KerfEstimator):
    """Classes by a kernel, through explicit features or in the kernel's own space.

    With nothing chosen it does what ``kerf train`` does with nothing chosen, at the effort
    least: it picks width, map, dimension and penalty on held-out rows. ``effort="quick"``
    lets kernels race, in seconds; ``effort="normal"`` is the search of the program, over
    encodings, kernels and learned metrics: half a minute of two cores. Every other parameter is the flag of ``kerf train`` of the same name, and
    None leaves it to kerf.

    Parameters
    ----------
    kernel : str or callable, default=None
        Such as ``"rbf"``, ``"rbf(gamma=0.1)"``, ``"poly(degree=3)"``, ``"normalize(spectrum(k=3))"``
        for texts, ``"jaccard"`` for sets; or a function of two collections of m and n rows
        that returns an array of m × n similarities.
    map : str, default=None
        f1, f2, f3, fourier, orf, sketch, monomials, none …
    dim : int, default=None
        Landmarks of f1 and f2, features of the other maps.
    landmarks, select, projection, repair : default=None
        What else there is to choose of a map.
    learner : str, default=None
        svm, logistic, ridge, boost, kernel-svm, kernel-ridge, centroid …
    C, lambda_, nu, rounds, loss, tolerance, max_passes : default=None
        Hyperparameters of learners.
    class_weight : "balanced" or dict, default=None
    metric : str, default=None
        What is chosen goes by: error, balanced, auc, f1, logloss.
    calibrate : str, default=None
        How scores become probabilities: temperature, platt, isotonic or none.
    error, confidence, margin : float, default=None
        Instead of dim: grow the map until it is certified to add at most this error.
    conformal : float, default=None
        The part of the rows that is kept for :meth:`predict_set`, such as 0.2.
    scale : str, default="auto"
        Of numbers: none, standard, range, robust, quantile, log, mixed. auto is standard
        where kerf picks the kernel's width, else none.
    categories : str, default=None
        Coordinates of categories of a table: onehot, target, auto or levels.
    effort : str, default="least"
        least, quick, normal or thorough.
    single : bool, default=False
        A search ends in one model, not in a blend.
    time : str, default=None
        After which the learner stops with the best so far, such as ``"30s"``.
    precision : str, default=None
        float64 or float32.
    random_state : int, default=None
        The seed. None is the program's, 1: two fits of one estimator are the same.
    n_jobs : int, default=None
        Workers; None is all cores. The result is the same for any number.
    max_memory : str, default=None
        Of the child process, such as ``"2GiB"``.
    verbose : bool, default=False
        Tell on standard error how far a fit is, and what was found of the data.
    progress : callable, default=None
        Called several times a second with a dict of task, within, part, elapsed, left, least and most.

    Attributes
    ----------
    classes_ : ndarray
    report_ : dict
        What ``kerf train --json`` prints.
    dim_ : int
        Features of the model.
    model_file_ : bytes
        The model, as :meth:`save` writes it.
    """

    _flags = (
        "kernel", "map", "dim", "landmarks", "select", "projection", "repair", "learner", "C", "lambda_", "nu",
        "rounds", "loss", "tolerance", "max_passes", "class_weight", "metric", "calibrate", "error", "confidence",
        "margin", "conformal", "scale", "categories", "effort", "single", "time", "precision",
    )  # fmt: skip

    def __init__(
        self, kernel=None, *, map=None, dim=None, landmarks=None, select=None, projection=None, repair=None,
        learner=None, C=None, lambda_=None, nu=None, rounds=None, loss=None, tolerance=None, max_passes=None,
        class_weight=None, metric=None, calibrate=None, error=None, confidence=None, margin=None, conformal=None,
        scale="auto",
        categories=None, effort="least", single=False, time=None, precision=None, random_state=None, n_jobs=None,
        max_memory=None, verbose=False, progress=None,
    ):  # fmt: skip
        self.kernel = kernel
        self.map = map
        self.dim = dim
        self.landmarks = landmarks
        self.select = select
        self.projection = projection
        self.repair = repair
        self.learner = learner
        self.C = C
        self.lambda_ = lambda_
        self.nu = nu
        self.rounds = rounds
        self.loss = loss
        self.tolerance = tolerance
        self.max_passes = max_passes
        self.class_weight = class_weight
        self.metric = metric
        self.calibrate = calibrate
        self.error = error
        self.confidence = confidence
        self.margin = margin
        self.conformal = conformal
        self.scale = scale
        self.categories = categories
        self.effort = effort
        self.single = single
        self.time = time
        self.precision = precision
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.max_memory = max_memory
        self.verbose = verbose
        self.progress = progress

    def fit(self, X, y, sample_weight=None):
        """Fit to rows and their labels."""
        y = _target(self, y)
        try:
            check_classification_targets(y)
            classes = np.unique(y)
            codes = np.searchsorted(classes, y)  # a tenth of the time that np.unique takes for it
        except TypeError as e:
            raise ValueError("y holds labels of types that have no common order; give texts or numbers alone") from e
        names = [label_text(c) for c in classes.tolist()]
        if len(classes) < 2:
            raise ValueError(f"y holds one class, {names[0] if names else ''!r}, and at least two classes are needed")
        self.report_ = self._fit(X, codes, names, sample_weight)["trained"]
        self._take_classes(classes, names)
        return self

    def _args(self):
        return [*super()._args(), "--task=classify"]

    def _take_classes(self, classes, names):
        """Note the classes, and where those of the model stand among them."""
        order = {name: i for i, name in enumerate(names)}
        known = self.description_["classes"]
        if len(known) != len(names) or any(name not in order for name in known):
            del self.model_file_
            raise ValueError("two labels of y are the same once they are written as text, as 1 and 1.0 are; rename one")
        places = np.array([order[name] for name in known])
        rank = np.argsort(places)
        self.classes_ = classes[places[rank]]
        self._column = rank  # columns of the program's scores, in the order of classes_
        self._class_of = np.argsort(rank)

    def _own_words(self, row):
        classes = self.classes_.tolist()
        own = {name: classes[self._class_of[k]] for k, name in enumerate(self.description_["classes"])}
        row["prediction"] = own[row["prediction"]]
        for key in ("scores", "probabilities"):
            if row.get(key):
                row[key] = [row[key][k] for k in self._column]
        for one in [*row["landmarks"], *row["strongest"], *row.get("similar", [])]:
            if "label" in one:
                one["label"] = own.get(one["label"], one["label"])
        return row

    def predict(self, X):
        """Return the label of each row."""
        codes = self._ask("predict", X)["codes"]
        return self.classes_[self._class_of[codes.ravel().astype(np.intp)]]

    def decision_function(self, X):
        """Return the scores: of two classes how far a row lies on the side of the second, else one a class."""
        scores = self._ask("predict", X)["scores"][:, self._column]
        return scores[:, 1].copy() if len(self.classes_) == 2 else scores

    def _has_probabilities(self):
        if hasattr(self, "model_file_") and not self.description_["calibrated"]:
            raise AttributeError(
                "the model has no probabilities; train it with calibrate, on more rows"
            )
        return self.calibrate != "none"

    @available_if(_has_probabilities)
    def predict_proba(self, X):
        """Return the probability of each class. A model of too few rows has none."""
        return self._ask("predict", X, proba=True)["probabilities"][:, self._column]

    @available_if(_has_probabilities)
    def predict_log_proba(self, X):
        """Return the logarithms of :meth:`predict_proba`."""
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))

    @available_if(has_sets)
    def predict_set(self, X, coverage=0.9):
        """Return which classes are in the prediction set of each row: a truth value for each of classes_.

        A set has the class with this probability, 0.5, 0.8, 0.9, 0.95 or 0.99, over rows and models
        drawn as those of training.
        """
        return self._ask("predict", X, coverage=self._coverage(coverage))["sets"][:, self._column] > 0

    def features(self, X):
        """Return the features of rows by the map of the model."""
        return self._ask("features", X)["features"]


class KernelRegressor(RegressorMixin, KerfEstimator):
    """Numbers by a kernel, through explicit features or in the kernel's own space.

    With nothing chosen it does what ``kerf train --task regress`` does, at the effort least.
    See :class:`KernelClassifier` for the parameters that both have.

    Parameters
    ----------
    learner : str, default=None
        ridge, kernel-ridge, falkon, svr, nu-svr.
    epsilon : float, default=None
        Half of the width of svr's tube.
    metric : str, default=None
        rmse or mae.
    conformal : float, default=None
        The part of the rows that is kept for :meth:`predict_interval`, such as 0.2.
    """

    _flags = (
        "kernel", "map", "dim", "landmarks", "select", "projection", "repair", "learner", "C", "lambda_", "nu",
        "epsilon", "tolerance", "max_passes", "metric", "conformal", "scale", "categories", "effort", "single", "time",
        "precision",
    )  # fmt: skip

    def __init__(
        self, kernel=None, *, map=None, dim=None, landmarks=None, select=None, projection=None, repair=None,
        learner=None, C=None, lambda_=None, nu=None, epsilon=None, tolerance=None, max_passes=None, metric=None,
        conformal=None, scale="auto", categories=None, effort="least", single=False, time=None, precision=None,
        random_state=None, n_jobs=None, max_memory=None, verbose=False, progress=None,
    ):  # fmt: skip
        self.kernel = kernel
        self.map = map
        self.dim = dim
        self.landmarks = landmarks
        self.select = select
        self.projection = projection
        self.repair = repair
        self.learner = learner
        self.C = C
        self.lambda_ = lambda_
        self.nu = nu
        self.epsilon = epsilon
        self.tolerance = tolerance
        self.max_passes = max_passes
        self.metric = metric
        self.conformal = conformal
        self.scale = scale
        self.categories = categories
        self.effort = effort
        self.single = single
        self.time = time
        self.precision = precision
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.max_memory = max_memory
        self.verbose = verbose
        self.progress = progress

    def fit(self, X, y, sample_weight=None):
        """Fit to rows and their numbers."""
        y = _target(self, y)
        if y.dtype.kind not in "fiub":
            y = check_array(y, ensure_2d=False, dtype=np.float64, input_name="y")
        y = y.astype(np.float64)
        self.report_ = self._fit(X, y, sample_weight=sample_weight)["trained"]
        return self

    def _args(self):
        return [*super()._args(), "--task=regress"]

    def predict(self, X):
        """Return the number of each row."""
        return self._ask("predict", X)["scores"][:, 0].copy()

    @available_if(has_sets)
    def predict_interval(self, X, coverage=0.9):
        """Return the ends of an interval for each row, which has the number with this probability.

        The coverage is 0.5, 0.8, 0.9, 0.95 or 0.99, over rows and models drawn as those of training.
        An end may be infinite where few rows were kept.
        """
        return self._ask("predict", X, coverage=self._coverage(coverage))["sets"]

    def features(self, X):
        """Return the features of rows by the map of the model."""
        return self._ask("features", X)["features"]


class OneClass(OutlierMixin, KerfEstimator):
    """Where the rows lie: a one-class machine, which looks at no labels.

    Parameters
    ----------
    kernel : str or callable, default=None
        See :class:`KernelClassifier`; None is rbf, with its width from the data.
    nu : float, default=0.5
        At most this part of the rows lie outside.
    tolerance, max_memory, n_jobs, precision, progress, random_state, scale, verbose :
        See :class:`KernelClassifier`.

    Attributes
    ----------
    offset_ : float
        0: ``decision_function`` is ``score_samples``.
    """

    _flags = ("kernel", "nu", "tolerance", "scale", "precision")
    map = dim = None

    def __init__(
        self, kernel=None, *, nu=0.5, tolerance=None, scale="auto", precision=None, random_state=None, n_jobs=None,
        max_memory=None, verbose=False, progress=None,
    ):  # fmt: skip
        self.kernel = kernel
        self.nu = nu
        self.tolerance = tolerance
        self.scale = scale
        self.precision = precision
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.max_memory = max_memory
        self.verbose = verbose
        self.progress = progress

    def fit(self, X, y=None, sample_weight=None):
        """Fit to rows."""
        self.report_ = self._fit(X, sample_weight=sample_weight)["trained"]
        self.offset_ = 0.0
        return self

    def _args(self):
        args = [*super()._args(), "--learner=one-class"]
        return [*args, "--kernel=linear"] if callable(self.kernel) else args

    def decision_function(self, X):
        """Return how far inside each row lies, below 0 for one outside."""
        return self._ask("predict", X)["scores"][:, 1].copy()

    def score_samples(self, X):
        """Return the same as :meth:`decision_function`."""
        return self.decision_function(X)

    def predict(self, X):
        """Return 1 for each row inside and -1 for one outside."""
        return np.where(self._ask("predict", X)["codes"].ravel() > 0, 1, -1)


class KernelFeatures(ClassNamePrefixFeaturesOutMixin, TransformerMixin, KerfEstimator):
    """Explicit features of a kernel, for any learner after them.

    Parameters
    ----------
    kernel : str or callable, default=None
        See :class:`KernelClassifier`; None is rbf, with its width from the data.
    map : str, default=None
        f1: similarities to landmarks; f2, the default: the orthogonal projection onto their
        span; f3: that, projected at random; fourier, orf, sketch, monomials, taylor …
    dim : int, default=None
        Landmarks of f1 and f2, features of the other maps; 500 where it is None, and no more
        landmarks than there are rows.
    landmarks, select, projection, repair, scale, precision, random_state, n_jobs, max_memory, verbose, progress :
        See :class:`KernelClassifier`.
    """

    _flags = ("kernel", "map", "dim", "landmarks", "select", "projection", "repair", "scale", "precision")
    _do = "map"

    def __init__(
        self, kernel=None, *, map=None, dim=None, landmarks=None, select=None, projection=None, repair=None,
        scale="auto", precision=None, random_state=None, n_jobs=None, max_memory=None, verbose=False, progress=None,
    ):  # fmt: skip
        self.kernel = kernel
        self.map = map
        self.dim = dim
        self.landmarks = landmarks
        self.select = select
        self.projection = projection
        self.repair = repair
        self.scale = scale
        self.precision = precision
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.max_memory = max_memory
        self.verbose = verbose
        self.progress = progress

    def fit(self, X, y=None):
        """Fit the map to rows. Labels are not looked at."""
        self._fit(X)
        return self

    @property
    def _n_features_out(self):
        check_is_fitted(self, "model_file_")
        return self.dim_

    def transform(self, X):
        """Return the features of rows."""
        return self._ask("features", X)["features"]
