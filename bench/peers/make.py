"""Makes the data of bench/peers, as files that all contenders read:
make.py FOLDER SET ROWS [DATA], DATA the folder of the public data sets. Everything random has a fixed seed."""
import gzip
import os
import sys

import numpy as np
from sklearn.datasets import dump_svmlight_file, load_svmlight_file

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "peer"))
from sets import clusters, dense, sparse, waves, write


def points(rows, cols):
    rng = np.random.default_rng(1)
    x, z = rng.standard_normal((rows, cols)), rng.standard_normal((2000, cols))
    return {"x": x, "z": z, "v": rng.standard_normal(2000)}


def public(name, rows, data):
    """The first rows of a LIBSVM file with a test file, in a random order, dense."""
    with gzip.open(f"{data}/{name}.libsvm.gz") as a, gzip.open(f"{data}/{name}.t.libsvm.gz") as b:
        (x, y), (xt, yt) = load_svmlight_file(a), load_svmlight_file(b, n_features=None)
    cols = max(x.shape[1], xt.shape[1])
    x.resize((x.shape[0], cols))
    xt.resize((xt.shape[0], cols))
    at = np.random.default_rng(1).permutation(x.shape[0])[:rows]
    xt, yt = xt[: max(rows, 5000)], yt[: max(rows, 5000)]
    return {"x": x[at].toarray(), "y": y[at], "xt": xt.toarray(), "yt": yt}


def covtype(rows, data):
    a = np.loadtxt(gzip.open(f"{data}/covtype20k.csv.gz", "rt"), delimiter=",")
    a = a[np.random.default_rng(1).permutation(len(a))]
    x, y = a[:, :-1], a[:, -1]
    rows = min(rows, len(x) * 3 // 4)
    centre, spread = x[:rows].mean(0), x[:rows].std(0)
    x = (x - centre) / np.where(spread > 0, spread, 1)
    return {"x": x[:rows], "y": y[:rows], "xt": x[rows:], "yt": y[rows:]}


def california(rows, data):
    a = np.loadtxt(gzip.open(f"{data}/california.csv.gz", "rt"), delimiter=",", skiprows=1)
    a = a[np.random.default_rng(1).permutation(len(a))]
    x, y = a[:, :-1], a[:, -1]
    x, y = (x - x[:rows].mean(0)) / x[:rows].std(0), y - y[:rows].mean()
    return {"x": x[:rows], "y": y[:rows], "xt": x[rows : rows + 4000], "yt": y[rows : rows + 4000]}


def strings(name, rows, data):
    """Lines of a label, a tab and a text."""
    if name == "sms":
        lines = gzip.open(f"{data}/sms-spam.tsv.gz", "rt", encoding="utf-8").read().splitlines()
        pairs = [line.split("\t", 1) for line in lines]
    elif name == "splice":
        lines = gzip.open(f"{data}/splice-dna.csv.gz", "rt").read().splitlines()
        pairs = [(c[0].strip(), c[2].strip()) for c in (line.split(",") for line in lines)]
    else:
        text = gzip.open(f"{data}/celegans-acceptor.fasta.gz", "rt").read().split(">")[1:]
        pairs = []
        for entry in text:
            head, *body = entry.splitlines()
            pairs.append((head.split("label=")[1].split()[0], "".join(body)))
    at = np.random.default_rng(1).permutation(len(pairs))[: rows + rows // 3]
    return [pairs[i] for i in at[:rows]], [pairs[i] for i in at[rows:]]


def tables(folder, rows):
    """The same 50 columns of numbers as CSV, LIBSVM and Parquet."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    rng = np.random.default_rng(1)
    x, y = np.round(rng.standard_normal((rows, 50)), 6), rng.integers(0, 2, rows)
    names = [f"c{j}" for j in range(50)] + ["label"]
    np.savetxt(f"{folder}/table.csv", np.column_stack([x, y]), fmt=["%.6f"] * 50 + ["%d"], delimiter=",",
               header=",".join(names), comments="")
    dump_svmlight_file(x, y, f"{folder}/table.libsvm", zero_based=False)
    columns = [pa.array(x[:, j]) for j in range(50)] + [pa.array(y)]
    pq.write_table(pa.table(columns, names=names), f"{folder}/table.parquet")


def main(folder, name, rows, data):
    rows = int(rows)
    os.makedirs(folder)
    if name == "tables":
        return tables(folder, rows)
    if name == "adult":
        for part in "adult", "adult.t":
            lines = gzip.open(f"{data}/{part}.csv.gz").readlines()
            with open(f"{folder}/{part}.csv", "wb") as out:
                out.writelines(lines[:rows] if part == "adult" else lines)
        return None
    if name in ("sms", "splice", "celegans"):
        for part, pairs in zip(("train", "test"), strings(name, rows, data)):
            with open(f"{folder}/{part}.tsv", "w", encoding="utf-8") as out:
                out.writelines(f"{label}\t{text}\n" for label, text in pairs)
        return None
    of = {"points50": lambda: points(rows, 50), "points784": lambda: points(rows, 784),
          "clusters": lambda: clusters(rows), "noisy": lambda: clusters(rows, 0.15), "dense": lambda: dense(rows),
          "sparse": lambda: sparse(rows), "waves": lambda: waves(rows), "covtype": lambda: covtype(rows, data),
          "california": lambda: california(rows, data)}
    return write(folder, of[name]() if name in of else public(name, rows, data))


if __name__ == "__main__":
    main(*sys.argv[1:])
