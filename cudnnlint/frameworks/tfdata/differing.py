"""Elements of a dataset that differ in size: found by computing them again for two sizes of what they are made of."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import Any

from cudnnlint.events import Differing
from cudnnlint.frameworks.data.one_size import told_of_one_size
from cudnnlint.frameworks.training.structure import over
from cudnnlint.interp.keras.replay import Replay
from cudnnlint.interp.machine import Machine, plain
from cudnnlint.records import record
from cudnnlint.source import Span
from cudnnlint.values import Step, Tensor, Unknown
from cudnnlint.values.dim import is_known
from cudnnlint.values.tensor import Shape, tensors
from cudnnlint.values.unknown import Drawn

FILES = frozenset({"cv2.imread", "PIL.Image.open", *(f"tensorflow.{room}.{name}" for room in ("io", "image")
                                                     for name in ("decode_jpeg", "decode_png", "decode_image",
                                                                  "decode_bmp"))})
"""Functions whose result is as large as the image in the file."""
WORDS = frozenset({"tensorflow.strings.split", "tensorflow.strings.bytes_split", "tensorflow.strings.unicode_split"})
"""Functions whose result has as many elements as the text has words, bytes or characters."""
COLUMNS = "tensorflow.strings.to_number"
"""Lines of numbers mostly have as many each."""
SIZES = ((301, 203), (517, 409))
"""Height and width of two photos: numbers that hardly any program computes with."""
ENCODERS = ".encode_jpeg(", ".encode_png("
DEEPEST = 64
"""Steps looked back at."""
SAMPLED = 4
"""Elements of a generator that are looked at."""


@record(frozen=True, slots=True)
class Varied:
    """Maker of elements of several sizes, of which two are known: `shapes` by tensor, or () where any are possible.

    read  the shapes are what is seen, not examples
    """

    origin: str
    shapes: tuple[tuple[Shape, Shape], ...] = ()
    read: bool = True


OF_FILES = Varied("images as large as their files have them")


def varied(m: Machine, items: list[Any], element: Any, span: Span) -> Any:
    """The element that stands for all items of a generator, its tensors saying which differ in shape."""
    found = {id(slot): step for slot, yielded in _aligned(element, items) if (step := _step(m, yielded, span))}

    def leaf(item: Any) -> Any:
        return item.with_(step=found[id(item)]) if id(item) in found else item

    return over(element, leaf) if found else element


def _aligned(element: Any, items: list[Any]) -> Iterator[tuple[Tensor, list[Tensor]]]:
    """Each tensor of the element with what the items have in its place, where those are tensors."""
    if isinstance(element, Tensor) and items and all(isinstance(item, Tensor) for item in items):
        yield element, items
    elif isinstance(element, tuple) and all(isinstance(item, tuple) and len(item) == len(element) for item in items):
        for place, part in enumerate(element):
            yield from _aligned(part, [item[place] for item in items])
    elif isinstance(element, dict) and all(isinstance(item, dict) and item.keys() == element.keys() for item in items):
        for key, part in element.items():
            yield from _aligned(part, [item[key] for item in items])


def _step(m: Machine, yielded: list[Tensor], span: Span) -> Step | None:
    """What says that these differ in shape: of known sizes, of files, of numbers drawn anew for each."""
    shapes = [tensor.shape for tensor in yielded]
    if pair := _pair(shapes):
        return Step(span, (), Varied("a generator that yields several sizes", (pair,)))
    if pair := _drawn(shapes):
        return Step(span, (), Varied("a generator that yields sizes drawn at random", (pair,), read=False))
    found = [differing(m, tensor) for tensor in chain.from_iterable(map(_met, yielded[:SAMPLED]))]
    one = found[0] if found and None not in found else None
    return None if one is None else Step(one.span, (), Varied(one.origin, (one.shapes,), read=False))


def _met(tensor: Tensor) -> tuple[Tensor, ...]:
    """What the turns of a loop and the branches of a program gave in its place."""
    joined = tensor.step is not None and tensor.step.maker == "join" and tensor.step.parents
    return joined or (tensor,)


def _drawn(shapes: list[Any]) -> tuple[Shape, Shape] | None:
    """Two shapes for those that have another extent drawn for each."""
    first, other = [shape if isinstance(shape, tuple) else () for shape in (*shapes, (), ())[:2]]
    if not first or len(first) != len(other):
        return None
    apart = [isinstance(a, Drawn) and isinstance(b, Drawn) and a.base is not b.base
             for a, b in zip(first, other, strict=True)]
    if not any(apart) or not all(drawn or is_known(dim) for drawn, dim in zip(apart, first, strict=True)):
        return None
    one, two = (tuple(size[0] if drawn else dim for drawn, dim in zip(apart, first, strict=True)) for size in SIZES)
    return one, two


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
        if source is None or (origin is OF_FILES and (_writes_images(m) or told_of_one_size(m))):
            continue
        pair = origin.shapes[0] if origin.shapes else _sized(source)
        if pair is not None and (made := _again(m, tensor, source, pair)):
            return Differing(made, origin.origin, source.step.span if source.step else Span(m.linted, 1, 0, 1, 0), seen)
    return None


def _writes_images(m: Machine) -> bool:
    """Whether the program writes the images as well that it reads: they were brought to a size before, if at all."""
    modules = (m.frames[0].module, *m.project.modules.values())
    return any(module.source.says(encoder) for module in modules if getattr(module, "source", None) is not None
               for encoder in ENCODERS)


def _source(tensor: Tensor) -> tuple[Tensor | None, Varied, bool]:
    """What the tensor is made of that has several sizes, along the first parents."""
    current: Tensor | None = tensor
    for _ in range(DEEPEST):
        step = current.step if current is not None else None
        if current is None or step is None:
            break
        if isinstance(step.maker, Varied):
            return current, step.maker, bool(step.maker.shapes) and step.maker.read
        if step.maker in FILES if isinstance(step.maker, str) else False:
            return current, OF_FILES, False
        if not step.parents and _is_picture(step):
            return current, OF_FILES, False
        if step.maker in WORDS if isinstance(step.maker, str) else False:
            return (current, Varied("as many words as each text has"), False) if _by_words(step) else NOWHERE
        if step.maker == COLUMNS:
            break
        current = step.parents[0] if step.parents else None
    return NOWHERE


def _is_picture(step: Step) -> bool:
    """`np.array(Image.open(path))`"""
    given = plain(step.arguments[0][0]) if step.arguments is not None and step.arguments[0] else None
    array = getattr(given, "as_array", None)
    return isinstance(array, Tensor) and array.step is not None and array.step.maker in FILES


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
    if not isinstance(shape, tuple) or len(shape) not in (2, 3) or any(map(is_known, shape[:2])):
        return None
    if len(shape) == 2:
        return SIZES
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
