"""Measures what the Python package costs beside the program on a file, in CPU seconds.

Both train the same recipe on the same rows and predict them, each of them with the start of
its process and the reading of its data, RUNS times in turn; the median of each is printed.
"""

import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time

import numpy as np

import kerf

ROWS, COLS = int(os.environ.get("ROWS", "100000")), int(os.environ.get("COLS", "50"))
RUNS = int(os.environ.get("RUNS", "3"))
RECIPES = {
    "nothing chosen": {"effort": "least", "scale": "standard"},
    "rbf, f2, 200 landmarks": {"kernel": "rbf", "map": "f2", "dim": 200, "C": 1, "scale": "none"},
}


def spent():
    """Return the CPU seconds of this process and of its children that have ended."""
    both = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(u.ru_utime + u.ru_stime for u in both)


def measured(work):
    kerf.close()
    cpu, clock = spent(), time.monotonic()
    work()
    kerf.close()
    return spent() - cpu, time.monotonic() - clock


def program(*args):
    subprocess.run([kerf.program(), *args, "-q"], check=True, stdout=subprocess.DEVNULL)


def main():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(ROWS, COLS))
    y = (x[:, 0] * x[:, 1] + x[:, 2] + 0.5 * rng.normal(size=ROWS) > 0).astype(int)
    out = []
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        np.save("x.npy", x)
        np.save("y.npy", y)
        np.savetxt("xy.csv", np.c_[x, y], delimiter=",", fmt=["%.17g"] * COLS + ["%d"])
        for name, recipe in RECIPES.items():
            if os.environ.get("RECIPE", "") not in name:
                continue
            flags = [f"--{k}={v}" for k, v in recipe.items()]
            model = kerf.KernelClassifier(**recipe)
            works = {
                "train, NPY file": lambda: program("train", "x.npy", "--labels=y.npy", "-o", "m.kerf", *flags),
                "train, CSV file": lambda: program("train", "xy.csv", "-o", "c.kerf", *flags),
                "train, Python": lambda: model.fit(x, y),
                "predict, NPY file": lambda: program("predict", "m.kerf", "x.npy", "-o", "p.txt"),
                "predict, CSV file": lambda: program("predict", "c.kerf", "xy.csv", "-o", "p.txt"),
                "predict, Python": lambda: model.predict(x),
            }
            times = {what: [] for what in works}
            for _ in range(RUNS):
                for what, work in works.items():
                    times[what].append(measured(work))
            with open("p.txt", encoding="utf-8") as f:
                same = np.mean(model.predict(x).astype(str) == np.array(f.read().split()))
            for what, all_ in times.items():
                cpu, clock = (statistics.median(t) for t in zip(*all_))
                out.append({"recipe": name, "work": what, "cpu_seconds": cpu, "seconds": clock, "same": same})
                if not os.environ.get("JSON"):
                    print(f"{name:24} {what:18} {cpu:7.2f} s of CPU {clock:7.2f} s", flush=True)
    if os.environ.get("JSON"):
        json.dump(out, sys.stdout)


if __name__ == "__main__":
    main()
