"""Model files."""

import os

import numpy as np

from . import _child
from ._estimators import KernelClassifier, KernelFeatures, KernelRegressor, OneClass


def load(path, *, allow_exec=False):
    """Return the estimator of a model file, such as ``kerf train -o`` or :meth:`save` writes.

    A model whose kernel is a program (``exec:``) starts it, and is refused unless allow_exec
    is set. Classes are whole numbers, or numbers, where all of their names read as such.
    """
    with open(os.fspath(path), "rb") as f:
        content = f.read()
    done, _ = _child.ask({"do": "open", "exec": allow_exec}, model=content)
    model = done["model"]
    if model["learner"] == "none":
        out = KernelFeatures()
    elif model["learner"] == "one-class":
        out = OneClass()
        out.offset_ = 0.0
    elif model["task"] == "regress":
        out = KernelRegressor()
    else:
        out = KernelClassifier()
    out.model_file_, out.landmarks_ = content, None
    out._describe(model)
    out._exec = allow_exec
    if isinstance(out, KernelClassifier):
        out._take_classes(_classes(model["classes"]), model["classes"])
    if model["width"]:
        out.n_features_in_ = model["width"] - (model["format"] == "LIBSVM")
    return out


def _classes(names):
    for kind in (np.int64, np.float64):
        try:
            values = np.array([kind(n) for n in names])
        except ValueError:
            continue
        if len(np.unique(values)) == len(names):
            return values
    return np.array(names)
