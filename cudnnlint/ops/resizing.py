"""Layers that set the height and width of images: Resizing, CenterCrop, RandomCrop, RandomHeight and RandomWidth."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, ClassVar

from cudnnlint.ops.arguments import check_data_format
from cudnnlint.ops.arith import as_dim
from cudnnlint.ops.elementwise import computed
from cudnnlint.ops.kernels.site import Site
from cudnnlint.ops.kernels.tape import Value
from cudnnlint.ops.preprocessing import preprocessing
from cudnnlint.ops.protocol import LayerCall, Outcome, SingleInput
from cudnnlint.records import record
from cudnnlint.values import FREE, Dim, Mismatch, Problem, Stack, Symbol, Tensor, Unknown


def image_rank(x: Tensor, name: str, call: LayerCall) -> Mismatch | Unknown | None:
    """An image has 3 axes, a batch of them 4. Keras 3 notices another rank late or never."""
    if x.rank is None or x.rank in (3, 4):
        return None
    if call.stack.keras >= (3,):
        return Unknown(f"{name} of {x.rank} axes")
    return Mismatch(Problem.RANK, f"{name} needs an image of 3 axes or a batch of 4, its input has {x.rank}: {x}",
                    error='ValueError "\'images\' must have either 3 or 4 dimensions"',
                    facts=(("expected", 4), ("actual", x.rank)))


@record(frozen=True, slots=True)
class Resized(SingleInput):
    """(N, H, W, C) -> (N, height, width, C), or without N; None keeps an extent.

    keras/src/layers/preprocessing/image_preprocessing/resizing.py: compute_output_shape
    """

    stacks: ClassVar[bool] = True
    name: str
    height: Dim | None
    width: Dim | None
    data_format: Any = None

    def check(self, stack: Stack) -> Iterable[Mismatch]:
        return check_data_format(self.data_format)

    def output(self, x: Tensor, call: LayerCall) -> Outcome:
        dtype = call.policy.compute if self._casts(call) else computed(x, call)
        if wrong := image_rank(x, self.name, call):
            return wrong
        if isinstance(x.shape, Unknown):
            return x.with_(dtype=dtype)
        if not isinstance(self.data_format, str | None):
            return x.with_(shape=(Unknown("data_format"),) * len(x.shape), dtype=dtype)
        at = len(x.shape) - (2 if str(self.data_format).lower() == "channels_first" else 3)
        height = x.shape[at] if self.height is None else _extent(self.height)
        width = x.shape[at + 1] if self.width is None else _extent(self.width)
        return x.with_(shape=(*x.shape[:at], height, width, *x.shape[at + 2:]), dtype=dtype)

    def _casts(self, call: LayerCall) -> bool:
        """keras/src/layers/preprocessing/image_preprocessing/random_crop.py: transform_images; center_crop.py."""
        if self.name == "RandomCrop":
            return not call.args and call.kwargs.get("training", True) is True
        return self.name == "CenterCrop"

    def lower(self, at: Site) -> Value:
        return at.tape.run("resized", (at.x,), at.size())


def _extent(dim: Dim) -> Dim:
    return dim if isinstance(dim, Symbol) or (isinstance(dim, int) and dim >= 0) else Unknown("not an extent")


def _given(value: Any) -> Dim:
    return as_dim(value) if value is not None else Unknown("None")


@preprocessing("Resizing", versions={"pad_to_aspect_ratio": ">=3.3", "fill_mode": ">=3.3", "fill_value": ">=3.3",
                                     "antialias": ">=3.9", "data_format": ">=3",
                                     "bounding_box_format": ">=3.6"})
def resizing(height: Any, width: Any, interpolation: Any = "bilinear", crop_to_aspect_ratio: Any = False,
             pad_to_aspect_ratio: Any = False, fill_mode: Any = "constant", fill_value: Any = 0.0,
             antialias: Any = False, data_format: Any = None, *, bounding_box_format: Any = None) -> Resized:
    return Resized("Resizing", _given(height), _given(width), data_format)


@preprocessing("CenterCrop", versions={"data_format": ">=3", "bounding_box_format": ">=3.6"})
def center_crop(height: Any, width: Any, data_format: Any = None, *, bounding_box_format: Any = None) -> Resized:
    return Resized("CenterCrop", _given(height), _given(width), data_format)


@preprocessing("RandomCrop", versions={"data_format": ">=3", "bounding_box_format": ">=3.6", "factor": ">=3.6"})
def random_crop(height: Any, width: Any, seed: Any = None, data_format: Any = None, *, bounding_box_format: Any = None,
                factor: Any = None) -> Resized:
    return Resized("RandomCrop", _given(height), _given(width), data_format)


@preprocessing("RandomHeight", versions={"": "<3"})
def random_height(factor: Any, interpolation: Any = "bilinear", seed: Any = None) -> Resized:
    return Resized("RandomHeight", FREE, None)


@preprocessing("RandomWidth", versions={"": "<3"})
def random_width(factor: Any, interpolation: Any = "bilinear", seed: Any = None) -> Resized:
    return Resized("RandomWidth", None, FREE)
