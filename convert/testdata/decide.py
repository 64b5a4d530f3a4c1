"""Prints the decision values that LIBSVM's or LIBLINEAR's library computes, a row a line.

    decide.py libsvm|liblinear MODEL DATA
"""
import ctypes
import ctypes.util
import sys


class Node(ctypes.Structure):
    _fields_ = [("index", ctypes.c_int), ("value", ctypes.c_double)]


def main():
    kind, path, data = sys.argv[1:]
    if kind == "libsvm":
        library = ctypes.CDLL(ctypes.util.find_library("svm"))
        load, classes = library.svm_load_model, library.svm_get_nr_class
        values, type_of = library.svm_predict_values, library.svm_get_svm_type
    else:
        library = ctypes.CDLL(ctypes.util.find_library("linear"))
        load, classes, values = library.load_model, library.get_nr_class, library.predict_values
    load.restype, load.argtypes = ctypes.c_void_p, [ctypes.c_char_p]
    classes.argtypes = [ctypes.c_void_p]
    values.restype = ctypes.c_double
    values.argtypes = [ctypes.c_void_p, ctypes.POINTER(Node), ctypes.POINTER(ctypes.c_double)]
    model = load(path.encode())
    if not model:
        sys.exit("the library does not read the model")
    k = classes(model)
    n = k
    if kind == "libsvm":
        type_of.argtypes = [ctypes.c_void_p]
        n = k * (k - 1) // 2 if type_of(model) < 2 else 1
    elif k == 2 and "MCSVM_CS" not in open(path).readline():
        n = 1
    bias, features = -1.0, 0
    if kind == "liblinear":
        for line in open(path):
            word = line.split()
            if word[0] == "bias":
                bias = float(word[1])
            if word[0] == "nr_feature":
                features = int(word[1])
            if word[0] == "w":
                break
    out = (ctypes.c_double * n)()
    for line in open(data):
        pairs = [word.split(":") for word in line.split()[1:]]
        row = [(int(index), float(value)) for index, value in pairs]
        if kind == "liblinear":
            row = [(index, value) for index, value in row if index <= features]
            if bias >= 0:
                row.append((features + 1, bias))
        nodes = (Node * (len(row) + 1))(*[Node(i, v) for i, v in row], Node(-1, 0))
        values(model, nodes, out)
        print(*[repr(v) for v in out])


main()
