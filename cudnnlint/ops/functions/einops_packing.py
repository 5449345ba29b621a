"""einops: tensors packed into one and unpacked, and its einsum with names of axes."""

from __future__ import annotations

import re
from typing import Any

from cudnnlint.ops.arith import may_equal
from cudnnlint.ops.functions._core import numbers
from cudnnlint.ops.functions.einsum import einsum as contracted
from cudnnlint.ops.protocol import Outcome, function
from cudnnlint.values import Dim, Shape, Tensor, Unknown
from cudnnlint.values.dim import product


def _places(pattern: Any) -> tuple[int, int] | None:
    """How many axes stand before and after the star of "h w * c"."""
    axes = pattern.split() if isinstance(pattern, str) else []
    if axes.count("*") != 1:
        return None
    at = axes.index("*")
    return at, len(axes) - at - 1


def _total(sizes: list[Dim]) -> Dim:
    known = [size for size in sizes if isinstance(size, int)]
    return sum(known) if len(known) == len(sizes) else Unknown("what is packed")


@function("einops.pack")
def pack(tensors: Any, pattern: Any) -> Outcome:
    """(the packed tensor, what shapes the star stood for) (einops/packing.py: pack).

    >>> packed, shapes = pack([Tensor((3, 4)), Tensor((3, 2, 5))], "b *")
    >>> str(packed), shapes
    ('float32[3, 14]', [(4,), (2, 5)])
    """
    places = _places(pattern)
    held = [one for one in tensors if isinstance(one, Tensor)] if isinstance(tensors, list | tuple) else []
    if places is None or not held or len(held) != len(tensors):
        return Unknown("einops.pack()")
    before, after = places
    shapes: list[Shape] = [one.shape for one in held if isinstance(one.shape, tuple)]
    if len(shapes) != len(held) or any(len(shape) < before + after for shape in shapes):
        return Unknown("einops.pack()")
    ends = [(*shape[:before], *shape[len(shape) - after:]) for shape in shapes]
    if not all(may_equal(m, n) for end in ends[1:] for m, n in zip(ends[0], end, strict=True)):
        return Unknown("einops.pack() of tensors that do not fit")
    starred = [shape[before:len(shape) - after] for shape in shapes]
    dtype = held[0].dtype if len({one.dtype for one in held}) == 1 else Unknown("dtypes that differ")
    size = _total([product(part) for part in starred])
    return held[0].with_(shape=(*ends[0][:before], size, *ends[0][before:]), dtype=dtype), [*starred]


@function("einops.unpack")
def unpack(tensor: Any, packed_shapes: Any, pattern: Any) -> Outcome:
    """
    >>> [str(one) for one in unpack(Tensor((3, 14)), [(4,), (2, 5)], "b *")]
    ['float32[3, 4]', 'float32[3, 2, 5]']
    """
    places = _places(pattern)
    if places is None or not isinstance(tensor, Tensor) or not isinstance(tensor.shape, tuple):
        return Unknown("einops.unpack()")
    parts = [numbers(shape) for shape in packed_shapes] if isinstance(packed_shapes, list | tuple) else []
    before, after = places
    if len(tensor.shape) != before + after + 1 or not parts or any(isinstance(part, Unknown) for part in parts):
        return Unknown("einops.unpack()")
    whole, rest = tensor.shape, tensor.shape[before + 1:]
    shapes = [tuple(Unknown("what is left") if dim == -1 else dim for dim in part)
              for part in parts if isinstance(part, tuple)]
    return [tensor.with_(shape=(*whole[:before], *shape, *rest)) for shape in shapes]


@function("einops.einsum")
def einsum(a: Any, b: Any = None, c: Any = None, d: Any = None, e: Any = None) -> Outcome:
    """The tensors come first; names of axes may be words (einops/einops.py: einsum)."""
    given = [one for one in (a, b, c, d, e) if one is not None]
    pattern, operands = given[-1] if given else None, given[:-1]
    if not isinstance(pattern, str) or not all(isinstance(one, Tensor) for one in operands) or "(" in pattern:
        return Unknown("einops.einsum()")
    names = dict.fromkeys(re.findall(r"\w+", pattern))
    if len(names) > 52:
        return Unknown("einops.einsum()")
    letters = {name: chr(97 + i) if i < 26 else chr(39 + i) for i, name in enumerate(names)}
    short = re.sub(r"\w+", lambda found: letters[found[0]], pattern).replace(" ", "")
    kinds = {one.kind for one in operands}
    return contracted(short, operands, "numpy" if kinds == {"numpy"} else "tf", "einops.einsum")
