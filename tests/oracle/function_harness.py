"""Differential oracle for functions: one call through the real library and through our spelling, and where they differ.

A call's arguments are plain Python values and `T`s, tensors of a shape, dtype and kind. The real side gets ones (or
`fill`), ours an abstract Tensor; `holes` leaves some of its extents open, and then what we still claim must be true.
"""

from __future__ import annotations

import importlib
import os
import pkgutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from cudnnlint.interp.binding import Bound, bind_spelling
from cudnnlint.ops import functions
from cudnnlint.ops.functions.contents import nest
from cudnnlint.ops.protocol import FUNCTIONS
from cudnnlint.values import BATCH, FREE, Mismatch, Problem, Symbol, Tensor, Unknown
from tests.oracle.real import installed_stack

GPU_ONLY = {Problem.EMPTY_DIM, Problem.LRN, Problem.UNEQUAL_STRIDES, Problem.EPSILON}
"""What an eager CPU run may accept; the Mismatch must then carry the accepted result."""


@dataclass(frozen=True)
class T:
    """One tensor argument. `known` gives our side its elements too."""

    shape: tuple[int, ...]
    dtype: str = "float32"
    kind: str = "tf"
    fill: Any = 1
    values: tuple[Any, ...] | None = None
    known: bool = False

    def __repr__(self) -> str:
        return f"{self.kind}:{self.dtype}{list(self.shape)}"


@dataclass(frozen=True)
class Call:
    """`open_` allows unknown extents where the result depends on the data, `loose` an unknown dtype; `judged` wants
    a rejection wherever the library rejects for another reason than a dtype."""

    args: tuple[Any, ...] = ()
    kwargs: Mapping[str, Any] = field(default_factory=dict)
    open_: bool = False
    loose: bool = False
    judged: bool = True

    def __str__(self) -> str:
        words = [*map(str, self.args), *(f"{key}={value}" for key, value in self.kwargs.items())]
        return f"({', '.join(words)})"


@cache
def load() -> None:
    for module in pkgutil.iter_modules(functions.__path__):
        importlib.import_module(f"{functions.__name__}.{module.name}")


@cache
def libraries() -> dict[str, Any] | None:
    """tensorflow, numpy and keras, or None where one is missing."""
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    os.environ.setdefault("CUDA_VISIBLE_DEVICES", "-1")
    os.environ.setdefault("KERAS_BACKEND", "tensorflow")
    try:
        return {name: importlib.import_module(name) for name in ("tensorflow", "numpy", "keras")}
    except ImportError:
        return None


OPERATORS = {"+": "add", "-": "sub", "*": "mul", "/": "truediv", "//": "floordiv", "%": "mod", "**": "pow",
             "@": "matmul", "&": "and_", "|": "or_", "^": "xor", "<<": "lshift", ">>": "rshift", "==": "eq",
             "!=": "ne", "<": "lt", "<=": "le", ">": "gt", ">=": "ge"}


def real_function(path: str) -> Callable[..., Any] | None:
    """What `path` names in the installed libraries, keras.backend being tf.keras.backend; None if nothing does."""
    roots = libraries()
    assert roots is not None
    head, _, rest = path.partition(".")
    if head == "operator":
        return getattr(importlib.import_module("operator"), OPERATORS.get(rest, rest), None)
    value: Any = roots["tensorflow"].keras if path.startswith("keras.backend.") else roots.get(head)
    for part in rest.split("."):
        value = getattr(value, part, None)
    return value  # type: ignore[no-any-return]


def each(value: Any, leaf: Callable[[T], Any]) -> Any:
    if isinstance(value, T):
        return leaf(value)
    if isinstance(value, (list, tuple)):
        return type(value)(each(item, leaf) for item in value)
    return value


def real_tensor(t: T) -> Any:
    roots = libraries()
    assert roots is not None
    np, tf = roots["numpy"], roots["tensorflow"]
    array = np.full(t.shape, t.fill, t.dtype) if t.values is None else np.reshape(np.array(t.values, t.dtype), t.shape)
    return array if t.kind == "numpy" else tf.constant(array)


def our_tensor(t: T, holes: Callable[[int], bool] = lambda _: False) -> Tensor:
    shape = tuple((BATCH if axis == 0 else FREE) if holes(axis) else dim for axis, dim in enumerate(t.shape))
    content: Any = None
    if t.known and shape == t.shape:
        size = 1
        for dim in t.shape:
            size *= dim
        content = nest(t.values or (t.fill,) * size, t.shape)
    return Tensor(shape, t.dtype, t.kind, content)


