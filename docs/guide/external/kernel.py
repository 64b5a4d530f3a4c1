#!/usr/bin/env python3
"""A Gaussian kernel on vectors for kerf: --kernel 'exec:python3 kernel.py 0.5'.

Each line read is a JSON array of pairs [x, y]; each line written is a JSON array
of as many numbers. The argument is gamma in exp(-gamma*|x-y|^2).
"""
import json
import math
import sys
from itertools import zip_longest

gamma = float(sys.argv[1]) if len(sys.argv) > 1 else 1.0


def kernel(x, y):
    # Zeros at the end of a vector may be missing.
    return math.exp(-gamma * sum((a - b) ** 2 for a, b in zip_longest(x, y, fillvalue=0.0)))


for line in sys.stdin:
    values = [kernel(x, y) for x, y in json.loads(line)]
    print(json.dumps(values), flush=True)  # a line that stays in a buffer is no answer
