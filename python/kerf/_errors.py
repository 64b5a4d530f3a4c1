"""What can go wrong, in one line each."""

import re


class KerfError(RuntimeError):
    """kerf failed at something that is neither the data's nor the parameters' fault."""


class KerfWarning(UserWarning):
    """Something that is no error, and worth knowing."""


def worded(text):
    """Return a text of kerf's with its flags named as parameters: --max-passes is max_passes."""

    def parameter(match):
        name = match[1].replace("-", "_")
        return {"lambda": "lambda_", "workers": "n_jobs", "seed": "random_state"}.get(name, name)

    return re.sub(r"--([A-Za-z]+(?:-[a-z]+)*)", parameter, text)


def error_of(kind, line):
    """Return the exception that stands for an error of the program."""
    line = worded(line)
    if kind == "memory":
        return MemoryError(line)
    if kind in ("usage", "input"):
        return ValueError(line)
    return KerfError(line)
