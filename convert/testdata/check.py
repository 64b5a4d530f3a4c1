"""Runs graphs of ONNX on rows and compares them with what kerf predict --json printed.

    check.py MODEL.onnx PREDICTIONS.json DATA MOST …

Rows of a table are the cells that kerf predict --keep all printed; others are read from
DATA, in the format LIBSVM or IDX, MOST of them. For each four arguments it prints a line
of JSON with the largest differences.
"""
import gzip
import json
import struct
import sys

import numpy
import onnx
import onnxruntime


def opened(path):
    return gzip.open(path, "rb") if path.endswith(".gz") else open(path, "rb")


def number(cell):
    try:
        return float(cell)
    except ValueError:
        return float("nan")


def sparse(path, most):
    rows = []
    for line in opened(path):
        if len(rows) == most:
            break
        pairs = [word.split(b":") for word in line.split()[1:]]
        rows.append([(int(index), float(value)) for index, value in pairs])
    width = 1 + max(index for row in rows for index, _ in row)
    return rows, width


def dense(rows, width):
    out = numpy.zeros((len(rows), width))
    for i, row in enumerate(rows):
        for index, value in row:
            out[i, index] = value
    return out


def images(path, most):
    with opened(path) as f:
        _, n, height, width = struct.unpack(">IIII", f.read(16))
        n = min(n, most)
        return numpy.frombuffer(f.read(n * height * width), numpy.uint8).reshape(n, -1).astype(float)


def batches(session, said, path, most):
    inputs = session.get_inputs()
    n = len(said["predictions"])
    if "kept" in said:
        place = {name: at for at, name in enumerate(said["columns"])}
        place |= {f"column {at + 1}": at for at in range(len(place)) if f"column {at + 1}" not in place}
        feed = {}
        for i in inputs:
            cells = [row[place[i.name]] for row in said["kept"]]
            if i.type == "tensor(string)":
                feed[i.name] = numpy.array(cells, dtype=object).reshape(-1, 1)
            else:
                feed[i.name] = numpy.array([number(c) for c in cells]).reshape(-1, 1)
        step = 2000
        for lo in range(0, n, step):
            yield {name: values[lo:lo + step] for name, values in feed.items()}
        return
    if ".idx" in path:
        rows = images(path, most)
        for lo in range(0, n, 2000):
            yield {"x": rows[lo:lo + 2000]}
        return
    rows, width = sparse(path, most)
    step = max(1, min(2000, 20_000_000 // width))
    for lo in range(0, n, step):
        yield {"x": dense(rows[lo:lo + step], width)}


def check(model, predictions, path, most):
    onnx.checker.check_model(onnx.load(model), full_check=True)
    said = json.load(open(predictions))
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 2
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    names = [o.name for o in session.get_outputs()]
    parts = {name: [] for name in names}
    for feed in batches(session, said, path, most):
        for name, value in zip(names, session.run(names, feed)):
            parts[name].append(value)
    got = {name.removeprefix("kerf_"): numpy.concatenate(values) for name, values in parts.items()}
    out = {"rows": len(said["predictions"])}
    if "label" in got:
        out["labels"] = int(sum(a != b for a, b in zip(got["label"], said["predictions"])))
    said.setdefault("scores", None)
    if "probabilities" in said:
        out["probabilities"] = float(abs(got["probabilities"] - numpy.array(said["probabilities"])).max())
        return out
    scores = said["scores"] or [[value] for value in said["predictions"]]
    assert got["scores"].shape == (len(scores), len(scores[0])), got["scores"].shape
    out["scores"] = float(abs(got["scores"] - numpy.array(scores)).max())
    out["size"] = float(abs(numpy.array(scores)).max())
    return out


def main():
    for at in range(1, len(sys.argv), 4):
        model, predictions, path, most = sys.argv[at:at + 4]
        try:
            print(json.dumps(check(model, predictions, path, int(most))))
        except Exception as e:  # of any kind: the test tells which model it was
            print(json.dumps({"error": f"{type(e).__name__}: {e}"[:2000]}))


main()
