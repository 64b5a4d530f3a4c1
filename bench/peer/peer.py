"""What the peers in Python share: they read one JSON object a line, do the work
once, and answer with the seconds it took. Data are made once and kept.
"""
import json
import sys
import time

import numpy as np
from threadpoolctl import threadpool_limits

rng = np.random.default_rng(1)
kept = {}


def data(key, make):
    """Returns what make returned when the key was first asked for."""
    if key not in kept:
        kept[key] = make()
    return kept[key]


def normal(shape, dtype):
    """Returns an array of normal variates, the same one for the same shape."""
    return data((shape, dtype), lambda: rng.standard_normal(shape).astype(dtype))


def serve(prepare, out=None):
    """Answers jobs until input ends. prepare(job) returns the work as a function
    without arguments; if the work returns a dict, it goes into the answer, and if
    it returns a function, so does the dict that this one returns off the clock.
    A job may ask for least seconds: the work is then done again and again until they
    have passed, and the seconds are those of one time. Of a job that is only to be
    ready the work is prepared, and not done. Answers go to out, or to standard
    output."""
    for line in sys.stdin:
        try:
            job = json.loads(line)
            run = prepare(job) if job["work"] != "hello" else lambda: None
            if job.get("ready"):
                run = lambda: None
            with threadpool_limits(job.get("threads", 2)):
                begun, times, seconds = time.perf_counter(), 0, -1.0
                while seconds < job.get("least", 0):
                    result = run()
                    times, seconds = times + 1, time.perf_counter() - begun
                seconds /= times
                if callable(result):
                    result = result()
            answer = {"seconds": seconds}
            if isinstance(result, dict):
                answer["result"] = result
            del result
        except Exception as fault:  # the Go side reports it
            answer = {"error": repr(fault)}
        print(json.dumps(answer), file=out or sys.stdout, flush=True)
