"""The program as a child of this process, which ends with it."""

import atexit
import hashlib
import io
import os
import select
import subprocess
import threading
from collections import OrderedDict

from ._errors import KerfError, error_of
from ._frames import bytes_frame, read_message, write_message
from ._program import program

MODELS = 8  # that a child keeps
WRITTEN = 1 << 20  # bytes at a time
IDLE = 4  # children that wait for the next request


class Child:
    """A child that answers one request at a time."""

    def __init__(self):
        options = {}
        if os.name != "nt":
            options["start_new_session"] = True  # Ctrl-C is for this process, which ends the child
        self.process = subprocess.Popen(
            [program(), "pipe"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0, **options
        )
        _widen(self.process.stdin)
        self.reader = io.BufferedReader(_Heard(self.process.stdout), 1 << 16)
        self.models = OrderedDict()
        self.busy = False  # with a request whose answer is not whole

    def ask(self, head, frames, model=None, hear=None):
        """Send a request and return the head and the frames of its answer.

        A model is the bytes of its file, which are sent once. What the child tells on the
        way is handed to hear.
        """
        if model is not None:
            head, frames = self._with_model(head, frames, model)
        self.busy = True
        try:
            write_message(self._write, head, frames)
            while True:
                said, arrays = read_message(self.reader)
                if "done" in said:
                    self.busy = False
                    return said["done"], arrays
                if "error" in said:
                    self.busy = False
                    if model is not None:
                        self.models.pop(head["model"], None)
                    raise error_of(**said["error"])
                if hear is not None:
                    hear(said)
        except (BrokenPipeError, EOFError, ConnectionError) as e:
            status = self.end(wait=1)
            raise KerfError(
                f"the program kerf ended in the middle of its work (status {status}); memory may have run out"
            ) from e

    def _write(self, piece):
        view = memoryview(piece)
        while len(view):
            view = view[self.process.stdin.write(view[:WRITTEN]) :]

    def _with_model(self, head, frames, model):
        name = hashlib.sha256(model).hexdigest() + ("x" if head.get("exec") else "")
        head = {**head, "model": name, "forget": []}
        if name not in self.models:
            frames = [bytes_frame("model", model), *frames]
            while len(self.models) >= MODELS:
                head["forget"].append(self.models.popitem(last=False)[0])
        self.models[name] = True
        self.models.move_to_end(name)
        return head, frames

    def alive(self):
        """Report whether the child can be asked."""
        return self.process.poll() is None

    def end(self, wait=0):
        """End the child and return its exit status: it stops by itself when its input ends."""
        for stream in (self.process.stdin, self.process.stdout):
            try:
                stream.close()
            except OSError:
                pass
        try:
            return self.process.wait(timeout=wait)
        except subprocess.TimeoutExpired:
            self.process.kill()
            return self.process.wait()

    def abandon(self):
        """Close what a forked process has of a child that is not its own."""
        self.process.stdin.close()
        self.process.stdout.close()
        self.process.returncode = 0  # nobody waits for it here


class _Heard(io.RawIOBase):
    """A pipe that is waited for a second at a time.

    A library that has taken over Ctrl-C, as polars does, may have the system go on reading after it.
    """

    def __init__(self, stream):
        self.stream = stream
        self.ready = None
        if hasattr(select, "poll"):
            self.ready = select.poll()
            self.ready.register(stream, select.POLLIN)

    def readable(self):
        return True

    def readinto(self, into):
        while self.ready is not None and not self.ready.poll(1000):
            pass  # Python looks for signals between two calls
        return self.stream.readinto(into)


def _widen(stream):
    """Give a pipe more room than the 64 KiB of Linux, where that can be done: fewer changes of process."""
    try:
        import fcntl

        fcntl.fcntl(stream.fileno(), fcntl.F_SETPIPE_SZ, WRITTEN)
    except (ImportError, AttributeError, OSError):  # other systems, or the user has many wide pipes already
        pass


_lock = threading.Lock()
_idle = []
_busy = set()


def ask(head, frames=(), model=None, hear=None):
    """Ask a child that is idle, or a new one. Whatever interrupts the answer ends the child."""
    child = _take()
    try:
        answer = child.ask(head, list(frames), model, hear)
    finally:
        if child.busy:  # by an interruption, or an error of a callback: half an answer is on its way
            _drop(child)
        else:
            _give(child)
    return answer


def _take():
    with _lock:
        while _idle:
            child = _idle.pop()
            if child.alive():
                break
            child.end()
        else:
            child = Child()
        _busy.add(child)
    return child


def _give(child):
    with _lock:
        _busy.discard(child)
        if len(_idle) < IDLE:
            _idle.append(child)
            return
    child.end(wait=1)


def _drop(child):
    with _lock:
        _busy.discard(child)
    child.end()


@atexit.register
def close():
    """End all children that wait. The next call starts a new one."""
    with _lock:
        children = list(_idle)
        _idle.clear()
    for child in children:
        child.end(wait=1)


def _forked():
    global _lock
    _lock = threading.Lock()
    for child in [*_idle, *_busy]:
        child.abandon()
    _idle.clear()
    _busy.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forked)
