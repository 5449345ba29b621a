"""Operations that the program defines itself: classes derived from keras.Operation, and the KerasTensors they make."""

from __future__ import annotations

from typing import Any

from cudnnlint.events import tensors
from cudnnlint.frameworks.keras.making import FRAMEWORK
from cudnnlint.interp.convert import strip, wrap
from cudnnlint.interp.machine import assume, plain
from cudnnlint.interp.objects import BoundV, FunctionV, InstanceV
from cudnnlint.interp.registry import Call
from cudnnlint.ops.arith import as_shape
from cudnnlint.ops.functions.dtypes import as_dtype
from cudnnlint.values import Step, Tensor, Unknown

OPERATION = "keras.Operation"


@FRAMEWORK.on("keras.KerasTensor")
def keras_tensor(c: Call) -> Any:
    """keras/src/backend/common/keras_tensor.py: KerasTensor.__init__"""
    found: set[Any] = set()
    shape = as_shape(strip(c.get(0, "shape"), found))
    made = Tensor(shape, as_dtype(strip(c.get(1, "dtype"), found), "float32"), "keras", None, Step(c.span, (), None))
    return assume(made, frozenset(found))


@FRAMEWORK.on("keras.backend.is_keras_tensor", "keras.utils.is_keras_tensor")
def is_keras_tensor(c: Call) -> Any:
    """keras/src/backend/common/keras_tensor.py, tf_keras/src/backend.py: is_keras_tensor. Within call() of a layer the
    tensors of a model are none, be they symbolic."""
    value = plain(c.get(0, "x"))
    if not isinstance(value, Tensor) or c.machine.symbolic or value.kind not in ("keras", "numpy", "tf"):
        return Unknown("is_keras_tensor()")
    return value.kind == "keras"


def _method(c: Call, name: str) -> BoundV | None:
    instance = plain(c.receiver)
    found = instance.cls.lookup(name) if isinstance(instance, InstanceV) else None
    return BoundV(found, instance) if isinstance(found, FunctionV) else None


@FRAMEWORK.on(f"{OPERATION}.symbolic_call")
def symbolic_call(c: Call) -> Any:
    """What compute_output_spec() says, as an output of the operation (keras/src/ops/operation.py:
    Operation.symbolic_call); without one of its own, what call() gives."""
    method = _method(c, "compute_output_spec") or _method(c, "call")
    if method is None:
        return Unknown("an operation without call()")
    found: set[Any] = set()
    said = strip(c.machine.call(method, c.args, c.kwargs, c.node), found)
    parents = tensors([strip(value, found) for value in (*c.args, *c.kwargs.values())])
    kind = "keras" if any(parent.kind == "keras" for parent in parents) else "tf"
    return assume(wrap(_made(said, Step(c.span, parents, OPERATION, (tuple(c.args), dict(c.kwargs))), kind)),
                  frozenset(found))


def _made(value: Any, step: Step, kind: str) -> Any:
    if isinstance(value, Tensor):
        return value.with_(kind=kind, step=step)
    if isinstance(value, list | tuple):
        return type(value)(_made(part, step, kind) for part in value)
    if isinstance(value, dict):
        return {key: _made(part, step, kind) for key, part in value.items()}
    return value


@FRAMEWORK.on(f"{OPERATION}.__call__")
def call_operation(c: Call) -> Any:
    """keras/src/ops/operation.py: Operation.__call__"""
    given = tensors([strip(value) for value in (*c.args, *c.kwargs.values())])
    if any(tensor.kind == "keras" for tensor in given):
        return symbolic_call(c)
    method = _method(c, "call")
    if method is None:
        return Unknown("an operation without call()")
    return c.machine.call(method, c.args, c.kwargs, c.node)
