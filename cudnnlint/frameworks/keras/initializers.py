"""Initializers called by hand: `RandomNormal()(shape)` is a tensor of that shape."""

from __future__ import annotations

from typing import Any

from cudnnlint.frameworks.keras.making import FRAMEWORK
from cudnnlint.interp.convert import strip
from cudnnlint.interp.keras.layers import ObjectV
from cudnnlint.interp.machine import assume
from cudnnlint.interp.registry import PARENTS, PREFIXES, Call
from cudnnlint.ops.arith import as_shape
from cudnnlint.values import Step, Tensor, Unknown

BASE = "keras.initializers.Initializer"
NAMES = ("Constant", "GlorotNormal", "GlorotUniform", "HeNormal", "HeUniform", "Identity", "IdentityInitializer",
         "LecunNormal", "LecunUniform", "Ones", "Orthogonal", "OrthogonalInitializer", "RandomNormal", "RandomUniform",
         "TruncatedNormal", "VarianceScaling", "Zeros")
"""Classes of keras.initializers that take a shape and a dtype (keras/src/initializers)."""
PARENTS.update({f"keras.initializers.{name}": BASE for name in NAMES})
PREFIXES.update({f"tensorflow.initializers.{name}": f"keras.initializers.{name}" for name in NAMES})
"""TensorFlow 2 has those of Keras under its own name; those of TensorFlow 1 are lower case."""
LOWER = {"constant": "Constant", "ones": "Ones", "random_normal": "RandomNormal", "random_uniform": "RandomUniform",
         "truncated_normal": "TruncatedNormal", "zeros": "Zeros"}
"""tf.ones_initializer and the like (tensorflow/python/ops/init_ops_v2.py)."""


@FRAMEWORK.on(*(f"tensorflow.{name}_initializer" for name in LOWER))
def make(c: Call) -> Any:
    name = c.callee.path.rpartition(".")[2].removesuffix("_initializer")
    return ObjectV(f"keras.initializers.{LOWER[name]}", tuple(c.args), dict(c.kwargs), c.span)


@FRAMEWORK.on(f"{BASE}.__call__")
def initialise(c: Call) -> Any:
    """`initializer(shape, dtype=None)`: without a dtype that of keras.config.floatx()."""
    found: set[Any] = set()
    shape = as_shape(strip(c.get(0, "shape"), found))
    dtype = strip(c.get(1, "dtype"), found) or c.machine.state.get("floatx", "float32")
    made = Tensor(shape, dtype if isinstance(dtype, str) else Unknown("dtype"), "tf", None, Step(c.span))
    return assume(made, frozenset(found))
