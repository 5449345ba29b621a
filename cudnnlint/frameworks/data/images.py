"""Images as Keras loads them: sizes, colours, layouts, and single files."""

from __future__ import annotations

from dataclasses import field
from typing import Any, ClassVar

from cudnnlint.frameworks.tfdata.dataset import Given
from cudnnlint.interp.machine import assume
from cudnnlint.interp.refusals import is_meant, refuse
from cudnnlint.interp.registry import Call, Framework
from cudnnlint.records import record
from cudnnlint.source import Span
from cudnnlint.values import Mismatch, Problem, Step, Tensor, Unknown
from cudnnlint.values.assumption import NONE, Assumptions
from cudnnlint.values.dim import Dim, is_known

FRAMEWORK = Framework("keras.utils", roots=("keras",))
SIZE_OF_FILE = Unknown("size of a file")
"""Of a picture as it was loaded."""


@record(frozen=True, slots=True)
class ImageV:
    """A PIL image that Keras loaded."""

    height: Dim
    width: Dim
    depth: Dim
    span: Span | None = field(default=None, compare=False)
    assumptions: Assumptions = NONE

    path: ClassVar[str] = "PIL.Image.Image"
    always_true: ClassVar[bool] = True

    @property
    def as_array(self) -> Tensor:
        """What np.array() makes of it: gray pictures have two axes, and only some modes have 8 bits."""
        dims: Any = Unknown("mode of a picture")
        if is_known(self.depth):
            dims = (self.height, self.width) if self.depth == 1 else (self.height, self.width, self.depth)
        dtype = "uint8" if is_known(self.depth) else Unknown("mode of a picture")
        maker = "PIL.Image.open" if self.height is SIZE_OF_FILE and self.width is SIZE_OF_FILE else None
        step = None if self.span is None else Step(self.span, (), maker)
        return Tensor(dims, dtype, "numpy", None, step, self.assumptions)

    def entered(self, m: Any) -> ImageV:
        return self

    def join_with(self, other: Any) -> Any:
        """A picture still, of what both paths agree on."""
        if not isinstance(other, ImageV):
            return Unknown("differs between paths")
        height, width, depth = map(_agreed, (self.height, self.width, self.depth),
                                   (other.height, other.width, other.depth))
        return ImageV(height, width, depth, self.span, self.assumptions | other.assumptions)


def _agreed(one: Dim, other: Dim) -> Dim:
    return one if is_known(one) and one == other else Unknown("differs between paths")


def channels(color_mode: Any) -> Dim:
    """keras/src/utils/image_dataset_utils.py: image_dataset_from_directory."""
    known = {"rgb": 3, "rgba": 4, "grayscale": 1}
    return known.get(color_mode, Unknown("color_mode")) if isinstance(color_mode, str) else Unknown("color_mode")


def image_size(value: Any) -> tuple[Dim, Dim]:
    """(height, width) of a pair or, in Keras 3, of one number for both.

    >>> image_size((224, 160)), image_size(64)
    ((224, 160), (64, 64))
    """
    pair = tuple(value) if isinstance(value, list | tuple) and len(value) == 2 else (value, value)
    height, width = (dim if is_known(dim) else Unknown("image size") for dim in pair)
    return height, width


def image_dims(height: Dim, width: Dim, depth: Dim, layout: Any) -> tuple[Dim, ...]:
    """
    >>> image_dims(224, 224, 3, "channels_first")
    (3, 224, 224)
    """
    if layout == "channels_last":
        return height, width, depth
    if layout == "channels_first":
        return depth, height, width
    return (Unknown("data_format"),) * 3


