"""A tensor as far as the program text fixes it: shape, dtype, and where both came from."""

from __future__ import annotations

from dataclasses import field
from typing import Any

from cudnnlint.records import record
from cudnnlint.source import Span
from cudnnlint.values import assumption
from cudnnlint.values.dim import Dim
from cudnnlint.values.unknown import SomeFloat, Unknown

Shape = tuple[Dim, ...]
DType = str | Unknown
SAME: Any = object()
"""Of a field that a copy keeps."""


@record(frozen=True, slots=True)
class Step:
    """How a tensor came to be: the call that made it and the tensors it was made from.

    `maker` is what was applied (a layer, a model, a function path): replaying makers over new inputs
    is how a functional model is called again. `arguments` is (args, kwargs) as the maker received them.
    `body` is the result as it was inside, made of what the maker is made of, where the maker was followed.
    `mask` is (mask,) where a compute_mask() of the user's was asked for it.
    """

    span: Span
    parents: tuple[Tensor, ...] = ()
    maker: Any = None
    arguments: Any = None
    index: tuple[Any, ...] = ()
    body: Any = None
    mask: tuple[Any] | None = None


@record(frozen=True, slots=True)
class Tensor:
    """`shape` is Unknown when not even the rank is known; `dtype` a numpy name such as "float32".

    kind      "keras" (symbolic, from keras.Input), "tf", "numpy" or "torch"
    content   the elements when few and known (`tf.shape(x)`, `np.array([1, 2])`): a scalar or nested tuples
    """

    shape: Shape | Unknown = Unknown()
    dtype: DType = "float32"
    kind: str = "tf"
    content: Any = field(default=None, compare=False)
    step: Step | None = field(default=None, compare=False, repr=False)
    assumptions: assumption.Assumptions = field(default=assumption.NONE, compare=False, repr=False)

    @property
    def rank(self) -> int | None:
        return None if isinstance(self.shape, Unknown) else len(self.shape)

    def with_(self, *, shape: Any = SAME, dtype: Any = SAME, kind: Any = SAME, content: Any = None, step: Any = SAME,
              assumptions: Any = SAME) -> Tensor:
        """A copy with fields replaced; content is dropped unless given."""
        return Tensor(self.shape if shape is SAME else shape, self.dtype if dtype is SAME else dtype,
                      self.kind if kind is SAME else kind, content, self.step if step is SAME else step,
                      self.assumptions if assumptions is SAME else assumptions)

    def __str__(self) -> str:
        return f"{self.dtype}{show(self.shape)}"


def show(shape: Shape | Unknown) -> str:
    """`[B, 12, 12, 3]`, or `[...]` when the rank is unknown.

    >>> show((1, 2))
    '[1, 2]'
    """
    if isinstance(shape, Unknown):
        return "[...]"
    return "[" + ", ".join(str(dim) for dim in shape) + "]"


def is_floating(dtype: DType) -> bool | None:
    """None when the dtype is unknown."""
    if isinstance(dtype, Unknown):
        return True if type(dtype) is SomeFloat else None
    return dtype.startswith(("float", "bfloat", "complex"))


def is_integer(dtype: DType) -> bool | None:
    """None when the dtype is unknown; bool is not an integer type."""
    if isinstance(dtype, Unknown):
        return False if type(dtype) is SomeFloat else None
    return dtype.startswith(("int", "uint"))


ATOMS = frozenset({int, str, float, bool, type(None)})
"""What holds no tensors."""


def tensors(structure: Any) -> tuple[Tensor, ...]:
    """All Tensors of a nested structure, in order."""
    kind = type(structure)
    if kind is Tensor:
        return (structure,)
    if kind in ATOMS:
        return ()
    found: list[Tensor] = []
    _gather(structure, found)
    return tuple(found)


def _gather(structure: Any, found: list[Tensor]) -> None:
    kind = type(structure)
    if kind is not list and kind is not tuple:
        if isinstance(structure, dict):
            structure = structure.values()
        elif not isinstance(structure, (list, tuple)):
            return
    for item in structure:
        kind = type(item)
        if kind is Tensor:
            found.append(item)
        elif kind not in ATOMS:
            _gather(item, found)


def first_tensor(structure: Any) -> Tensor | None:
    """The first Tensor of a nested structure."""
    if isinstance(structure, Tensor):
        return structure
    if isinstance(structure, dict):
        structure = tuple(structure.values())
    items = structure if isinstance(structure, (list, tuple)) else ()
    for item in items:
        if (found := first_tensor(item)) is not None:
            return found
    return None


def matched(wanted: Any, given: Any) -> tuple[Tensor, ...]:
    """Given tensors in the order of the model's inputs (a dict is matched by name)."""
    if isinstance(given, dict) and isinstance(wanted, dict):
        return tuple(given[key] for key in wanted if isinstance(given.get(key), Tensor))
    if isinstance(given, dict):
        names = [getattr(tensor.step.maker, "name", None) if tensor.step else None for tensor in tensors(wanted)]
        if all(isinstance(given.get(name), Tensor) for name in names):
            return tuple(given[name] for name in names)
    return tensors(given)
