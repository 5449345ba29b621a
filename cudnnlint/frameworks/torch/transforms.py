"""torchvision.transforms: what they make of pictures and of tensors, in data sets and where programs call them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from cudnnlint.frameworks.data.images import ImageV
from cudnnlint.frameworks.torch.library import FRAMEWORK
from cudnnlint.interp.convert import strip, wrap
from cudnnlint.interp.iterate import elements
from cudnnlint.interp.keras.layers import ObjectV
from cudnnlint.interp.machine import plain
from cudnnlint.interp.objects import External
from cudnnlint.interp.refusals import refuse
from cudnnlint.interp.registry import Call
from cudnnlint.values import Dim, Mismatch, Problem, Step, Tensor, Unknown
from cudnnlint.values.dim import is_known, lift

HOME = "torchvision.transforms"
KEEPING = frozenset({
    "RandomHorizontalFlip", "RandomVerticalFlip", "RandomAffine", "RandomErasing", "ColorJitter", "GaussianBlur",
    "RandomGrayscale", "RandomPerspective", "RandomInvert", "RandAugment", "AutoAugment", "TrivialAugmentWide",
    "RandomAdjustSharpness", "RandomAutocontrast", "RandomEqualize", "RandomPosterize", "RandomSolarize", "AugMix",
    "ElasticTransform", "RandomPhotometricDistort", "GaussianNoise"})
CROPS = ("CenterCrop", "RandomCrop", "RandomResizedCrop")
FUNCTIONS = {"to_tensor": "ToTensor", "pil_to_tensor": "PILToTensor", "to_pil_image": "ToPILImage", "resize": "Resize",
             "center_crop": "CenterCrop", "normalize": "Normalize", "rgb_to_grayscale": "Grayscale",
             "to_grayscale": "Grayscale", "hflip": "RandomHorizontalFlip", "vflip": "RandomVerticalFlip",
             "convert_image_dtype": "ConvertImageDtype", "gaussian_blur": "GaussianBlur",
             **dict.fromkeys(("adjust_brightness", "adjust_contrast", "adjust_saturation", "adjust_hue",
                              "adjust_gamma"), "ColorJitter")}
"""torchvision.transforms.functional: the class that does the same to a picture, given first."""
Made = Callable[[Call, Any, ObjectV], Any]


def transformed(c: Call, value: Any, transform: Any) -> Any:
    """What a transform, one of torchvision's or of the program's, makes of an ImageV or a Tensor."""
    held = plain(transform)
    if isinstance(value, Unknown):
        return value
    if not isinstance(held, ObjectV):
        return Unknown("no transform") if isinstance(held, Unknown) else strip(
            c.machine.call(transform, [wrap(value)], {}, c.node))
    home, _, name = held.path.rpartition(".")
    step = STEPS.get(name)
    if home != HOME or step is None:
        return Unknown(f"{held.path}()")
    return step(c, value, held) if isinstance(value, ImageV | Tensor) else Unknown("no picture")


def _argument(made: ObjectV, place: int, name: str, default: Any = None) -> Any:
    return plain(made.args[place] if place < len(made.args) else made.kwargs.get(name, default))


def _pair(c: Call, value: Any) -> tuple[Dim, Dim] | None:
    """(height, width) of a sequence of two."""
    parts = elements(c.machine, value) if not is_known(value) else Unknown("a number")
    if isinstance(parts, Unknown) or len(parts) != 2:
        return None
    first, second = map(plain, parts)
    return (first, second) if is_known(first) and is_known(second) else None


def sides(value: ImageV | Tensor) -> tuple[Dim, Dim]:
    """(height, width); tensors have them last."""
    if isinstance(value, ImageV):
        return value.height, value.width
    if isinstance(value.shape, Unknown) or len(value.shape) < 2:
        return Unknown("rank"), Unknown("rank")
    return value.shape[-2], value.shape[-1]


def _sized(value: ImageV | Tensor, height: Dim, width: Dim, made: ObjectV) -> ImageV | Tensor:
    if isinstance(value, ImageV):
        return replace(value, height=height, width=width, span=made.span)
    if not isinstance(value.shape, tuple) or len(value.shape) < 2:
        return value.with_(shape=Unknown("rank"))
    return _tensor(value, (*value.shape[:-2], height, width), made)


def _tensor(value: Tensor, shape: Any, made: ObjectV, dtype: Any = None) -> Tensor:
    return Tensor(shape, value.dtype if dtype is None else dtype, "torch", None, Step(made.span, (value,), made.path),
                  value.assumptions)


def _composed(c: Call, value: Any, made: ObjectV) -> Any:
    steps = elements(c.machine, _argument(made, 0, "transforms"))
    for step in [steps] if isinstance(steps, Unknown) else steps:
        value = transformed(c, value, step)
    return value


def _resized(c: Call, value: Any, made: ObjectV) -> Any:
    """A number is for the shorter side (torchvision/transforms/functional.py: _compute_resized_output_size)."""
    size = _argument(made, 0, "size")
    if isinstance(items := elements(c.machine, size) if not is_known(size) else None, list | tuple) and len(items) == 1:
        size = plain(items[0])
    if (pair := _pair(c, size)) is not None:
        return _sized(value, pair[0], pair[1], made)
    height, width = sides(value)
    if isinstance(size, int) and isinstance(height, int) and isinstance(width, int) and min(height, width) > 0 \
            and _argument(made, 2, "max_size") is None:
        longer = int(size * max(height, width) / min(height, width))
        return _sized(value, size if height <= width else longer, longer if height <= width else size, made)
    why = Unknown("the longer side of a picture")
    return _sized(value, why, why, made)


def _cropped(c: Call, value: Any, made: ObjectV) -> Any:
    """RandomCrop refuses what is smaller, CenterCrop pads it."""
    size = _argument(made, 0, "size")
    pair = (size, size) if is_known(size) else _pair(c, size)
    return _sized(value, pair[0], pair[1], made) if pair is not None else Unknown("a crop")


def _padded(c: Call, value: Any, made: ObjectV) -> Any:
    width = _argument(made, 0, "padding")
    if not is_known(width):
        return Unknown("Pad")
    height, across = (lift(lambda n: n + 2 * width, side) for side in sides(value))
    return _sized(value, height, across, made)


def _turned(c: Call, value: Any, made: ObjectV) -> Any:
    if _argument(made, 2, "expand", False) is False:
        return value
    why = Unknown("a turned picture")
    return _sized(value, why, why, made)


def _grey(c: Call, value: Any, made: ObjectV) -> Any:
    count = _argument(made, 0, "num_output_channels", 1)
    if not is_known(count):
        return Unknown("Grayscale")
    if isinstance(value, ImageV):
        return replace(value, depth=count)
    known = isinstance(value.shape, tuple) and len(value.shape) > 2
    return _tensor(value, (*value.shape[:-3], count, *value.shape[-2:]) if known else Unknown("rank"), made)


def _to_tensor(c: Call, value: Any, made: ObjectV) -> Any:
    """(height, width, channels) of 8 bits -> (channels, height, width) from 0 to 1 (functional.py: to_tensor)."""
    if isinstance(value, ImageV):
        return Tensor((value.depth, value.height, value.width), "float32", "torch", None, Step(made.span),
                      value.assumptions)
    if value.kind == "torch":
        return _refused(c, made, Mismatch(
            Problem.UNEXPECTED, f"ToTensor takes pictures and arrays, it is given {value}",
            help="leave ToTensor() out: it is a tensor already",
            error="TypeError \"pic should be PIL Image or ndarray. Got <class 'torch.Tensor'>\""))
    shape = value.shape
    if isinstance(shape, tuple):
        shape = (1, *shape) if len(shape) == 2 else (shape[2], *shape[:2]) if len(shape) == 3 else Unknown("an array")
    return _tensor(value, shape, made, "float32" if value.dtype == "uint8" else value.dtype)


def _as_bytes(c: Call, value: Any, made: ObjectV) -> Any:
    if not isinstance(value, ImageV):
        return value
    return Tensor((value.depth, value.height, value.width), "uint8", "torch", None, Step(made.span), value.assumptions)


def _to_picture(c: Call, value: Any, made: ObjectV) -> Any:
    if isinstance(value, ImageV):
        return value
    dims = value.shape if isinstance(value.shape, tuple) and len(value.shape) == 3 else (Unknown("a picture"),) * 3
    depth, height, width = dims if value.kind == "torch" else (dims[2], *dims[:2])
    return ImageV(height, width, depth, made.span, value.assumptions)


def _converted(c: Call, value: Any, made: ObjectV) -> Any:
    dtype = _argument(made, 0, "dtype", "float32")
    return _tensor(value, value.shape, made, dtype if isinstance(dtype, str) else Unknown("dtype")) \
        if isinstance(value, Tensor) else value


def _called(c: Call, value: Any, made: ObjectV) -> Any:
    return strip(c.machine.call(made.args[0] if made.args else made.kwargs.get("lambd"), [wrap(value)], {}, c.node))


def _perhaps(c: Call, value: Any, made: ObjectV) -> Any:
    """RandomApply, RandomChoice, RandomOrder: of one size where each of them keeps it."""
    steps = elements(c.machine, _argument(made, 0, "transforms"))
    made_of = [transformed(c, value, step) for step in ([steps] if isinstance(steps, Unknown) else steps)]
    kept = all(type(each) is type(value) and sides(each) == sides(value) for each in made_of)
    return value if kept else Unknown("one of several transforms")


def _normalised(c: Call, value: Any, made: ObjectV) -> Any:
    """In place, so that three means for one channel fail (torchvision/transforms/_functional_tensor.py: normalize)."""
    if isinstance(value, ImageV):
        return _refused(c, made, Mismatch(
            Problem.UNEXPECTED, "Normalize takes tensors, it is given a picture", help="ToTensor() comes before it",
            error="TypeError \"img should be Tensor Image. Got <class 'PIL.Image.Image'>\""))
    mean = elements(c.machine, _argument(made, 0, "mean"))
    shape = value.shape if isinstance(value.shape, tuple) and len(value.shape) > 2 else (Unknown("rank"),) * 3
    count, channels = Unknown("mean") if isinstance(mean, Unknown) else len(mean), shape[-3]
    if not is_known(count) or not is_known(channels) or count in (1, channels):
        return value
    told = f"[{channels}, {shape[-2]}, {shape[-1]}]"
    return _refused(c, made, Mismatch(
        Problem.CHANNELS, f"Normalize has {count} means, the images have {channels} "
        f"channel{'' if channels == 1 else 's'}",
        help=f"give {channels}, as in Normalize((0.5,), (0.5,))" if channels == 1 else
        f"give {channels} means and deviations",
        error=f'RuntimeError "output with shape {told} doesn\'t match the broadcast shape [{count}, '
              f'{shape[-2]}, {shape[-1]}]"', facts=(
                  ("expected", channels), ("actual", count), ("elsewhere", (c.span, "its images go through this")))),
        value)


def _refused(c: Call, made: ObjectV, mismatch: Mismatch, value: Any = ()) -> Unknown:
    name = made.path.rpartition(".")[2]
    refuse(c.machine, made.span, mismatch, what=name, inputs=None, about=value)
    return Unknown(f"{name} rejects its input")


STEPS: dict[str, Made] = {
    "Compose": _composed, "Resize": _resized, "Pad": _padded, "Grayscale": _grey, "RandomRotation": _turned,
    "ToTensor": _to_tensor, "PILToTensor": _as_bytes, "ToImage": _as_bytes, "ToPILImage": _to_picture,
    "ConvertImageDtype": _converted, "ToDtype": _converted, "Normalize": _normalised, "Lambda": _called,
    **dict.fromkeys(CROPS, _cropped), **dict.fromkeys(("RandomApply", "RandomChoice", "RandomOrder"), _perhaps),
    **dict.fromkeys(KEEPING, lambda c, value, made: value)}


@FRAMEWORK.on(*(f"{HOME}.{name}.__call__" for name in STEPS))
def call(c: Call) -> Any:
    """`transform(picture)`"""
    return wrap(transformed(c, strip(c.args[0]), c.receiver)) if len(c.args) == 1 and not c.kwargs \
        else Unknown("several pictures")


@FRAMEWORK.on(*(f"{HOME}.functional.{name}" for name in FUNCTIONS))
def function(c: Call) -> Any:
    """`functional.resize(picture, size)` is `Resize(size)(picture)`."""
    callee = plain(c.callee)
    if not isinstance(callee, External) or not c.args:
        return Unknown("a function of torchvision")
    name = FUNCTIONS[callee.path.rpartition(".")[2]]
    return wrap(transformed(c, strip(c.args[0]), ObjectV(f"{HOME}.{name}", tuple(c.args[1:]), c.kwargs, c.span)))


__all__ = ["sides", "transformed"]
