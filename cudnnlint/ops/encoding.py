"""Shapes of encoded categories: as a layer computes them, and as Keras 3 writes them down for a symbolic input."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from cudnnlint.ops.preprocessing import agreed
from cudnnlint.ops.protocol import LayerCall, Outcome
from cudnnlint.values import Dim, Mismatch, Problem, Shape, Tensor, Unknown, Where

TWO_AXES = Where(keras="<3.4")
"""Where no encoding has more than 2 axes, but for Discretization and CategoryEncoding of Keras 3."""
ONE_ENCODING = (3, 4)
"""Since then all layers share keras/src/utils/numerical_utils.py: encode_categorical_inputs."""
TRACED = (3, 14)
"""Until then Discretization traced its input's shape, and look-ups (batch, depth) of any input
(keras/src/layers/preprocessing/discretization.py: compute_output_spec, index_lookup.py: compute_output_shape)."""
OWN = ("Discretization", "CategoryEncoding")


def encode(name: str, x: Tensor, mode: str, depth: Dim, call: LayerCall, dtype: Any) -> Outcome:
    """`x` after one_hot, multi_hot, count or tf_idf encoding by the layer `name`."""
    shape, newest = x.shape, call.stack.keras >= (3,)
    if isinstance(shape, Unknown):
        return x.with_(dtype=dtype)
    written = traced(name, shape, mode, depth, call.stack.keras)
    run = encoded(name, x, shape, mode, depth, call)
    if isinstance(run, Mismatch):
        return replace(run, otherwise=x.with_(shape=written, dtype=dtype)) if newest and x.kind == "keras" else run
    return x.with_(shape=agreed(x, written, run, newest=newest), dtype=dtype)


def encoded(name: str, x: Tensor, shape: Shape, mode: str, depth: Dim, call: LayerCall) -> Shape | Unknown | Mismatch:
    """The shape as it runs.

    tf_keras/src/layers/preprocessing/preprocessing_utils.py: encode_categorical_inputs; until Keras 3.3 also
    keras/src/utils/tf_utils.py
    """
    if call.stack.keras >= ONE_ENCODING:
        return _shared(shape, mode, depth)
    if call.stack.keras >= (3,) and name in OWN:
        if mode == "one_hot" and shape:
            return (*shape, depth)
        return _shared(shape, mode, depth) if len(shape) <= 2 else Unknown("encoding of more than 2 axes")
    if mode == "one_hot" and (not shape or shape[-1] != 1):
        shape = (*shape, 1)
    if len(shape) > 2:
        return Mismatch(Problem.RANK, f'output_mode "{mode}" of {x} has {len(shape)} axes, 2 at most are possible',
                        where=TWO_AXES, argument="output_mode",
                        help="give one category a row: an input of shape (B, 1)",
                        error='ValueError "When output_mode is not `\'int\'`, maximum supported output rank is 2"',
                        facts=(("expected", 2), ("actual", len(shape))))
    return (*shape[:-1], depth)


def _shared(shape: Shape, mode: str, depth: Dim) -> Shape | Unknown:
    if not shape:
        return Unknown("encoding of a scalar")
    if mode != "one_hot":
        return (shape[0], *shape[2:], depth) if len(shape) > 1 else (depth,)
    if len(shape) > 1 and isinstance(shape[-1], Unknown):
        return Unknown("last axis")
    return (*shape[:-1], depth) if len(shape) > 1 and shape[-1] == 1 else (*shape, depth)


def traced(name: str, shape: Shape, mode: str, depth: Dim, keras: tuple[int, ...]) -> Shape | Unknown:
    """What Keras 3 writes down for a symbolic input."""
    if name == "Hashing":
        return (*shape[:-1], depth)
    if name == "Discretization":
        return _shared(shape, mode, depth) if keras >= TRACED else shape
    if name == "Lookup" and keras < TRACED:
        return (shape[0], depth) if shape else Unknown("encoding of a scalar")
    if not shape or mode == "one_hot":
        return _shared(shape, mode, depth) if shape else (depth,)
    return (*shape[:-1], depth)
