"""From Python values to abstract tensors, by each library's rule."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from cudnnlint.ops.functions import contents
from cudnnlint.ops.functions.dtypes import NUMERIC, Library, promote_keras, promote_numpy
from cudnnlint.values import Assumed, DType, Shape, Symbol, Tensor, Unknown
from cudnnlint.values.dim import may_equal, meet
from cudnnlint.values.numpy_int import NumpyFloat
from cudnnlint.values.unknown import Drawn, OpenExtent, Window, stacked

DEPTH = 32
"""Deeper nesting of lists is not followed."""

KIND = {"tf": "tf", "numpy": "numpy", "keras": "tf", "torch": "torch"}
WIDE = ("numpy", "torch")
"""Whose integers have 64 bits."""
RAGGED = "a ragged list"
"""Why the shape of lists of different lengths is not known."""
SCALARS = (bool, int, float, complex, str, bytes, Symbol)


def as_tensor(value: Any, library: Library, dtype: DType | None = None) -> Tensor | Unknown:
    """`value` as `library` converts it: Tensors as they are, numbers and (nested) lists by their elements.

    `dtype` forces the dtype of what is not yet a tensor.

    >>> as_tensor([1, 2], "tf"), as_tensor([[1.0]], "numpy")
    (Tensor(shape=(2,), dtype='int32', kind='tf', content=(1, 2)), \
Tensor(shape=(1, 1), dtype='float64', kind='numpy', content=((1.0,),)))

    The name of a dtype is most likely the dtype itself, which some object holds in place of tensors:

    >>> as_tensor("float32", "tf"), as_tensor("cat", "tf").dtype
    (Unknown(why='a dtype, not a text'), 'string')
    """
    if isinstance(value, (Tensor, Unknown)):
        return value
    if isinstance(value, Assumed):
        return as_tensor(value.value, library, dtype)
    if isinstance(value, SCALARS):
        return _scalar(value, library, dtype) if type(value) is not str or value not in NUMERIC \
            else Unknown("a dtype, not a text")
    if isinstance(value, (list, tuple)):
        return _sequence(value, library, dtype, 0)
    array = getattr(value, "as_array", None)  # a picture, a table
    return array if isinstance(array, Tensor) else Unknown("not a tensor")


def python_dtype(value: Any, library: Library) -> DType:
    """The dtype of one Python scalar as a tensor of its own.

    >>> python_dtype(1, "tf"), python_dtype(1, "numpy"), python_dtype(2**40, "tf"), python_dtype(0.5, "keras")
    ('int32', 'int64', 'int64', 'float32')
    """
    if isinstance(value, bool):
        return "bool"
    if isinstance(value, (str, bytes)):
        return "string"
    if isinstance(value, complex):
        return "complex128"
    if isinstance(value, float):
        return "float64" if library == "numpy" or isinstance(value, NumpyFloat) else "float32"
    if isinstance(value, Symbol) or -(1 << 31) <= value < 1 << 31:
        return "int64" if library in WIDE else "int32"
    return "int64" if -(1 << 63) <= value < 1 << 63 else Unknown("a huge number")


def _scalar(value: Any, library: Library, dtype: DType | None) -> Tensor:
    found = python_dtype(value, library) if dtype is None else dtype
    content = contents.fit(value, found)
    return Tensor((), found, KIND[library], None if isinstance(content, Unknown) else content)


def _sequence(value: Sequence[Any], library: Library, dtype: DType | None, depth: int) -> Tensor | Unknown:
    if depth > DEPTH:
        return Unknown("deeply nested list")
    if not value:
        empty = "float64" if library == "numpy" else "float32"
        return Tensor((0,), empty if dtype is None else dtype, KIND[library], ())
    if all(type(item) in (int, float) for item in value):
        return _numbers(value, library, dtype)
    items: list[Tensor] = []
    for item in value:
        if isinstance(item, Unknown):
            return _with_unknown(value, library, dtype)
        made = _sequence(item, library, dtype, depth + 1) if isinstance(item, (list, tuple)) \
            else as_tensor(item, library, dtype)
        if isinstance(made, Unknown):
            return made
        items.append(made)
    shape = common_shape([item.shape for item in items])
    if isinstance(shape, Unknown):
        return shape
    found = list_dtype(value, items, library) if dtype is None else dtype
    return Tensor((len(items), *shape), found, KIND[library], _content(items, found))


def _numbers(value: Sequence[Any], library: Library, dtype: DType | None) -> Tensor:
    if dtype is None:
        real = any(type(item) is float for item in value)
        dtype = python_dtype(0.0, library) if real else python_dtype(max(value, key=abs), library)
    content = tuple(contents.fit(item, dtype) for item in value) if len(value) <= contents.LIMIT else None
    return Tensor((len(value),), dtype, KIND[library], contents.small(content))


def _with_unknown(value: Sequence[Any], library: Library, dtype: DType | None) -> Tensor | Unknown:
    """A flat list in which some numbers are not known still has a length: `[batch, 28, 28]` as a shape."""
    plain = [item for item in value if not isinstance(item, Unknown)]
    extents = bool(plain) and all(_is_extent(item) for item in plain)
    numbers = all(item.number for item in value if isinstance(item, Unknown)) and all(map(_is_number, plain))
    scalars = all(item.number or isinstance(item, OpenExtent) for item in value if isinstance(item, Unknown))
    if not numbers and (not extents or (library == "numpy" and not scalars)):  # of rows of a table, perhaps
        return Unknown("list with unknown elements")
    shape, found = (len(value),), Unknown("list with unknown elements") if dtype is None else dtype
    if dtype is None and all(type(item) is int or (type(item) is Drawn and item.number) for item in value):
        found = python_dtype(0, library)
    if len(value) > contents.LIMIT or not extents:
        return Tensor(shape, found, KIND[library])
    items = [Tensor((), "int32", content=item) if isinstance(item, Unknown) else as_tensor(item, library)
             for item in value]
    tensors = [item for item in items if isinstance(item, Tensor)]
    content = tuple(Unknown("element") if item.content is None else item.content for item in tensors)
    return Tensor(shape, found, KIND[library], contents.small(content))


def _is_extent(item: Any) -> bool:
    if isinstance(item, Tensor):
        return item.shape == ()
    return isinstance(item, (int, Symbol)) and not isinstance(item, bool)


def _is_number(item: Any) -> bool:
    return isinstance(item, int | float) or _is_extent(item)


def common_shape(shapes: Sequence[Shape | Unknown]) -> Shape | Unknown:
    """The one shape that all elements of a list must have, or Unknown for a ragged one."""
    common: Shape | None = None
    for shape in shapes:
        if isinstance(shape, Unknown):
            return shape
        if common is None:
            common = shape
        elif len(common) != len(shape) or not all(map(may_equal, common, shape)):
            return Unknown(RAGGED)
        else:
            common = tuple(map(meet, common, shape))
    if common is None or not any(type(dim) is Window for dim in common):
        return () if common is None else common
    columns = zip(*shapes, strict=True)
    return tuple(dim if (full := stacked(column)) is None else full
                 for dim, column in zip(common, columns, strict=True))


def list_dtype(values: Sequence[Any], items: Sequence[Tensor], library: Library) -> DType:
    """Dtype of a list's tensor: the elements' that are tensors already; Python numbers give way to them."""
    strong = [item.dtype for value, item in zip(values, items, strict=True) if isinstance(value, Tensor)]
    if library == "numpy":
        return promote_numpy(*(item.dtype for item in items))
    if library == "tf" and strong and set(strong) == {"int64"} and all(item.kind == "numpy" for item in items):
        return Unknown("a list of NumPy integers")  # int32 where every value fits
    if strong:
        return promote_keras(*strong) if library == "keras" else same_dtype(strong)
    dtypes = {item.dtype for item in items}
    if len(dtypes) == 1:
        return items[0].dtype
    if dtypes == {"int32", "float32"}:
        return "float32"
    return "int64" if dtypes == {"int32", "int64"} else Unknown("mixed list")


def same_dtype(dtypes: Sequence[DType]) -> DType:
    first = dtypes[0]
    return first if all(dtype == first for dtype in dtypes) else Unknown("mixed dtypes")


def _content(items: Sequence[Tensor], dtype: DType) -> Any:
    if len(items) > contents.LIMIT or isinstance(dtype, Unknown):
        return None
    if any(item.content is None and item.shape != () for item in items):
        return None
    parts = tuple(Unknown("element") if item.content is None else contents.cast(item.content, dtype)
                  for item in items)
    return contents.small(parts)