def observed(value: Any) -> Any:
    """Tensors as (shape, dtype, values); everything else as it is."""
    if isinstance(value, (list, tuple)):
        return [observed(item) for item in value]
    if hasattr(value, "dtype") and hasattr(value, "shape"):
        dtype = getattr(value.dtype, "name", str(value.dtype))
        values = value.numpy() if hasattr(value, "numpy") else value
        return (tuple(value.shape), "string" if dtype.startswith("str") else dtype, getattr(values, "tolist", list)())
    return [*value] if type(value).__name__ == "TensorShape" else value


def run_real(path: str, call: Call) -> tuple[bool, Any]:
    """(accepted, what came out or the error's text)."""
    function = real_function(path)
    assert function is not None
    args, kwargs = each(call.args, real_tensor), {key: each(value, real_tensor) for key, value in call.kwargs.items()}
    try:
        return True, newest(path, observed(function(*args, **kwargs)))
    except Exception as error:  # the library raises every kind
        return False, f"{type(error).__name__}: {error}"[:200]


def newest(path: str, real: Any) -> Any:
    """One number, as the newest release hands it out: older ones gave count_nonzero as an int, count_params not."""
    if path == "numpy.count_nonzero" and isinstance(real, int):
        return (), "int64", real
    return real[2] if path == "keras.backend.count_params" and isinstance(real, tuple) else real


def run_ours(path: str, call: Call, holes: Callable[[int], bool] = lambda _: False) -> Any:
    args = each(call.args, lambda t: our_tensor(t, holes))
    kwargs = {key: each(value, lambda t: our_tensor(t, holes)) for key, value in call.kwargs.items()}
    bound = bind_spelling(FUNCTIONS[path], args, kwargs, installed_stack("keras"))
    assert isinstance(bound, Bound)
    return bound.problems[0] if bound.problems else FUNCTIONS[path].builder(**bound.arguments)


def same_value(ours: Any, real: Any) -> bool:
    """Known elements equal the real ones."""
    if isinstance(ours, (Unknown, Symbol, str)) or ours is None:
        return True
    if isinstance(ours, tuple):
        return isinstance(real, list) and len(ours) == len(real) and all(map(same_value, ours, real))
    return bool(ours == real)


def difference(ours: Any, real: Any, call: Call, *, exact: bool) -> str | None:
    """None, or how our outcome contradicts the real one; `exact` also wants everything known."""
    if isinstance(ours, Mismatch):
        if ours.problem in GPU_ONLY and ours.otherwise is not None:
            return None if ours.problem is Problem.EMPTY_DIM else difference(ours.otherwise, real, call, exact=exact)
        if ours.otherwise is not None and "moment" in dict(ours.facts):  # it says for which extents it does not fail
            return difference(ours.otherwise, real, call, exact=exact)
        return f"rejected: {ours.message}"
    if isinstance(ours, Unknown):
        return f"unknown: {ours.why}" if exact and not call.open_ and call.judged else None
    if isinstance(ours, (list, tuple)):
        if not isinstance(real, (list, tuple)) or len(ours) != len(real):
            return f"{len(ours)} results, real {real}"
        return next((text for mine, theirs in zip(ours, real, strict=True)
                     if (text := difference(mine, theirs, call, exact=exact))), None)
    if not isinstance(ours, Tensor):
        return None if isinstance(ours, Symbol) or ours is None or ours == real else f"{ours!r} != {real!r}"
    if not isinstance(real, tuple) or len(real) != 3:
        return f"a tensor {ours}, real {real!r}"
    return _tensor_difference(ours, real, call, exact)


def fits(ours: tuple[Any, ...], real: tuple[int, ...]) -> bool:
    """As many axes, and no number that is wrong."""
    return len(ours) == len(real) and not any(isinstance(m, int) and m != n for m, n in zip(ours, real, strict=True))


def _tensor_difference(ours: Tensor, real: tuple[Any, ...], call: Call, exact: bool) -> str | None:
    shape, dtype, values = real
    text = f"{ours} != {dtype}{list(shape)}"
    if not isinstance(ours.shape, Unknown) and not fits(ours.shape, shape):
        return text
    if exact and not call.open_ and ours.shape != shape:
        return text
    if isinstance(ours.dtype, Unknown):
        return text if exact and not call.loose else None
    if ours.dtype != dtype:
        return text
    return None if same_value(ours.content, values) else f"content {ours.content} != {values}"
