"""Pictures as PIL and OpenCV load and resize them: sizes as they are asked for, else those of the file."""

from __future__ import annotations

import ast
import re
from dataclasses import replace
from typing import Any

from cudnnlint.frameworks.data.images import SIZE_OF_FILE, ImageV
from cudnnlint.frameworks.data.stored import from_file
from cudnnlint.frameworks.numpy.library import FRAMEWORK
from cudnnlint.frameworks.tfdata.dataset import Given
from cudnnlint.interp.machine import Machine, plain
from cudnnlint.interp.objects import External
from cudnnlint.interp.registry import Call
from cudnnlint.values import Dim, Step, Tensor, Unknown
from cudnnlint.values.dim import is_known

IMAGE = "PIL.Image.Image"
MODES = {"L": 1, "P": 1, "RGB": 3, "RGBA": 4, "HSV": 3, "LAB": 3, "YCbCr": 3, "CMYK": 4, "LA": 2}
"""Mode of a picture -> its bands of 8 bits (Pillow: Concepts, Modes)."""
for _name, _flag in {"IMREAD_COLOR": 1, "IMREAD_GRAYSCALE": 0, "IMREAD_UNCHANGED": -1}.items():
    FRAMEWORK.constant(f"cv2.{_name}", _flag)


PRETENDED = "size of pictures"
"""State: (height, width) that files of pictures are taken to have, to see what they lead to."""


def _of_file(m: Machine, why: Unknown) -> tuple[Dim, Dim]:
    size: tuple[Dim, Dim] | None = m.state.get(PRETENDED)
    return size if size is not None else (why, why)


def _pair(value: Any) -> tuple[Dim, Dim]:
    """(width, height), as both libraries want sizes."""
    if isinstance(value, list | tuple) and len(value) == 2:
        first, second = (dim if is_known(dim) else Unknown("size of a picture") for dim in value)
        return first, second
    return Unknown("size of a picture"), Unknown("size of a picture")


# -- PIL --------------------------------------------------------------------------------------------


@FRAMEWORK.on("PIL.Image.open")
def open_picture(c: Call) -> Any:
    return ImageV(*_of_file(c.machine, SIZE_OF_FILE), from_file("Image.open"), c.span)


@FRAMEWORK.on("PIL.Image.new")
def new_picture(c: Call) -> Any:
    given = Given(c, method=False)
    width, height = _pair(given.get(1, "size"))
    return ImageV(height, width, _bands(given.get(0, "mode")), c.span, given.taken)


@FRAMEWORK.on("PIL.Image.fromarray")
def from_array(c: Call) -> Any:
    value = Given(c, method=False).get(0, "obj")
    if not isinstance(value, Tensor) or not isinstance(value.shape, tuple) or len(value.shape) not in (2, 3):
        why = Unknown("size of a picture")
        return ImageV(why, why, why, c.span)
    eight = value.dtype == "uint8" and len(c.args) + len(c.kwargs) == 1
    depth: Dim = Unknown("mode of a picture") if not eight else 1 if len(value.shape) == 2 else value.shape[2]
    return ImageV(value.shape[0], value.shape[1], depth, c.span)


def _bands(mode: Any) -> Dim:
    return MODES.get(mode, Unknown("mode of a picture")) if isinstance(mode, str) else Unknown("mode of a picture")


@FRAMEWORK.on(f"{IMAGE}.convert")
def convert(c: Call) -> Any:
    given = Given(c)
    image = given.receiver
    return replace(image, depth=_bands(given.get(0, "mode"))) if isinstance(image, ImageV) else Unknown("a picture")


@FRAMEWORK.on(f"{IMAGE}.resize")
def resize_picture(c: Call) -> Any:
    given = Given(c)
    width, height = _pair(given.get(0, "size"))
    image = given.receiver
    if not isinstance(image, ImageV):
        return Unknown("a picture")
    return replace(image, height=height, width=width, span=c.span, assumptions=image.assumptions | given.taken)


@FRAMEWORK.on(f"{IMAGE}.crop")
def crop(c: Call) -> Any:
    given = Given(c)
    box, image = given.get(0, "box"), given.receiver
    if not isinstance(image, ImageV) or box is None:
        return image
    known = isinstance(box, list | tuple) and len(box) == 4 and all(is_known(edge) for edge in box)
    width, height = (box[2] - box[0], box[3] - box[1]) if known else _pair(None)
    return replace(image, height=height, width=width, span=c.span, assumptions=image.assumptions | given.taken)


@FRAMEWORK.on(f"{IMAGE}.copy", f"{IMAGE}.filter")
def same_picture(c: Call) -> Any:
    return plain(c.receiver)


@FRAMEWORK.on(f"{IMAGE}.rotate", f"{IMAGE}.transpose")
def turned(c: Call) -> Any:
    image = plain(c.receiver)
    width, height = _pair(None)
    return replace(image, height=height, width=width) if isinstance(image, ImageV) else Unknown("a picture")


@FRAMEWORK.on(f"{IMAGE}.thumbnail")
def thumbnail(c: Call) -> Any:
    """In place, as large as fits: of the variable nothing is known any more."""
    from cudnnlint.interp.names import assign

    image, written = plain(c.receiver), getattr(getattr(c.node, "func", None), "value", None)
    if isinstance(image, ImageV) and isinstance(written, ast.Name | ast.Attribute):
        width, height = _pair(None)
        assign(c.machine, written, replace(image, height=height, width=width))
    return None


