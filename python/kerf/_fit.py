"""What all estimators share: parameters as flags of the program, and asking it."""

import errno
import os
import sys
import tempfile
import time
import warnings

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils import check_random_state
from sklearn.utils.validation import _check_sample_weight, check_consistent_length, check_is_fitted

from . import _child
from ._errors import KerfWarning, worded
from ._frames import array_frame
from ._landmarks import Landmarks, length, objects_of, pick
from ._rows import Matrix, rows_of

CHUNK = 64 << 20  # bytes of rows and what is made of them, of one request to predict


class Told:
    """Hears what the program tells while it works."""

    def __init__(self, verbose, progress, scaled=True):
        self.verbose, self.progress = verbose, progress
        self.scaled = scaled  # whether the scale of columns is anything to tell of
        self.last = time.monotonic()

    def __call__(self, said):
        if "spreads differ" in said.get("warn", "") and not self.scaled:
            return
        if "warn" in said:
            warnings.warn(worded(said["warn"]), KerfWarning, stacklevel=6)
        elif "note" in said and self.verbose:
            print("kerf: " + worded(said["note"]), file=sys.stderr)
        elif "progress" in said:
            self._show(said["progress"])

    def _show(self, sight):
        if self.progress is not None:
            self.progress(sight)
        if self.verbose and time.monotonic() - self.last >= 2:
            self.last = time.monotonic()
            left = ""
            if "left" in sight:
                least, most = sight["least"], sight["most"]
                unsure = most > max(10, 5 * least)  # four times is a factor of two to both sides
                said = f"{least:.0f} to {most:.0f}" if unsure else f"about {sight['left']:.0f}"
                left = f", {said} s left"
            print(
                f"kerf: {sight['within']}: {sight['task']}, {100 * sight['part']:.0f}% "
                f"in {sight['elapsed']:.0f} s{left}",
                file=sys.stderr,
            )


