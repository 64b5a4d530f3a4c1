"""The program kerf that comes with the package."""

import os
import subprocess
import sys
from pathlib import Path


def program():
    """Return the path of the program: the one that KERF_PROGRAM names, else the package's own."""
    named = os.environ.get("KERF_PROGRAM")
    if named:
        return named
    path = Path(__file__).parent / "bin" / ("kerf.exe" if os.name == "nt" else "kerf")
    if not path.is_file():
        raise FileNotFoundError(
            f"the program kerf is not at {path}; install a wheel for this system, or name one with KERF_PROGRAM"
        )
    return str(path)


def main():
    """Be the program: what the command kerf does once the package is installed."""
    path = program()
    if os.name == "nt":
        sys.exit(subprocess.call([path, *sys.argv[1:]]))
    os.execv(path, [path, *sys.argv[1:]])