@FRAMEWORK.attribute(f"{IMAGE}.size")
def size(m: Machine, image: ImageV) -> Any:
    return image.width, image.height


@FRAMEWORK.attribute(f"{IMAGE}.width")
def width_of(m: Machine, image: ImageV) -> Any:
    return image.width


@FRAMEWORK.attribute(f"{IMAGE}.height")
def height_of(m: Machine, image: ImageV) -> Any:
    return image.height


# -- OpenCV -----------------------------------------------------------------------------------------


@FRAMEWORK.on("cv2.imread", "cv2.imdecode")
def imread(c: Call) -> Any:
    """(height, width, 3) of 8 bits unless the flags say otherwise (OpenCV: imgcodecs, ImreadModes)."""
    flags, why = Given(c, method=False).get(1, "flags", 1), from_file("cv2.imread")
    if flags in (0, 1) and flags is not False:
        size = _of_file(c.machine, why)
        return Tensor((*size, 3) if flags else size, "uint8", "numpy", None, Step(c.span, (), "cv2.imread"))
    return Tensor(why, why, "numpy", None, Step(c.span))


@FRAMEWORK.on("cv2.VideoCapture.read")
def read_frame(c: Call) -> Any:
    why = from_file("VideoCapture.read")
    return Unknown("whether there is a frame"), Tensor((why, why, 3), "uint8", "numpy", None, Step(c.span))


@FRAMEWORK.on("cv2.resize")
def resize(c: Call) -> Any:
    """(height, width) of `dsize`, which is (width, height), or of the factors `fx` and `fy` where it is None or (0, 0)
    (OpenCV: imgproc/src/resize.cpp, cv::resize); a single channel loses its axis."""
    given = Given(c, method=False)
    image = given.get(0, "src")
    if not isinstance(image, Tensor):
        return image if isinstance(image, Unknown) else Unknown("cv2.resize()")
    width, height = _pair(given.get(1, "dsize"))
    if (width, height) == (0, 0) or plain(c.get(1, "dsize", 0)) is None:
        rows, columns = image.shape[:2] if isinstance(image.shape, tuple) and len(image.shape) > 1 else _pair(None)
        width, height = _scaled(columns, given.get(3, "fx")), _scaled(rows, given.get(4, "fy"))
    made = image.with_(shape=_plane(image, height, width), kind="numpy", step=Step(c.span, (image,), "cv2.resize"))
    return made.with_(assumptions=image.assumptions | given.taken, step=made.step)


def _scaled(size: Dim, factor: Any) -> Dim:
    """The rounded product; a half goes to the even number."""
    known = isinstance(size, int) and isinstance(factor, int | float) and 0 < factor < 1 << 16
    return (round(size * factor) if known else 0) or Unknown("a size that is scaled")  # OpenCV refuses none


def _plane(image: Tensor, height: Dim, width: Dim) -> Any:
    if isinstance(image.shape, tuple) and len(image.shape) == 2:
        return height, width
    if isinstance(image.shape, tuple) and len(image.shape) == 3 and is_known(image.shape[2]):
        return (height, width) if image.shape[2] == 1 else (height, width, image.shape[2])
    return image.shape if isinstance(image.shape, Unknown) else Unknown("channels of a picture")


@FRAMEWORK.on("cv2.flip", "cv2.GaussianBlur", "cv2.medianBlur", "cv2.bilateralFilter")
def filtered(c: Call) -> Any:
    image = Given(c, method=False).get(0, "src")
    if not isinstance(image, Tensor):
        return image if isinstance(image, Unknown) else Unknown("an image")
    dims = image.shape[:2] if isinstance(image.shape, tuple) and len(image.shape) > 1 else _pair(None)
    return image.with_(shape=_plane(image, *dims), kind="numpy", step=Step(c.span, (image,), "cv2.filter"))


@FRAMEWORK.on("cv2.cvtColor")
def convert_colour(c: Call) -> Any:
    """The channels that the name of the code ends in (OpenCV: imgproc, ColorConversionCodes)."""
    given = Given(c, method=False)
    image, code = given.get(0, "src"), given.get(1, "code")
    if not isinstance(image, Tensor):
        return image if isinstance(image, Unknown) else Unknown("an image")
    name = code.path.rpartition(".")[2] if isinstance(code, External) else ""
    found = re.fullmatch(r"COLOR_(BGRA?|RGBA?|GRAY|HSV|LAB|Lab|YUV|YCrCb|YCR_CB|HLS|LUV|Luv|XYZ)2"
                         r"(BGRA?|RGBA?|GRAY|HSV|LAB|Lab|YUV|YCrCb|YCR_CB|HLS|LUV|Luv|XYZ)", name)
    plane = image.shape[:2] if isinstance(image.shape, tuple) and len(image.shape) > 1 else _pair(None)
    shape: Any = Unknown("cv2.cvtColor()")
    if found is not None:
        target = found[2]
        shape = plane if target == "GRAY" else (*plane, 4 if target.endswith("A") else 3)
    return image.with_(shape=shape, kind="numpy", step=Step(c.span, (image,), "cv2.cvtColor"))
