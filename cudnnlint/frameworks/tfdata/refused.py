"""tf.data: what its methods certainly refuse, with the error that TensorFlow raises."""

from __future__ import annotations

from typing import Any

from cudnnlint.events import Rejected, tensors
from cudnnlint.interp.heap import ListV
from cudnnlint.interp.registry import Call
from cudnnlint.ops.arith import as_shape
from cudnnlint.values import Mismatch, Problem, Shape, Tensor, show
from cudnnlint.values.assumption import Assumptions
from cudnnlint.values.dim import is_known


def refuse(c: Call, method: str, element: Any, mismatch: Mismatch, taken: Assumptions) -> None:
    c.machine.say(Rejected, c.span, about=tensors(element), assumptions=taken, what=f"tf.data.Dataset.{method}",
                  mismatch=mismatch, inputs=element)


def fractional(c: Call, name: str, value: float | str, taken: Assumptions) -> None:
    """Counts are converted to tensors of int64, which takes no float and no text
    (tensorflow/python/data/ops/dataset_ops.py)."""
    if c.path.startswith("tensorflow.data.Dataset."):
        text = isinstance(value, str)
        told = f"{name} is the text {value!r}" if text else f"{name} is {value}"
        wrong = Mismatch(Problem.INVALID_ARGUMENT, f"{told}, not an integer", argument=name,
                         help="int(...) of it" if text else "use // where / divides two integers, or int()",
                         error=f'TypeError "Cannot convert {value!r} to EagerTensor of dtype int64"')
        refuse(c, c.path.rpartition(".")[2], None, wrong, taken)


def arity(method: str, given: int, fewest: int | None, most: int | None) -> Mismatch:
    """A function with another number of parameters than an element has parts
    (tensorflow/python/data/ops/structured_function.py: StructuredFunctionWrapper)."""
    over = most is not None and given > most
    takes = most if over else fewest
    plural = "s" if given != 1 else ""
    word = "at most" if takes == most and takes != fewest else "at least" if takes != most else ""
    error = f'TypeError "takes ... positional argument ... but {given} were given" or "... was given"' if over else \
        'TypeError "missing ... required positional argument"'
    return Mismatch(Problem.INPUT_COUNT,
                    f"{method}() calls the function with {given} argument{plural}, it takes "
                    + " ".join(part for part in (word, str(takes)) if part),
                    help="a tuple comes as one argument for each of its parts, anything else as one argument",
                    error=error, facts=(("given", given), ("takes", takes)))


def scalars(element: Any) -> Mismatch | None:
    """tensorflow/python/data/ops/unbatch_op.py: _UnbatchDataset.__init__."""
    if not any(tensor.shape == () for tensor in tensors(element)):
        return None
    return Mismatch(Problem.RANK, "unbatch needs elements with at least 1 axis, a scalar is among them",
                    help="leave unbatch() out, or batch first",
                    error='ValueError "Cannot unbatch an input with scalar components."')


def no_dataset(method: str, made: Any) -> Mismatch | None:
    """tensorflow/python/data/ops/flat_map_op.py: _FlatMapDataset.__init__"""
    if not isinstance(made, Tensor | tuple | ListV):
        return None
    told = str(made) if isinstance(made, Tensor) else "a tuple" if isinstance(made, tuple) else "a list"
    return Mismatch(Problem.UNEXPECTED, f"the function of {method}() gives {told}, not a Dataset",
                    help="map(), or Dataset.from_tensor_slices(...) of what it gives",
                    error='TypeError "The `map_func` argument must return a `Dataset` object." or AttributeError '
                          '"\'Tensor\' object has no attribute \'_name\'"')


