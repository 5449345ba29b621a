"""Calls of array functions for the differential oracle: strategies by path, generic ones by parameter names."""

from __future__ import annotations

import inspect
from typing import Any

from hypothesis import strategies as st

from cudnnlint.ops.protocol import FUNCTIONS
from tests.oracle.function_harness import Call, T, load

load()
DTYPES = ("float32", "int32", "float64", "uint8", "bool", "float16", "int64")
ONE = {"x", "a", "input", "input_tensor", "tensor", "features", "logits", "m", "t", "value", "values", "image",
       "images", "ary", "arr", "z", "inputs", "variable", "input_"}
TWO = ({"x", "y"}, {"x1", "x2"}, {"a", "b"})
OTHER = ("numpy.random.", "operator.getitem", "tensorflow.parallel_stack", "tensorflow.add_n", "tensorflow.math.add_n",
         "tensorflow.linalg.matvec", "tensorflow.compat.v1.nn.dropout", "tensorflow.compat.v1.expand_dims",
         "keras.ops.fft", "keras.ops.ifft2", "keras.ops.irfft",
         *(f"keras.ops.{place}{name}" for place in ("", "nn.", "numpy.")
           for name in ("multi_hot", "bartlett", "blackman", "hamming", "hanning")))
"""Not a matter of one or two tensors, whatever the parameters are called."""
UNJUDGED = ("linalg", "encode", "trace", "unique", "bincount", ".inv", ".det", ".tri", "matrix", "backend.softmax",
            "ops.norm", "batch_flatten", "operator.==", "operator.!=", "backend.dot", "tensordot", "numpy.cov",
            "corrcoef", "numpy.cross", "fft.", ".solve", ".lstsq", ".cdist", ".view_as_real", ".lu_factor",
            "signal.dct", "signal.idct", "signal.irfft", "get_static_value")
"""Refused for what is in the tensors, for ranks that we do not judge, or known where a graph does not know it."""


def unjudged(path: str) -> bool:
    return any(word in path for word in UNJUDGED)


def kind_of(path: str) -> str:
    return "numpy" if path.startswith("numpy.") else "tf"


def shapes(least: int = 0, most: int = 4, low: int = 1, high: int = 4) -> st.SearchStrategy[tuple[int, ...]]:
    return st.lists(st.integers(low, high), min_size=least, max_size=most).map(tuple)


def tensors(path: str, least: int = 0, most: int = 4, dtypes: tuple[str, ...] = DTYPES) -> st.SearchStrategy[T]:
    return st.builds(T, shapes(least, most), st.sampled_from(dtypes), st.just(kind_of(path)))


def axes(rank: int) -> st.SearchStrategy[Any]:
    """Mostly in range, now and then one too far."""
    return st.integers(-rank, rank) if rank else st.just(-1)


@st.composite
def one_tensor(draw: Any, path: str, parameters: dict[str, inspect.Parameter]) -> Call:
    """A tensor, and sometimes axis and keepdims."""
    image = ".image." in path or "rgb" in path
    shape = draw(st.sampled_from([(4, 6, 3), (2, 4, 6, 3), (4, 6, 1)]) if image else shapes())
    x = T(shape, draw(st.sampled_from(DTYPES)), kind_of(path))
    kwargs: dict[str, Any] = {}
    for name in ("axis", "axes"):
        if name in parameters and draw(st.booleans()):
            kwargs[name] = draw(axes(len(shape)))
    if "keepdims" in parameters and draw(st.booleans()):
        kwargs["keepdims"] = True
    free = path.endswith(("nonzero", "argwhere", "unique", "where", "boolean_mask", "bincount"))
    judged = bool(shape) and not image and not unjudged(path)
    return Call((x,), kwargs, open_=free, loose=path.startswith("numpy."), judged=judged)


@st.composite
def two_tensors(draw: Any, path: str) -> Call:
    """Shapes that broadcast, mostly; one operand may be a number."""
    shape = draw(shapes(0, 3))
    other = tuple(draw(st.sampled_from([dim, 1, dim, dim + 1])) for dim in shape[draw(st.integers(0, len(shape))):])
    dtype = draw(st.sampled_from(DTYPES))
    mixed = draw(st.sampled_from([dtype, dtype, dtype, draw(st.sampled_from(DTYPES))]))
    x, y = T(shape, dtype, kind_of(path), known=True), T(other, mixed, kind_of(path), known=True)
    if path.endswith(("ops.add", "ops.numpy.add")):
        y = T(shape, mixed, y.kind)  # (1, 1, 2) + (2, 1) is a bias_add (keras/src/backend/tensorflow/numpy.py: add)
    right: Any = draw(st.sampled_from([y, y, 2, 2.5]))
    pair = (x, right) if isinstance(right, T) or draw(st.booleans()) or path.startswith("tensorflow.") else (right, x)
    return Call(pair, loose=True, judged=not unjudged(path))


