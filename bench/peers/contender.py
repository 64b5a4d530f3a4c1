"""One system that kerf is measured beside, as a program: contender.py NAME. It reads a job a line and answers with
the seconds that its work took and, where asked, what it came to; what is prepared for a job is off the clock."""
import os
import sys

import numpy as np
import scipy.sparse as sp

here = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [here, os.path.join(here, "..", "peer")]
from peer import kept, serve

NAME = sys.argv[1]


def array(job, name):
    """Returns an array of the job's set in its precision, sparse rows where they are; read once."""
    key = job["dir"], name, job["precision"]
    if key not in kept:
        path = os.path.join(job["dir"], name + ".npy")
        if not os.path.exists(path) and name in ("x", "xt"):
            part = [np.load(os.path.join(job["dir"], f"{p}{name[1:]}.npy")) for p in ("data", "indices", "indptr")]
            part[0] = part[0].astype(job["precision"])
            kept[key] = sp.csr_matrix(tuple(part), shape=(len(part[2]) - 1, job["cols"]))
        else:
            a = np.load(path)
            kept[key] = np.ascontiguousarray(a, dtype=job["precision"] if name in ("x", "xt", "z", "v") else None)
    return kept[key]


def prepare(job):
    import works

    make = works.find(job["work"], NAME)
    run = make(job)

    def timed():
        value = run()
        return (lambda: {"value": float(value())}) if job.get("check") else None

    return timed


if __name__ == "__main__":
    # Answers alone go to standard output; what libraries print goes to standard error.
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    sys.modules["contender"] = sys.modules["__main__"]
    serve(prepare, answers)