def padding(element: Any, shapes: Any) -> Mismatch | None:
    """The first part of an element that is larger than what it shall be padded to, or structures that differ."""
    pairs: Any = ()
    if wrong := _structure(element, shapes):
        return wrong
    if isinstance(element, tuple) and isinstance(shapes, tuple | list) and len(shapes) == len(element):
        pairs = zip(element, shapes, strict=True)
    elif isinstance(element, dict) and isinstance(shapes, dict):
        pairs = ((item, shapes.get(key)) for key, item in element.items())
    elif isinstance(element, Tensor) and shapes is not None and isinstance(wanted := as_shape(shapes), tuple):
        return _padding(element, wanted)
    return next((wrong for item, part in pairs if (wrong := padding(item, part)) is not None), None)


def _structure(element: Any, shapes: Any) -> Mismatch | None:
    """tensorflow/python/data/util/nest.py: assert_shallow_structure, to which a list is no sequence, but a shape."""
    if not isinstance(element, tuple | dict) or not isinstance(shapes, tuple | list | dict):
        return None
    kind = "a dict" if isinstance(element, dict) else "a tuple"
    given = "a dict" if isinstance(shapes, dict) else "a tuple" if isinstance(shapes, tuple) else "a list"
    if kind == given and len(element) == len(shapes):
        return None
    size = f" of {len(shapes)}" if kind == given else ""
    return Mismatch(Problem.UNEXPECTED, f"padded_shapes is {given}{size}, the elements are {kind} of {len(element)}",
                    help="a shape for each part: " + ("{name: [None], ...}" if isinstance(element, dict) else
                                                      f"({', '.join(['[...]'] * min(len(element), 4))})"),
                    error='TypeError "If shallow structure is a sequence, input must also be a sequence", "The two '
                          'structures don\'t have the same sequence type" or ValueError "The two structures don\'t '
                          'have the same sequence length"')


def _padding(own: Tensor, wanted: Shape) -> Mismatch | None:
    """tensorflow/python/data/ops/padded_batch_op.py: _is_padded_shape_compatible_with."""
    if not isinstance(own.shape, tuple):
        return None
    fits = len(own.shape) == len(wanted) and not any(
        is_known(have) and is_known(want) and -1 != want < have  # type: ignore[operator]
        for have, want in zip(own.shape, wanted, strict=True))
    if fits:
        return None
    return Mismatch(Problem.RANK if len(own.shape) != len(wanted) else Problem.RESHAPE,
                    f"padded_batch: {own} cannot be padded to {show(wanted)}",
                    help="padded_shapes without the batch axis, each extent at least that of the elements, or None",
                    error='ValueError "The padded shape ... is not compatible with the shape"',
                    facts=(("actual", own.shape), ("expected", wanted)))


def different(a: Any, b: Any) -> Mismatch | None:
    """Elements that no one structure describes
    (tensorflow/python/data/ops/concatenate_op.py: _ConcatenateDataset.__init__)."""
    error = 'TypeError "Incompatible dataset elements"'
    kind, other = _kind(a), _kind(b)
    if kind and other and kind != other:
        return Mismatch(Problem.MERGE, f"concatenate: elements are {kind} in one dataset and {other} in the other",
                        error=error)
    if isinstance(a, Tensor) and isinstance(b, Tensor):
        if isinstance(a.dtype, str) and isinstance(b.dtype, str) and a.dtype != b.dtype:
            return Mismatch(Problem.DTYPE, f"concatenate: {a} in one dataset, {b} in the other",
                            help="tf.cast one of them in map()", error=error, facts=(("dtypes", (a.dtype, b.dtype)),))
        return None
    pairs: Any = ()
    if kind == other and kind:
        pairs = zip(a, b, strict=True) if isinstance(a, tuple) else ((a[key], b[key]) for key in a)
    return next((wrong for x, y in pairs if (wrong := different(x, y)) is not None), None)


def _kind(element: Any) -> str:
    """The outermost structure in words; "" where it is not known."""
    if isinstance(element, tuple):
        return f"tuples of {len(element)}"
    if isinstance(element, dict):
        return f"dicts with {', '.join(sorted(map(str, element)))}"
    return "tensors" if isinstance(element, Tensor) else ""


__all__ = ["arity", "different", "padding", "refuse", "scalars"]
