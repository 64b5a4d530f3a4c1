"""The child process: it works, is interrupted, and is never left behind."""

import os
import pickle
import signal
import subprocess
import sys
import textwrap
import threading
import time

import numpy as np
import pytest
from sklearn.datasets import load_iris

import kerf
from kerf import _child

X, Y = load_iris(return_X_y=True)
LINUX = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="it looks at /proc")


def children(pid):
    """Return the processes of a process, also those that wait to be reaped."""
    out = []
    for entry in os.listdir("/proc"):
        if not entry.isdigit():
            continue
        try:
            with open(f"/proc/{entry}/stat", encoding="utf-8") as f:
                rest = f.read().rpartition(")")[2].split()
        except OSError:
            continue
        if int(rest[1]) == pid:
            out.append(int(entry))
    return out


def gone(pid, within=10.0):
    end = time.monotonic() + within
    while time.monotonic() < end:
        try:
            with open(f"/proc/{pid}/stat", encoding="utf-8") as f:
                if f.read().rpartition(")")[2].split()[0] == "Z":
                    return True
        except OSError:
            return True
        time.sleep(0.02)
    return False


LONG = """
    import os, sys, numpy as np, kerf
    rng = np.random.default_rng(0)
    x = rng.normal(size=(20000, 20)); y = np.sign(x[:, 0] * x[:, 1] + rng.normal(size=len(x)))
    def told(sight):
        print("begun", flush=True)
    try:
        kerf.KernelClassifier(effort="thorough", progress=told).fit(x, y)
    except KeyboardInterrupt:
        import subprocess
        print("interrupted", flush=True)
        print(kerf.KernelClassifier().fit([[0.0], [1.0], [2.0], [3.0]] * 5, [0, 0, 1, 1] * 5).predict([[3.0]]), flush=True)
"""


def begin(script):
    p = subprocess.Popen([sys.executable, "-c", textwrap.dedent(script)], stdout=subprocess.PIPE, text=True,
                         start_new_session=True)  # fmt: skip
    assert p.stdout.readline().strip() == "begun"
    return p


@LINUX
@pytest.mark.parametrize("before", ["", "import polars\n"], ids=["alone", "polars"])  # which takes over Ctrl-C
def test_keyboard_interrupt(before):
    p = begin(before + textwrap.dedent(LONG))
    child = children(p.pid)
    assert len(child) == 1
    t = time.monotonic()
    os.kill(p.pid, signal.SIGINT)
    line = p.stdout.readline()
    while line.strip() == "begun":
        line = p.stdout.readline()
    assert line.strip() == "interrupted"
    assert time.monotonic() - t < 10
    assert gone(child[0])
    assert p.stdout.readline().strip() == "[1]"  # and it goes on
    assert p.wait(timeout=20) == 0
    p.stdout.close()


@LINUX
def test_killed_parent_takes_its_child_along():
    p = begin(LONG)
    child = children(p.pid)
    p.kill()
    p.wait()
    p.stdout.close()
    assert gone(child[0])


@LINUX
def test_nothing_is_left_at_exit():
    script = """
        import kerf, os
        kerf.KernelClassifier().fit([[0.0], [1.0], [2.0], [3.0]] * 5, [0, 0, 1, 1] * 5)
        print("begun", flush=True); print(kerf._child._idle[0].process.pid, flush=True)
    """
    p = begin(script)
    pid = int(p.stdout.readline())
    assert p.wait(timeout=20) == 0
    p.stdout.close()
    assert gone(pid)


def test_one_child_is_kept():
    kerf.KernelClassifier().fit(X, Y)
    pid = _child._idle[-1].process.pid
    model = kerf.KernelClassifier().fit(X, Y)
    model.predict(X)
    with pytest.raises(ValueError):
        kerf.KernelClassifier("nonsense").fit(X, Y)
    assert _child._idle[-1].process.pid == pid
    kerf.close()
    assert not _child._idle
    model.predict(X)


