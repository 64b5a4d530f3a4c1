"""kerf: kernel features, as estimators of scikit-learn.

    from kerf import KernelClassifier
    model = KernelClassifier().fit(X, y)

The work is done by the program kerf, which is in the package and runs as a child of this
process; it ends when this process does.
"""

from ._child import close
from ._errors import KerfError, KerfWarning
from ._estimators import KernelClassifier, KernelFeatures, KernelRegressor, OneClass
from ._load import load
from ._program import program
from ._version import __version__

__all__ = [
    "KerfError",
    "KerfWarning",
    "KernelClassifier",
    "KernelFeatures",
    "KernelRegressor",
    "OneClass",
    "__version__",
    "close",
    "load",
    "program",
]
