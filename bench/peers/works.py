"""Finds who does a work, by its name."""
import importlib

WORKS = {}  # by work and contender: a function of the job, which returns the work as a function that is timed
MODULES = {"gram": ("block", "product"), "maps": ("f2", "fourier", "sketch", "gaussian", "thin"),
           "machines": ("svm", "svm-predict", "svm-one"), "linear": ("linear", "logistic"),
           "ridge": ("ridge", "falkon", "metric"), "texts": ("text",), "tables": ("auto", "auto-quick", "csv", "libsvm", "parquet"),
           "chain": ("chain",)}


def work(name, *who):
    """Names the function that follows as what these contenders do for a work. What it returns is timed; that
    returns a function which says what it came to."""

    def keep(f):
        for w in who:
            WORKS[name, w] = f
        return f

    return keep


def find(name, who):
    for module, names in MODULES.items():
        if name in names:
            importlib.import_module("peers_" + module)
    return WORKS[name, who]