def test_many_models():
    models = [kerf.KernelClassifier(random_state=i).fit(X, Y) for i in range(12)]
    want = [m.predict(X) for m in models]
    assert len(_child._idle[-1].models) <= _child.MODELS
    for m, w in zip(models * 2, want * 2):
        assert (m.predict(X) == w).all()


@LINUX
def test_a_child_that_dies():
    kerf.KernelClassifier().fit(X, Y)
    os.kill(_child._idle[-1].process.pid, signal.SIGKILL)
    time.sleep(0.1)
    assert kerf.KernelClassifier().fit(X, Y).score(X, Y) > 0.9  # the next one takes over

    def kill(_):
        for child in _child._busy:
            os.kill(child.process.pid, signal.SIGKILL)

    x = np.random.default_rng(0).normal(size=(5000, 20))
    with pytest.raises(kerf.KerfError, match="ended in the middle"):
        kerf.KernelClassifier(effort="thorough", progress=kill).fit(x, x[:, 0] > 0)


def test_progress_and_its_errors(capsys):
    x = np.random.default_rng(0).normal(size=(4000, 20))
    y = x[:, 0] * x[:, 1] > 0
    seen = []
    kerf.KernelClassifier(effort="normal", single=True, time="4s", progress=seen.append, verbose=True).fit(x, y)
    assert seen and {"task", "within", "part", "elapsed"} <= set(seen[0])
    assert all(0 <= s["part"] <= 1 for s in seen)
    assert "kerf: " in capsys.readouterr().err

    def stop(_):
        raise ValueError("enough")

    with pytest.raises(ValueError, match="enough"):
        kerf.KernelClassifier(effort="normal", progress=stop).fit(x, y)
    assert kerf.KernelClassifier().fit(X, Y).score(X, Y) > 0.9


def test_threads():
    want = kerf.KernelClassifier().fit(X, Y).predict(X)
    got = []

    def work():
        got.append((kerf.KernelClassifier(n_jobs=1).fit(X, Y).predict(X) == want).all())

    threads = [threading.Thread(target=work) for _ in range(6)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert got == [True] * 6
    assert len(_child._idle) <= _child.IDLE


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
@pytest.mark.filterwarnings("ignore:.*fork.*")
def test_fork():
    model = kerf.KernelClassifier().fit(X, Y)
    want = model.predict(X)
    pid = os.fork()
    if pid == 0:
        status = 1
        try:
            status = 0 if (model.predict(X) == want).all() else 2
            kerf.close()
        finally:
            os._exit(status)
    assert os.waitpid(pid, 0)[1] == 0
    assert (model.predict(X) == want).all()


def test_memory():
    x = np.random.default_rng(0).normal(size=(20000, 60))
    with pytest.raises(MemoryError) as e:
        kerf.KernelClassifier("rbf", map="f2", dim=5000, max_memory="100MiB").fit(x, x[:, 0] > 0)
    assert "\n" not in str(e.value)
    assert kerf.KernelClassifier().fit(X, Y).score(X, Y) > 0.9


@LINUX
def test_garbage_on_the_pipe():
    for sent in (b"", b"hello\n", b"KRF1\xff\xff\xff\xff", b"KRF1\x02\0\0\0{", b"KRF1\x02\0\0\0[]" * 3):
        p = subprocess.run([kerf.program(), "pipe"], input=sent, capture_output=True, timeout=20, check=False)
        assert p.stderr.count(b"\n") <= 1 and b"goroutine" not in p.stderr
        assert (p.returncode == 0) == (sent == b"")


def test_joblib_processes():
    from sklearn.model_selection import cross_val_score

    assert cross_val_score(kerf.KernelClassifier(n_jobs=1), X, Y, cv=3, n_jobs=2).mean() > 0.9


def test_estimators_are_plain_values():
    assert pickle.loads(pickle.dumps(kerf.KernelClassifier("rbf", dim=3))).get_params()["dim"] == 3
    assert repr(kerf.KernelFeatures("rbf", dim=3)) == "KernelFeatures(dim=3, kernel='rbf')"
