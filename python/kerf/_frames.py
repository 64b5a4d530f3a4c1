"""Messages to and from the program: a head of JSON and frames behind it."""

import io
import json
import struct

import numpy as np

MAGIC = b"KRF1"
MISSING = 0xFFFFFFFF
KINDS = {"f4", "f8", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "b1"}


def array_frame(name, array):
    """Return the frame of an array, which is copied only where its layout or type asks for it."""
    if array.dtype.str[1:] not in KINDS:
        array = array.astype(np.float64)
    if not (array.flags.c_contiguous or array.flags.f_contiguous):
        array = np.ascontiguousarray(array)
    head = io.BytesIO()
    np.lib.format.write_array_header_1_0(head, np.lib.format.header_data_from_array_1_0(array))
    body = array if array.flags.c_contiguous else array.T
    return _frame(name, "npy", [head.getvalue(), _bytes_of(body)])


def text_frame(name, texts):
    """Return the frame of texts, None for one that is missing."""
    encoded = [None if t is None else t.encode("utf-8") for t in texts]
    lengths = np.fromiter((MISSING if e is None else len(e) for e in encoded), dtype="<u4", count=len(encoded))
    body = b"".join(e for e in encoded if e is not None)
    return _frame(name, "text", [_bytes_of(lengths), body], count=len(encoded))


def bytes_frame(name, content):
    """Return the frame of bytes."""
    return _frame(name, "bytes", [content])


def _bytes_of(array):
    return memoryview(array).cast("B") if array.size else b""


def _frame(name, form, pieces, **more):
    size = sum(len(p) for p in pieces)
    return {"name": name, "form": form, "size": size, **more}, pieces


def write_message(write, head, frames=()):
    """Write a message by a function that writes all of what it is given."""
    text = json.dumps({**head, "frames": [f for f, _ in frames]}).encode("utf-8")
    write(MAGIC + struct.pack("<I", len(text)) + text)
    for _, pieces in frames:
        for piece in pieces:
            write(piece)


def read_message(stream):
    """Read a message and return its head and its frames by name: arrays, or bytes."""
    begin = _exactly(stream, 8)
    if begin[:4] != MAGIC:
        raise EOFError
    head = json.loads(_exactly(stream, struct.unpack("<I", begin[4:])[0]))
    frames = {}
    for f in head.pop("frames"):
        if f["form"] == "npy":
            frames[f["name"]] = _read_array(stream)
        else:
            frames[f["name"]] = bytes(_exactly(stream, f["size"]))
    return head, frames


def _exactly(stream, size):
    content = bytearray(size)
    _fill(stream, memoryview(content))
    return content


def _fill(stream, view):
    at = 0
    while at < len(view):
        n = stream.readinto(view[at:])
        if not n:
            raise EOFError
        at += n


def _read_array(stream):
    np.lib.format.read_magic(stream)
    shape, fortran, dtype = np.lib.format.read_array_header_1_0(stream)
    array = np.empty(shape, dtype=dtype, order="F" if fortran else "C")
    if array.size:
        _fill(stream, memoryview(array).cast("B"))
    return array
