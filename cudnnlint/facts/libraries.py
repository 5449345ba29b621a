"""Model code that is installed in an environment: which of its packages are read like the project's own modules."""

from __future__ import annotations

import itertools
import os
from collections.abc import Sequence

from cudnnlint.facts.project import find_in, find_module
from cudnnlint.source import disk, names_framework
from cudnnlint.source.asked import remembered

LOOKED_AT = 48
"""Files of a package, the nearest to its root first, that are searched for the name of a framework."""
LARGEST = 200_000
"""Bytes of such a file."""
LINES = 60_000
"""Lines of installed modules that one run reads."""
NEVER = frozenset({
    "IPython", "accelerate", "comet_ml", "datasets", "diffusers", "einops", "fastai", "flax", "gin", "google", "gradio",
    "huggingface_hub", "ipykernel", "jax", "jaxlib", "lightning", "mlflow", "mxnet", "neptune", "numba", "numpy",
    "onnx", "onnxruntime", "optuna", "pandas", "pip", "plotly", "pyspark", "pytest", "pytorch_lightning", "ray",
    "scipy", "seaborn", "setuptools", "shap", "sklearn", "streamlit", "tensorboard", "tensorflow_hub",
    "tensorflow_probability", "tensorflow_text", "timm", "torch", "torchvision", "transformers", "wandb", "xgboost",
})
"""Large packages that name a framework and whose models are not made as Keras makes them; and einops, of which all is
modelled."""


class Libraries:
    """The site-packages of an environment; `left` counts the lines that may still be read."""

    def __init__(self, directories: Sequence[str] = ()) -> None:
        self.directories = tuple(directories)
        self.left = LINES

    def find(self, dotted: str) -> tuple[str, bool] | None:
        """(file, is it a package) of a module of a package that is worth following."""
        if not self.directories or self.left <= 0:
            return None
        top = dotted.partition(".")[0]
        if top in NEVER or not any(_is_model_code(directory, top) for directory in self.directories):
            return None
        return find_module(self.directories, dotted)

    def lacks(self, dotted: str) -> bool:
        """Whether a package is in none of them, and would be read if it were."""
        top = dotted.partition(".")[0]
        return top not in NEVER and find_module(self.directories, top) is None

    def holds(self, path: str) -> bool:
        """Whether a file is an installed one."""
        full = os.path.abspath(path)
        return any(full.startswith(directory + os.sep) for directory in self.directories)

    def shown(self, path: str) -> str:
        """An installed file as messages name it: from its package on."""
        full = os.path.abspath(path)
        top = next((top for top in self.directories if full.startswith(top + os.sep)), os.path.dirname(full))
        return os.path.relpath(full, top)

    def read(self, path: str) -> bool:
        """Count a module that is about to be read; False where too much was read already."""
        if self.holds(path):
            self.left -= _lines(path)
        return self.left > 0


def _lines(path: str) -> int:
    try:
        return disk.read(path).count(b"\n")
    except OSError:
        return 0


@remembered
def _is_model_code(directory: str, top: str) -> bool:
    """Whether a package or module names a framework."""
    found = find_in(directory, top)
    if found is None:
        return False
    file, is_package = found
    if not is_package:
        return _names_framework(file)
    files = disk.walk(os.path.join(directory, top), (".py",), lambda name: not name.startswith(("_", "test")))
    return any(map(_names_framework, itertools.islice(files, LOOKED_AT)))


def _names_framework(path: str) -> bool:
    try:
        return names_framework(disk.read(path, LARGEST))
    except OSError:
        return False