class KerfEstimator(BaseEstimator):
    """An estimator whose fitted state is a model file of kerf's."""

    _flags = ()  # parameters that are flags of the program by the same name
    _do = "train"

    def _args(self):
        """Return the parameters as flags. Those that are None are left to the program."""
        if self.kernel is not None and not isinstance(self.kernel, str) and not callable(self.kernel):
            raise ValueError(f"kernel is {self.kernel!r} and must be a text such as 'rbf(gamma=0.1)', or a function")
        args = []
        for name in self._flags:
            value = getattr(self, name)
            if value is None or value is False or (name == "kernel" and callable(value)):
                continue
            flag = "--" + name.rstrip("_").replace("_", "-")
            if value is True:
                args.append(flag)
            else:
                args.append(f"{flag}={_worded(name, value)}")
        args.append(f"--seed={self._seed()}")
        args.extend(self._run_args())
        return args

    def _run_args(self):
        """Return the flags of a run, whatever it does."""
        args = []
        n_jobs = getattr(self, "n_jobs", None)
        if n_jobs is not None:
            cores = os.cpu_count() or 1
            workers = n_jobs if n_jobs > 0 else max(1, cores + 1 + n_jobs)
            if n_jobs == 0:
                raise ValueError("n_jobs is 0 and must be a number of workers, or -1 for all cores")
            args.append(f"--workers={workers}")
        if getattr(self, "max_memory", None) is not None:
            args.append(f"--max-memory={self.max_memory}")
        return args

    def _seed(self):
        if self.random_state is None:
            return 1
        if isinstance(self.random_state, (int, np.integer)):
            if self.random_state < 0:
                raise ValueError(f"random_state is {self.random_state} and must be at least 0")
            return int(self.random_state)
        return int(check_random_state(self.random_state).randint(1 << 31))

    def _told(self):
        return Told(self.verbose, self.progress, scaled=not callable(self.kernel))

    def _fit(self, x, y=None, labels=None, sample_weight=None):
        """Fit to rows and keep the model file. y are numbers, or those of classes among labels."""
        args = self._args()
        self.landmarks_ = None
        if callable(self.kernel):
            things = objects_of(self, x, reset=True)
            some = things
            if sample_weight is not None:  # rows of weight 0 are no landmarks
                sample_weight = _weights(sample_weight, length(things))
                if sample_weight.any():
                    some = pick(things, np.flatnonzero(sample_weight))
            self.landmarks_ = Landmarks.fit(self.kernel, some, self.map, self.dim, self._seed())
            rows = Matrix(self.landmarks_.transform(things))
            args = [a for a in args if not a.startswith(("--map=", "--dim="))] + ["--map=none", "--scale=none"]
        else:
            rows = rows_of(self, x, reset=True)
        described, frames = rows.part(0, len(rows))
        if y is not None:
            check_consistent_length(rows, y)
            frames.append(array_frame("y", y))
        if sample_weight is not None:
            sample_weight = _weights(sample_weight, len(rows))
            if labels is not None and len(np.unique(y[sample_weight > 0])) < 2:
                raise ValueError("the rows of positive weight are of one class, and at least two classes are needed")
            frames.append(array_frame("weight", sample_weight))
        wants = bool(self.verbose) or self.progress is not None
        request = {"do": self._do, "args": args, "rows": described, "progress": wants}
        if labels is not None:
            request["labels"] = labels
        done, answer = _child.ask(request, frames, hear=self._told())
        self.model_file_ = answer["model"]
        self._describe(done["model"])
        return done

    def _describe(self, model):
        self.description_ = model
        self.dim_ = model["dim"]
        self._exec = True  # what was trained here may run its own kernel

    def _ask(self, do, x, **head):
        """Ask about rows part by part and return the frames of all, one after the other."""
        check_is_fitted(self, "model_file_")
        if self.landmarks_ is not None:
            rows = Matrix(self.landmarks_.transform(objects_of(self, x, reset=False)))
        else:
            rows = rows_of(self, x, reset=False)
        width = 8 * (self.dim_ if do == "features" else 2 * len(self.description_["classes"] or [1]))
        step = max(1, CHUNK // (rows.size() + width))
        parts = []
        for lo in range(0, len(rows), step):
            described, frames = rows.part(lo, lo + step)
            request = {"do": do, "args": self._run_args(), "rows": described, "exec": self._exec, **head}
            parts.append(_child.ask(request, frames, model=self.model_file_, hear=self._told())[1])
        if len(parts) == 1:
            return parts[0]
        return {name: np.concatenate([p[name] for p in parts]) for name in parts[0]}

    def _coverage(self, coverage):
        """Return a coverage that the model has."""
        known = self.description_["coverages"]
        if coverage not in known:
            raise ValueError(f"coverage is {coverage!r} and must be one of {', '.join(map(repr, known))}")
        return float(coverage)

    def explain(self, X, *, against=None, y_against=None, nearest=5):
        """Return why each row is predicted as it is: a list of dicts, those of ``kerf explain --row --json``.

        Each has the landmarks that are nearest and those that pull the score most, and under
        columns what each cell did to the score. With against, which are rows such as those of
        training, and their labels y_against, there are similar rows, too, and labels of
        landmarks. At most 1,000 rows are explained at once.
        """
        request, frames = self._to_explain(X)
        request["nearest"] = int(nearest)
        if against is not None:
            rows = rows_of(self, against, reset=False)
            request["others"], others = rows.part(0, len(rows))
            if y_against is not None:
                check_consistent_length(rows, y_against)
                request["other_labels"], codes = self._label_codes(y_against)
                others.append(array_frame("y", codes))
            frames = frames + [({**f, "name": "others." + f["name"]}, pieces) for f, pieces in others]
        elif y_against is not None:
            raise ValueError("y_against are the labels of against, and there are no such rows")
        return [self._own_words(row) for row in self._explained(request, frames)["rows"]]

    def column_importances(self, X, y, *, metric=None, repeats=5):
        """Return how much the loss grows when a column is exchanged between rows, the largest first.

        It is a list of dicts with column, mean, and the ends low and high of an interval for new
        rows: what ``kerf explain`` prints. The metric is as there, the error or the RMSE where it
        is None.
        """
        check_is_fitted(self, "model_file_")
        labels, codes = self._label_codes(y)
        request, frames = self._to_explain(X, codes)
        request.update(metric=metric or "", repeats=int(repeats), **({"labels": labels} if labels else {}))
        return self._explained(request, [*frames, array_frame("y", codes)])["importance"]

    def _to_explain(self, x, *beside):
        check_is_fitted(self, "model_file_")
        if self._do == "map":
            raise ValueError(f"{type(self).__name__} predicts nothing that could be explained")
        if self.landmarks_ is not None:
            raise ValueError("the kernel is a Python function, which the program cannot explain")
        rows = rows_of(self, x, reset=False)
        check_consistent_length(rows, *beside)
        described, frames = rows.part(0, len(rows))
        return {"do": "explain", "args": self._run_args(), "rows": described, "exec": self._exec}, frames

    def _explained(self, request, frames):
        return _child.ask(request, frames, model=self.model_file_, hear=self._told())[0]["explained"]

    def _label_codes(self, y):
        """Return names of labels and numbers among them, or no names and the numbers that y are."""
        if not self.description_["classes"] or self.description_["task"] == "regress":
            return None, np.asarray(y, dtype=np.float64).ravel()
        values, codes = np.unique(np.asarray(y).ravel(), return_inverse=True)
        return [label_text(v) for v in values.tolist()], codes

    def _own_words(self, row):
        """Return an explanation with labels and scores as the estimator has them."""
        return row

    def save(self, path):
        """Write the model to a file, whole or not at all: the same that ``kerf train -o`` writes.

        The program reads it (``kerf predict``, ``kerf serve``, ``kerf map``), and so does
        :func:`kerf.load`. A kernel that is a Python function cannot stand in it: use pickle.
        """
        check_is_fitted(self, "model_file_")
        if self.landmarks_ is not None:
            raise ValueError("the kernel is a Python function, which a model file cannot hold; use pickle")
        path = os.fspath(path)
        folder = os.path.dirname(path) or "."
        if not os.path.isdir(folder):
            raise FileNotFoundError(errno.ENOENT, f"there is no folder {folder} to write the model to", path)
        handle, temporary = tempfile.mkstemp(dir=folder, prefix=".kerf-")
        try:
            with os.fdopen(handle, "wb") as f:
                f.write(self.model_file_)
            os.chmod(temporary, 0o644)
            os.replace(temporary, path)
        except BaseException:
            os.unlink(temporary)
            raise

    def __sklearn_is_fitted__(self):
        return hasattr(self, "model_file_")

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.string = True
        tags.input_tags.categorical = True
        return tags


def has_sets(estimator):
    """Report whether there are prediction sets, or may be once the estimator is fitted."""
    if not hasattr(estimator, "model_file_"):
        return estimator.conformal is not None
    if not estimator.description_["coverages"]:
        raise AttributeError("the model has no prediction sets; train it with conformal=0.2")
    return True


def _weights(sample_weight, n):
    """Return the weights of n rows."""
    return _check_sample_weight(sample_weight, np.empty((n, 1)), dtype=np.float64, ensure_non_negative=True)


def _worded(name, value):
    if name == "class_weight" and isinstance(value, dict):
        for label in value:
            if "," in label_text(label):
                raise ValueError(f"class_weight: the label {label!r} has a comma in it; use sample_weight")
        return ",".join(f"{label_text(k)}={float(v)!r}" for k, v in value.items())
    if isinstance(value, (float, np.floating)):
        return repr(float(value))
    return str(value)


def label_text(label):
    """Return a label as it stands in a model file: whole numbers without a point."""
    if isinstance(label, (bool, np.bool_)):
        return str(bool(label))
    if isinstance(label, (float, np.floating)):
        return repr(int(label)) if float(label).is_integer() and abs(label) < 1e15 else repr(float(label))
    if isinstance(label, bytes):
        return label.decode("utf-8")
    return str(label)
