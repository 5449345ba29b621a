"""The interpreter that jobs run with, and which libraries it has: read off its directories, nothing of it is run."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence

from cudnnlint.records import record

BACKENDS = ("tensorflow", "jax", "torch")
"""In the order in which they are preferred."""
NAMES = {"keras": "Keras", "tf_keras": "tf_keras", "tensorflow": "TensorFlow", "jax": "JAX", "torch": "PyTorch"}
_PLACES = ("bin/python", "bin/python3", "Scripts/python.exe", "python.exe")


def executable_of(path: str) -> str:
    """The interpreter that is at `path`, or in the environment there; "" if there is none."""
    path = os.path.abspath(os.path.expanduser(path))
    if os.path.isdir(path):
        path = next(filter(os.path.isfile, (os.path.join(path, place) for place in _PLACES)), "")
    return path if os.path.exists(path) else ""


def active(variables: Mapping[str, str]) -> str:
    """The interpreter of the active environment; ours if none is."""
    named = variables.get("VIRTUAL_ENV") or variables.get("CONDA_PREFIX")
    return (named and executable_of(named)) or sys.executable


@record(frozen=True, slots=True)
class Interpreter:
    """`paths` are its directories of packages, `found` the libraries of interest in them."""

    executable: str
    paths: tuple[str, ...]
    found: frozenset[str]

    @classmethod
    def of(cls, path: str, packages: Sequence[str]) -> Interpreter | None:
        """Of an executable or an environment's directory; None if there is no interpreter."""
        path = executable_of(path)
        if not os.access(path, os.X_OK):
            return None
        paths = tuple(map(os.path.abspath, packages))
        found = frozenset(name for name in NAMES if any(os.path.isdir(os.path.join(top, name)) for top in paths))
        return cls(path, paths, found)

    @property
    def backend(self) -> str:
        """The library that Keras computes with, or "" if there is none."""
        return next((name for name in BACKENDS if name in self.found), "")

    @property
    def api(self) -> str:
        """The library that is asked first: a Keras if there is one, else PyTorch; "" if there is neither."""
        if not self.backend:
            return ""
        if "keras" in self.found:
            return "keras"
        return "tf_keras" if self.has_keras_2 else "torch" if "torch" in self.found else ""

    @property
    def has_keras_2(self) -> bool:
        return "tf_keras" in self.found and self.backend == "tensorflow"

    @property
    def lacks(self) -> str:
        """Why no job can run, or ""."""
        if self.api:
            return ""
        wanted = "TensorFlow, JAX or PyTorch" if not self.backend else "Keras"
        return f"{self.executable} has no {wanted}"
