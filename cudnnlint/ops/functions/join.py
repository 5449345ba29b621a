"""Several tensors into one: concat, stack, hstack, vstack and their kin."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from cudnnlint.ops.arith import lift, may_equal, meet
from cudnnlint.ops.functions import contents
from cudnnlint.ops.functions._core import dtype_problem, find_axis, set_dim
from cudnnlint.ops.functions.convert import as_tensor
from cudnnlint.ops.functions.dtypes import Library, as_dtype, promote_keras, promote_numpy, promote_torch
from cudnnlint.ops.functions.elementwise import with_otherwise
from cudnnlint.ops.protocol import Outcome
from cudnnlint.values import Dim, DType, Mismatch, Problem, Shape, Tensor, Unknown


def gather(values: Any, library: Library) -> list[Tensor | Unknown] | Unknown:
    """The tensors of a list argument; a single tensor is the list of its rows."""
    if isinstance(values, Tensor):
        if isinstance(values.shape, tuple) and values.shape and isinstance(count := values.shape[0], int) \
                and count <= contents.LIMIT:
            content = values.content if isinstance(values.content, tuple) else (None,) * count
            return [values.with_(shape=values.shape[1:], content=item) for item in content]
        return Unknown("a tensor of tensors")
    if not isinstance(values, (list, tuple)):
        return values if isinstance(values, Unknown) else Unknown("not a list of tensors")
    return [as_tensor(value, library) for value in values]


def joined_dtype(values: Any, tensors: Sequence[Tensor | Unknown], library: Library, name: str) -> DType | Mismatch:
    """numpy and Keras promote; TensorFlow wants one dtype, to which it converts numpy arrays and numbers."""
    unknown = next((t for t in tensors if isinstance(t, Unknown)), None)
    known = [t for t in tensors if isinstance(t, Tensor)]
    if library != "tf":
        promote = {"keras": promote_keras, "torch": promote_torch}.get(library, promote_numpy)
        return unknown if unknown is not None else promote(*(t.dtype for t in known))
    items = values if isinstance(values, (list, tuple)) else tensors
    strong = [item.dtype for item in items if isinstance(item, Tensor) and item.kind == "tf"]
    plain = [dtype for dtype in strong if not isinstance(dtype, Unknown)]
    other = next((dtype for dtype in plain if dtype != plain[0]), None)
    if other is not None:
        return dtype_problem(plain[0], other, name)
    if plain:
        return plain[0]
    dtypes = {t.dtype for t in known}
    return known[0].dtype if len(dtypes) == 1 and unknown is None else Unknown("dtypes of the parts")


def concat(values: Any, axis: Any, library: Library, name: str, dtype: Any = None) -> Outcome:
    """Extents add up along `axis`; the others must agree.

    >>> print(concat([Tensor((4, 8), "float32"), Tensor((4, 3), "float32")], -1, "tf", "tf.concat"))
    float32[4, 11]
    >>> concat([Tensor((4, 8), "float32"), Tensor((5, 8), "float32")], 1, "tf", "tf.concat").message
    'tf.concat along axis 1: axis 0 is 4 in input 0 and 5 in input 1'
    """
    tensors = gather(values, library)
    if isinstance(tensors, Unknown) or not tensors:
        return tensors if isinstance(tensors, Unknown) else Unknown("nothing to concatenate")
    found = joined_dtype(values, tensors, library, name)
    shapes = [t.shape if isinstance(t, Tensor) else t for t in tensors]
    shape = concat_shape(shapes, axis, name)
    if isinstance(shape, Mismatch):
        return shape
    base = next((t for t in tensors if isinstance(t, Tensor)), None)
    if base is None:
        return Unknown("parts")
    if isinstance(found, Mismatch):
        return with_otherwise(found, base.with_(shape=shape, dtype=Unknown("mixed dtypes")))
    result = as_dtype(dtype, found, library)
    return base.with_(shape=shape, dtype=result, content=_concat_content(tensors, shape, result))


def _concat_content(tensors: Sequence[Tensor | Unknown], shape: Shape | Unknown, dtype: DType) -> Any:
    if isinstance(shape, Unknown) or len(shape) != 1:
        return None
    items: list[Any] = []
    for tensor in tensors:
        if isinstance(tensor, Unknown):
            return None
        if isinstance(tensor.content, tuple):
            items.extend(tensor.content)
        elif isinstance(tensor.shape, tuple) and isinstance(size := tensor.shape[0], int) and size <= contents.LIMIT:
            items.extend([Unknown("element")] * size)
        else:
            return None
    return contents.small(contents.cast(tuple(items), dtype))


def concat_shape(shapes: Sequence[Shape | Unknown], axis: Any, name: str) -> Shape | Unknown | Mismatch:
    known = [(i, shape) for i, shape in enumerate(shapes) if isinstance(shape, tuple)]
    if not known:
        return Unknown("shapes of the parts")
    first, base = known[0]
    for i, shape in known[1:]:
        if len(shape) != len(base):
            return Mismatch(Problem.MERGE, f"{name}: input {first} has {len(base)} axes and input {i} has {len(shape)}",
                            error='ValueError "all the input arrays must have same number of dimensions"'
                            if name.startswith("np.") else "InvalidArgumentError or ValueError",
                            facts=(("shapes", tuple(shape for _, shape in known)),))
    place = find_axis(axis, len(base), name)
    if not isinstance(place, int):
        return place
    dims: list[Dim] = list(base)
    for i, shape in known[1:]:
        for n, dim in enumerate(shape):
            if n != place and not may_equal(dims[n], dim):
                return _unequal(name, place, n, first, i, base[n], dim)
            dims[n] = meet(dims[n], dim) if n != place else dim
    if len(known) != len(shapes):
        return set_dim(tuple(dims), place, Unknown("extent of a part"))
    total: Dim = 0
    for _, shape in known:
        total = lift(lambda a, b: a + b, total, shape[place])
    return set_dim(tuple(dims), place, total)


def _unequal(name: str, axis: int, n: int, first: int, i: int, a: Dim, b: Dim) -> Mismatch:
    return Mismatch(Problem.MERGE, f"{name} along axis {axis}: axis {n} is {a} in input {first} and {b} in input {i}",
                    help="all extents but the one along the axis must agree",
                    error='InvalidArgumentError "Dimension ... in both shapes must be equal" or "Dimensions of '
                          'inputs should match" or ValueError',
                    facts=(("axis", n), ("extents", (a, b))))


def stack(values: Any, axis: Any, library: Library, name: str, dtype: Any = None) -> Outcome:
    """A new axis, as long as there are parts; all parts have one shape.

    >>> print(stack([Tensor((8, 8), "uint8"), Tensor((8, 8), "uint8")], 0, "numpy", "np.stack"))
    uint8[2, 8, 8]
    """
    tensors = gather(values, library)
    if isinstance(tensors, Unknown) and isinstance(values, Tensor):
        return _restacked(values, axis, name)
    if isinstance(tensors, Unknown) or not tensors:
        return tensors if isinstance(tensors, Unknown) else Unknown("nothing to stack")
    base = next((t for t in tensors if isinstance(t, Tensor) and isinstance(t.shape, tuple)), None)
    found = joined_dtype(values, tensors, library, name)
    if base is None or isinstance(base.shape, Unknown):
        return Tensor(Unknown("parts"), found if not isinstance(found, Mismatch) else Unknown("mixed dtypes"))
    shape = base.shape
    for i, tensor in enumerate(tensors):
        if isinstance(tensor, Unknown) or isinstance(tensor.shape, Unknown):
            continue
        if len(tensor.shape) != len(shape) or not all(map(may_equal, shape, tensor.shape)):
            return Mismatch(Problem.MERGE, f"{name}: all parts need one shape, part 0 is {tensors[0]} and part {i} "
                            f"{tensor}", error='ValueError "all input arrays must have the same shape", '
                            '"must have the same shape. But found" or InvalidArgumentError',
                            facts=(("shapes", (shape, tensor.shape)),))
        shape = tuple(map(meet, shape, tensor.shape))
    place = find_axis(axis, len(shape) + 1, name)
    if not isinstance(place, int):
        return place if isinstance(place, Mismatch) else base.with_(shape=place)
    made = (*shape[:place], len(tensors), *shape[place:])
    if isinstance(found, Mismatch):
        return with_otherwise(found, base.with_(shape=made, dtype=Unknown("mixed dtypes")))
    result = as_dtype(dtype, found, library)
    return base.with_(shape=made, dtype=result, content=_stack_content(tensors, shape, place, result))


def _restacked(x: Tensor, axis: Any, name: str) -> Outcome:
    """stack of one tensor of many rows: its first axis moves to `axis`."""
    if isinstance(x.shape, Unknown) or not x.shape:
        return Unknown("a tensor of tensors")
    place = find_axis(axis, len(x.shape), name, x)
    if not isinstance(place, int):
        return place
    rest = x.shape[1:]
    return x.with_(shape=(*rest[:place], x.shape[0], *rest[place:]))


def _stack_content(tensors: Sequence[Tensor | Unknown], shape: Shape, place: int, dtype: DType) -> Any:
    if place != 0 or len(tensors) > contents.LIMIT or (shape and any(getattr(t, "content", None) is None
                                                                     for t in tensors)):
        return None
    items = tuple(t.content if isinstance(t, Tensor) and t.content is not None else Unknown("element") for t in tensors)
    return contents.small(contents.cast(items, dtype))


def stacked_axis(values: Any, axis: int, least: int, library: Library, name: str, dtype: Any = None) -> Outcome:
    """hstack, vstack, dstack: parts brought to `least` axes, then concatenated along `axis`."""
    tensors = gather(values, library)
    if isinstance(tensors, Unknown):
        return tensors
    raised = [_raised(t, least) for t in tensors]
    ranks = [t.rank for t in raised if isinstance(t, Tensor) and t.rank is not None]
    if axis == 1 and ranks and ranks[0] == 1:  # all parts have as many axes as the first
        axis = 0
    return concat(raised, axis, library, name, dtype)


def _raised(x: Tensor | Unknown, least: int) -> Tensor | Unknown:
    """numpy.atleast_1d, 2d, 3d."""
    if isinstance(x, Unknown) or isinstance(x.shape, Unknown) or len(x.shape) >= least:
        return x
    if least == 3:
        shape = {0: (1, 1, 1), 1: (1, *x.shape, 1), 2: (*x.shape, 1)}[len(x.shape)]
        return x.with_(shape=shape)
    return x.with_(shape=(1,) * (least - len(x.shape)) + x.shape)

