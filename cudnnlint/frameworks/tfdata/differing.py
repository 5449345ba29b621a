"""Elements of a dataset that differ in size: found by computing them again for two sizes of what they are made of."""

from __future__ import annotations

from typing import Any

from cudnnlint.events import Differing
from cudnnlint.frameworks.training.structure import over
from cudnnlint.interp.keras.replay import Replay
from cudnnlint.interp.machine import Machine
from cudnnlint.records import record
from cudnnlint.source import Span
from cudnnlint.values import Step, Symbol, Tensor, Unknown
from cudnnlint.values.dim import is_known
from cudnnlint.values.tensor import Shape, tensors

FILES = frozenset(f"tensorflow.{room}.{name}" for room in ("io", "image") for name in (
    "decode_jpeg", "decode_png", "decode_image", "decode_bmp"))
"""Functions whose result is as large as the image in the file."""
WORDS = frozenset({"tensorflow.strings.split", "tensorflow.strings.bytes_split", "tensorflow.strings.unicode_split"})
"""Functions whose result has as many elements as the text has words, bytes or characters."""
COLUMNS = "tensorflow.strings.to_number"
"""Lines of numbers mostly have as many each."""
SIZES = ((301, 203), (517, 409))
"""Height and width of two photos: numbers that hardly any program computes with."""
DEEPEST = 64
"""Steps looked back at."""


@record(frozen=True, slots=True)
class Varied:
    """Maker of elements of several sizes, of which two are known: `shapes` by tensor, or () where any are possible."""

    origin: str
    shapes: tuple[tuple[Shape, Shape], ...] = ()


def varied(items: list[Any], element: Any, span: Span, origin: str) -> Any:
    """The element that stands for all items, its tensors saying which differ in shape."""
    seen = [tensors(item) for item in items]
    slots = tensors(element)
    if any(len(one) != len(slots) for one in seen):
        return element
    pairs = {id(slot): pair for i, slot in enumerate(slots) if (pair := _pair([one[i].shape for one in seen]))}

    def leaf(item: Any) -> Any:
        if id(item) not in pairs:
            return item
        return item.with_(step=Step(span, (), Varied(origin, (pairs[id(item)],))))

    return over(element, leaf) if pairs else element


def _pair(shapes: list[Any]) -> tuple[Shape, Shape] | None:
    """Two shapes of one rank, wholly known, that differ."""
    known = [shape for shape in shapes if isinstance(shape, tuple) and all(map(is_known, shape))]
    if len(known) != len(shapes):
        return None
    return next(((known[0], other) for other in known if len(other) == len(known[0]) and other != known[0]), None)


def differing(m: Machine, element: Any) -> Differing | None:
    """The first component of an element that has certainly another shape for another source."""
    for tensor in tensors(element):
        if not isinstance(tensor.shape, tuple) or all(map(is_known, tensor.shape)):
            continue
        source, origin, seen = _source(tensor)
        if source is None:
            continue
        pair = origin.shapes[0] if seen else _sized(source)
        if pair is not None and (made := _again(m, tensor, source, pair)):
            return Differing(made, origin.origin, source.step.span if source.step else Span(m.linted, 1, 0, 1, 0), seen)
    return None


def _source(tensor: Tensor) -> tuple[Tensor | None, Varied, bool]:
    """What the tensor is made of that has several sizes, along the first parents."""
    current: Tensor | None = tensor
    for _ in range(DEEPEST):
        step = current.step if current is not None else None
        if current is None or step is None:
            break
        if isinstance(step.maker, Varied):
            return current, step.maker, bool(step.maker.shapes)
        if step.maker in FILES if isinstance(step.maker, str) else False:
            return current, Varied("images as large as their files have them"), False
        if step.maker in WORDS if isinstance(step.maker, str) else False:
            return (current, Varied("as many words as each text has"), False) if _by_words(step) else NOWHERE
        if step.maker == COLUMNS:
            break
        current = step.parents[0] if step.parents else None
    return NOWHERE


NOWHERE: tuple[None, Varied, bool] = None, Varied(""), False


def _by_words(step: Step) -> bool:
    """At blanks, not at a separator of columns or folders."""
    args, kwargs = step.arguments or ((), {})
    return step.maker != "tensorflow.strings.split" or (len(args) < 2 and "sep" not in kwargs)


def _sized(source: Tensor) -> tuple[Shape, Shape] | None:
    """(height, width, channels) of two photos, or how many words two texts have."""
    shape = source.shape
    if isinstance(shape, tuple) and len(shape) == 1 and source.step is not None and source.step.maker in WORDS:
        return (307,), (211,)
    if not isinstance(shape, tuple) or len(shape) != 3 or not all(isinstance(dim, Symbol) for dim in shape[:2]):
        return None
    depth = shape[2] if is_known(shape[2]) else 3
    return (*SIZES[0], depth), (*SIZES[1], depth)


def _again(m: Machine, tensor: Tensor, source: Tensor, pair: tuple[Shape, Shape]) -> tuple[Shape, Shape] | None:
    """The shapes of the element for both sizes of its source; None unless both are known and differ."""
    emit, made = m.emit, list[Any]()
    m.emit = lambda event: None
    try:
        for shape in pair:
            result = Replay(m, {id(source): source.with_(shape=shape)}, tensor.step.span if tensor.step else
                            Span(m.linted, 1, 0, 1, 0)).run(tensor)
            made.append(result.shape if isinstance(result, Tensor) else Unknown("fails"))
    finally:
        m.emit = emit
    known = all(isinstance(shape, tuple) and all(map(is_known, shape)) for shape in made)
    return (made[0], made[1]) if known and made[0] != made[1] else None


__all__ = ["Varied", "differing", "varied"]