def generic(path: str) -> st.SearchStrategy[Call] | None:
    """By the names of the required parameters, or None."""
    parameters = dict(inspect.signature(FUNCTIONS[path].builder).parameters)
    needed = [name for name, parameter in parameters.items() if parameter.default is inspect.Parameter.empty
              and parameter.kind is inspect.Parameter.POSITIONAL_OR_KEYWORD]
    if path.startswith(OTHER):
        return None
    if len(needed) == 1 and needed[0] in ONE:
        return one_tensor(path, parameters)
    return two_tensors(path) if len(needed) == 2 and set(needed) in TWO else None


@st.composite
def reshapes(draw: Any, path: str) -> Call:
    shape = draw(shapes(1, 4))
    size = 1
    for dim in shape:
        size *= dim
    parts = [size]
    for factor in draw(st.lists(st.sampled_from([2, 3]), max_size=3)):
        if parts[-1] % factor == 0:
            parts = [*parts[:-1], factor, parts[-1] // factor]
    target: list[int] = list(draw(st.permutations(parts)))
    if draw(st.booleans()):
        target[draw(st.integers(0, len(target) - 1))] = -1
    if draw(st.integers(0, 4)) == 0:
        target.append(draw(st.sampled_from([2, 5, -1])))
    return Call((T(shape, "float32", kind_of(path)), tuple(target)))


@st.composite
def joined(draw: Any, path: str) -> Call:
    shape = draw(shapes(1, 3))
    parts = []
    axis = draw(st.integers(-len(shape), len(shape) - 1))
    for _ in range(draw(st.integers(2, 3))):
        dims = list(shape)
        if "stack" not in path:
            dims[axis] = draw(st.integers(1, 3))
        if draw(st.integers(0, 5)) == 0:
            dims[0] += 1
        parts.append(T(tuple(dims), draw(st.sampled_from(["float32", "float32", "float32", "int32"])), kind_of(path)))
    takes_axis = "axis" in inspect.signature(FUNCTIONS[path].builder).parameters
    return Call((parts, axis) if takes_axis else (parts,))


@st.composite
def permuted(draw: Any, path: str) -> Call:
    shape = draw(shapes(1, 4))
    order = list(draw(st.permutations(range(len(shape)))))
    if draw(st.integers(0, 4)) == 0:
        order = order[:-1] or [0, 1]
    return Call((T(shape, "float32", kind_of(path)), order))


@st.composite
def with_axis(draw: Any, path: str, *, more: int = 0) -> Call:
    shape = draw(shapes(1, 4))
    axis: Any = draw(st.integers(-len(shape) - more, len(shape) - 1 + more))
    return Call((T(shape, "float32", kind_of(path)), [axis] if path == "tensorflow.reverse" else axis))


@st.composite
def with_axes(draw: Any, path: str) -> Call:
    shape = draw(shapes(1, 4))
    places = st.integers(-len(shape), len(shape) - 1)
    return Call((T(shape, "float32", kind_of(path)), draw(places), draw(places)))


@st.composite
def splits(draw: Any, path: str) -> Call:
    shape = draw(shapes(1, 3, 1, 6))
    axis = draw(st.integers(-len(shape), len(shape) - 1))
    sizes = st.lists(st.integers(0, 4), min_size=1, max_size=3)
    return Call((T(shape, "float32", kind_of(path)), draw(st.one_of(st.integers(1, 3), sizes)), axis),
                judged=path.startswith("tensorflow."))


@st.composite
def multiplied(draw: Any, path: str) -> Call:
    n, k, m = (draw(st.integers(1, 4)) for _ in range(3))
    batch = draw(shapes(0, 2, 1, 3))
    inner = draw(st.sampled_from([k, k, k, k + 1]))
    left = draw(st.sampled_from([(*batch, n, k), (n, k), (k,)]))
    right = draw(st.sampled_from([(*batch, inner, m), (inner, m), (inner,)]))
    return Call((T(left, "float32", kind_of(path)), T(right, "float32", kind_of(path))))


@st.composite
def taken(draw: Any, path: str) -> Call:
    shape = draw(shapes(1, 3))
    index = T(draw(shapes(0, 2)), "int32", kind_of(path), fill=0)
    if path.endswith(("gather_nd",)):
        return Call((T(shape), T((2, draw(st.integers(1, len(shape)))), "int32", fill=0)))
    keyed = {"axis": draw(st.integers(-len(shape), len(shape) - 1))} if draw(st.booleans()) else {}
    if "axis" not in inspect.signature(FUNCTIONS[path].builder).parameters:
        keyed = {}
    return Call((T(shape, "float32", kind_of(path)), index), keyed)


@st.composite
def padded(draw: Any, path: str) -> Call:
    shape = draw(shapes(1, 3))
    pairs = [[draw(st.integers(0, 2)), draw(st.integers(0, 2))] for _ in shape]
    if draw(st.integers(0, 5)) == 0:
        pairs.append([1, 1])
    width: Any = pairs
    if not path.startswith("tensorflow."):
        width = draw(st.sampled_from([pairs, 1, (1, 2), ((1, 2),)]))
    return Call((T(shape, "float32", kind_of(path)), width), judged=not path.startswith("keras."))


@st.composite
def tiled(draw: Any, path: str) -> Call:
    shape = draw(shapes(0, 3))
    return Call((T(shape, "float32", kind_of(path)), draw(st.lists(st.integers(1, 3), min_size=max(len(shape), 1) - (
        0 if path.startswith("tensorflow.") else draw(st.integers(0, 1)) if shape else 0), max_size=4))))


@st.composite
def broadcast(draw: Any, path: str) -> Call:
    shape = draw(shapes(0, 3))
    grown = (draw(st.sampled_from([dim, dim, 3 if dim == 1 else dim, dim + 1])) for dim in shape)
    return Call((T(shape, "float32", kind_of(path)), (*draw(shapes(0, 1)), *grown)))


@st.composite
def chosen(draw: Any, path: str) -> Call:
    shape = draw(shapes(0, 3))
    x = T(shape, draw(st.sampled_from(["float32", "int32"])), kind_of(path))
    y: Any = draw(st.sampled_from([x, 1, T((), x.dtype, x.kind)]))
    return Call((T(draw(st.sampled_from([shape, (), (3, *shape)])), "bool", kind_of(path)), x, y))


def both(*names: str) -> list[str]:
    return [f"{prefix}.{name}" for prefix in ("numpy", "keras.ops") for name in names]


SPECIAL: dict[str, Any] = {
    **{path: reshapes(path) for path in ("tensorflow.reshape", *both("reshape"), "keras.backend.reshape")},
    **{path: joined(path) for path in ("tensorflow.concat", "tensorflow.stack", *both("concatenate", "stack", "hstack",
       "vstack", "dstack"), "keras.backend.concatenate", "numpy.column_stack", "keras.backend.stack")},
    **{path: permuted(path) for path in ("tensorflow.transpose", *both("transpose"),
                                         "keras.backend.permute_dimensions")},
    **{path: with_axis(path, more=1) for path in ("tensorflow.expand_dims", *both("expand_dims"), "tensorflow.squeeze",
       *both("squeeze"), "tensorflow.reverse", "keras.backend.squeeze", "keras.backend.expand_dims")},
    **{path: with_axes(path) for path in both("swapaxes", "moveaxis")},
    **{path: splits(path) for path in ("tensorflow.split", *both("split", "array_split"))},
    **{path: multiplied(path) for path in ("tensorflow.matmul", *both("matmul", "dot"), "operator.@")},
    **{path: taken(path) for path in ("tensorflow.gather", *both("take"), "keras.backend.gather",
                                      "tensorflow.gather_nd", "tensorflow.nn.embedding_lookup")},
    **{path: padded(path) for path in ("tensorflow.pad", *both("pad"))},
    **{path: tiled(path) for path in ("tensorflow.tile", *both("tile"))},
    **{path: broadcast(path) for path in ("tensorflow.broadcast_to", *both("broadcast_to"))},
    **{path: chosen(path) for path in ("tensorflow.where", *both("where"))},
}
