"""keras.layers.InputSpec: what a layer keeps of the inputs that it was built for, and reads again in call()."""

from __future__ import annotations

from typing import Any

from cudnnlint.frameworks.keras.making import FRAMEWORK
from cudnnlint.interp.convert import strip, wrap
from cudnnlint.interp.machine import Machine, plain
from cudnnlint.interp.tensors import shape_value
from cudnnlint.ops.arith import as_shape
from cudnnlint.values import Step, Tensor, Unknown

SPEC = "keras.layers.InputSpec"
PARAMETERS = ("dtype", "shape", "ndim", "max_ndim", "min_ndim", "axes")


def _given(spec: Any, name: str) -> Any:
    place = PARAMETERS.index(name)
    return spec.args[place] if len(spec.args) > place else spec.kwargs.get(name)


@FRAMEWORK.attribute(f"{SPEC}.shape")
def shape(m: Machine, spec: Any) -> Any:
    """A tuple with None for an open extent (keras/src/layers/input_spec.py, tf_keras/src/engine/input_spec.py:
    InputSpec.__init__)."""
    found: set[Any] = set()
    given = strip(_given(spec, "shape"), found)
    if given is None:
        return None
    made = Tensor(as_shape(given), Unknown("dtype of a specification"), "keras", None, Step(spec.span))
    return shape_value(made.with_(assumptions=frozenset(found)))


@FRAMEWORK.attribute(f"{SPEC}.ndim")
def ndim(m: Machine, spec: Any) -> Any:
    """The number of extents; that of the shape where one is given."""
    if _given(spec, "shape") is None:
        return _given(spec, "ndim")
    dims = plain(shape(m, spec))
    return len(dims) if isinstance(dims, tuple) else Unknown("shape of a specification")


@FRAMEWORK.attribute(f"{SPEC}.axes")
def axes(m: Machine, spec: Any) -> Any:
    """Extents by axis."""
    given = _given(spec, "axes")
    return wrap({}) if given is None else given
