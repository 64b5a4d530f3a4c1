"""The version of the program and the package."""

__version__ = "0.1.0"