@FRAMEWORK.on("keras.utils.load_img", "keras.preprocessing.image.load_img")
def load_img(c: Call) -> Any:
    """A PIL image: of the size asked for, else of that of the file (keras/src/utils/image_utils.py: load_img)."""
    given = Given(c, method=False)
    shift = 1 if c.machine.stack.keras < (3,) else 0  # Keras 2 takes grayscale= before color_mode=
    target, mode = given.get(2 + shift, "target_size"), given.get(1 + shift, "color_mode", "rgb")
    height, width = (SIZE_OF_FILE,) * 2 if target is None else image_size(target)
    if shift and given.get(1, "grayscale", False) is not False:
        mode = "grayscale" if given.get(1, "grayscale") is True else Unknown("grayscale")
    elif "grayscale" in c.kwargs:  # of a call that Keras 3 refuses: the rest is as it was meant
        mode = "grayscale" if c.kwargs["grayscale"] is True else Unknown("grayscale")
    return ImageV(height, width, channels(mode), c.span, given.taken)


@FRAMEWORK.on("keras.utils.img_to_array", "keras.preprocessing.image.img_to_array")
def img_to_array(c: Call) -> Any:
    """Three axes, floatx (keras/src/utils/image_utils.py: img_to_array)."""
    given = Given(c, method=False)
    image, layout = given.get(0, "img"), given.get(1, "data_format")
    state = c.machine.state
    layout = layout or state.get("image_data_format", "channels_last")
    dtype = given.get(2, "dtype") or state.get("floatx", "float32")
    dims: Any = (Unknown("size of an image"),) * 3
    taken = given.taken
    if isinstance(image, ImageV):
        dims = image_dims(image.height, image.width, image.depth, layout)
        taken |= image.assumptions
    elif isinstance(image, Tensor) and isinstance(image.shape, tuple):
        if image.rank not in (2, 3):
            return Unknown("not an image")
        dims = image.shape if image.rank == 3 else image_dims(image.shape[0], image.shape[1], 1, layout)
    step = Step(c.span, (image,) if isinstance(image, Tensor) else ())
    if isinstance(image, ImageV) and image.as_array.step is not None:
        step = image.as_array.step
    made = Tensor(dims, dtype if isinstance(dtype, str) else Unknown("dtype"), "numpy", None, step)
    return assume(made, taken)


@FRAMEWORK.on("keras.utils.array_to_img", "keras.preprocessing.image.array_to_img")
def array_to_img(c: Call) -> Any:
    """A PIL image of one array (keras/src/utils/image_utils.py: array_to_img)."""
    given = Given(c, method=False)
    array, layout = given.get(0, "x"), given.get(1, "data_format") or c.machine.state.get("image_data_format")
    _tell_of_no_image(c, "array_to_img", array, layout)
    first, last = (1, 0) if layout == "channels_first" else (0, 2)
    if not isinstance(array, Tensor) or not isinstance(array.shape, tuple) or array.rank != 3:
        return Unknown("a picture of an array")
    height, width = array.shape[first:first + 2]
    return ImageV(height, width, array.shape[last], c.span, given.taken)


@FRAMEWORK.on("keras.utils.save_img", "keras.preprocessing.image.save_img")
def save_img(c: Call) -> None:
    given = Given(c, method=False)
    layout = given.get(2, "data_format") or c.machine.state.get("image_data_format")
    _tell_of_no_image(c, "save_img", given.get(1, "x"), layout)


def _tell_of_no_image(c: Call, name: str, array: Any, layout: Any) -> None:
    """An array with the axis of the batch, or with channels that no image has."""
    if not isinstance(array, Tensor) or isinstance(array.shape, Unknown) or not is_meant(c.machine):
        return
    if array.rank != 3:
        wrong = Mismatch(Problem.RANK, f"{name}() of {array}, which has {array.rank} axes, not three", argument="x",
                         help="one of them: x[0]" if array.rank == 4 else "(height, width, channels)",
                         error='ValueError "Expected image array to have rank 3 (single image)"')
    else:
        depth = array.shape[0 if layout == "channels_first" else 2]
        if layout not in (None, "channels_first", "channels_last") or not is_known(depth) or depth in (1, 3, 4):
            return
        wrong = Mismatch(Problem.CHANNELS, f"{name}() of {array}, which has {depth} channels", argument="x",
                         help="1, 3 or 4 channels", error=f'ValueError "Unsupported channel number: {depth}"')
    refuse(c.machine, c.span, wrong, about=(array,), what=name, stage="called")


__all__ = ["channels", "image_dims", "image_size"]
