"""What TensorFlow sees of shapes that a program computes, while it builds a model from symbolic tensors."""

from __future__ import annotations

from typing import Any

from cudnnlint.interp.machine import Machine
from cudnnlint.ops.arith import as_shape
from cudnnlint.values import Symbol, Tensor
from cudnnlint.values.dim import Implied

RESHAPES = frozenset({"tensorflow.reshape", "keras.ops.reshape", "keras.backend.reshape"})
RESIZES = frozenset({"tensorflow.image.resize", "tensorflow.compat.v1.image.resize"})
SHAPE = "keras.ops.shape"
SEEN_IN_PART = RESHAPES | RESIZES | {SHAPE}
ARITHMETIC = frozenset({*(f"operator.{sign}" for sign in ("+", "-", "*", "//", "%")),
                        *(f"tensorflow.{name}" for name in ("add", "subtract", "multiply", "math.multiply", "cast"))})

SHAPES = frozenset({"tensorflow.shape", "keras.ops.shape", "keras.backend.shape"})
DEEPEST = 6


def seen(m: Machine, path: str, outcome: Any, arguments: dict[str, Any]) -> Any:
    """The outcome, with extents that only follow marked as such.

    `keras.ops.shape(x)` of a symbolic tensor of Keras 3 has None where x.shape has (keras/src/ops/core.py: shape),
    unless a layer is run, whose tensors are the backend's.
    """
    if path == SHAPE:
        outside = not (m.applying or m.symbolic or m.tracing or m.bodies)
        return tuple(None if isinstance(dim, Symbol) else dim for dim in outcome) \
            if outside and isinstance(outcome, tuple) else outcome
    if not isinstance(outcome, Tensor) or not isinstance(outcome.shape, tuple):
        return outcome
    hidden = _beside_open(arguments) if path in RESHAPES else _computed(arguments.get("size"), len(outcome.shape))
    if not hidden:
        return outcome
    shape = tuple(Implied(dim) if place in hidden and isinstance(dim, int) else dim
                  for place, dim in enumerate(outcome.shape))
    return outcome.with_(shape=shape)


def _beside_open(arguments: dict[str, Any]) -> set[int]:
    """The place of -1 where another extent is open: two are not solved for
    (tensorflow/core/framework/common_shape_fns.cc: SetOutputShapeForReshape)."""
    target = as_shape(arguments.get("shape", arguments.get("newshape")))
    if not isinstance(target, tuple) or not any(isinstance(dim, Symbol) for dim in target):
        return set()
    return {place for place, dim in enumerate(target) if dim == -1}


def _computed(size: Any, rank: int) -> set[int]:
    """Height and width, where arithmetic on a shape gives them: only slices of shapes are looked through
    (tensorflow/python/framework/tensor_util.py: constant_value_as_shape)."""
    height = rank - 3
    if not isinstance(size, Tensor) or size.step is None or size.step.maker not in ARITHMETIC:
        return set()
    return {height, height + 1} if _is_of_a_shape(size, 0) else set()


def _is_of_a_shape(tensor: Tensor, depth: int) -> bool:
    """Whether tf.shape() is among what it is computed from."""
    step = tensor.step
    if step is None or depth > DEEPEST:
        return False
    return step.maker in SHAPES or any(_is_of_a_shape(parent, depth + 1) for parent in step.parents)
