"""Image augmentation that moves pixels: flips, rotations, zooms, warps, blends. Shape in, shape out."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, ClassVar

from cudnnlint.ops.arguments import check_data_format
from cudnnlint.ops.elementwise import computed, kept, one_of
from cudnnlint.ops.kernels.maths import copy
from cudnnlint.ops.kernels.site import Site
from cudnnlint.ops.kernels.tape import Value
from cudnnlint.ops.preprocessing import preprocessing
from cudnnlint.ops.protocol import LayerCall, Outcome, SingleInput, layer
from cudnnlint.ops.resizing import image_rank
from cudnnlint.records import record
from cudnnlint.values import Mismatch, Problem, Stack, Tensor, is_floating

FILLS = ("reflect", "wrap", "constant", "nearest")
CASTING = frozenset({"RandomFlip", "RandomRotation", "RandomTranslation", "RandomZoom"})
"""Layers that cast whatever they are given to the compute dtype, in training or not
(keras/src/layers/preprocessing/image_preprocessing/random_flip.py: transform_images, and its kin)."""


@record(frozen=True, slots=True)
class Augmentation(SingleInput):
    """An image or a batch of images, unchanged in shape.

    integers  the layer keeps an integer dtype
    least     the fewest axes Keras 2 insists on, where it takes more than 4
    channels  the number of channels it insists on (Keras 3.15)
    """

    stacks: ClassVar[bool] = True
    name: str
    data_format: Any = None
    fill_mode: Any = None
    integers: bool = False
    least: int | None = None
    channels: int | None = None

    def check(self, stack: Stack) -> Iterable[Mismatch]:
        yield from check_data_format(self.data_format)
        yield from one_of("fill_mode", self.fill_mode, *FILLS)

    def output(self, x: Tensor, call: LayerCall) -> Outcome:
        more = self.least is not None and x.rank is not None and x.rank >= self.least and call.stack.keras < (3,)
        if not more and (wrong := image_rank(x, self.name, call)):
            return wrong
        if self.channels is not None and (wrong := self._wrong_channels(x, self.channels, call.stack)):
            return wrong
        if self.integers and is_floating(x.dtype) is not True:
            return x
        if self.name in CASTING:
            return x.with_(dtype=call.policy.compute)
        return x.with_(dtype=kept(x, call) if self.integers else computed(x, call))

    def _wrong_channels(self, x: Tensor, wanted: int, stack: Stack) -> Mismatch | None:
        if stack.keras < (3, 15) or not isinstance(x.shape, tuple) or not isinstance(self.data_format, str | None):
            return None
        found = x.shape[-3 if str(self.data_format).lower() == "channels_first" else -1]
        if not isinstance(found, int) or found == wanted:
            return None
        return Mismatch(Problem.CHANNELS, f"{self.name} needs images of {wanted} channels, its input has {found}: {x}",
                        error=f'ValueError "Input images must have {wanted} channels, but received images with {found} '
                              f'channels"', facts=(("expected", wanted), ("actual", found)))

    def lower(self, at: Site) -> Value:
        return copy(at.tape, at.x, at.size())


@preprocessing("RandomFlip", versions={"data_format": ">=3.6", "bounding_box_format": ">=3.6"})
def random_flip(mode: Any = "horizontal_and_vertical", seed: Any = None, data_format: Any = None, *,
                bounding_box_format: Any = None) -> Augmentation:
    return Augmentation("RandomFlip", data_format)


@preprocessing("RandomTranslation", versions={"data_format": ">=3", "bounding_box_format": ">=3.6"})
def random_translation(height_factor: Any, width_factor: Any, fill_mode: Any = "reflect",
                       interpolation: Any = "bilinear", seed: Any = None, fill_value: Any = 0.0,
                       data_format: Any = None, *, bounding_box_format: Any = None) -> Augmentation:
    return Augmentation("RandomTranslation", data_format, fill_mode)


@preprocessing("RandomRotation", versions={"data_format": ">=3", "value_range": ">=3,<3.6",
                                           "bounding_box_format": ">=3.6"})
def random_rotation(factor: Any, fill_mode: Any = "reflect", interpolation: Any = "bilinear", seed: Any = None,
                    fill_value: Any = 0.0, value_range: Any = (0, 255), data_format: Any = None, *,
                    bounding_box_format: Any = None) -> Augmentation:
    return Augmentation("RandomRotation", data_format, fill_mode)


@preprocessing("RandomZoom", versions={"data_format": ">=3", "bounding_box_format": ">=3.6"})
def random_zoom(height_factor: Any, width_factor: Any = None, fill_mode: Any = "reflect",
                interpolation: Any = "bilinear", seed: Any = None, fill_value: Any = 0.0, data_format: Any = None, *,
                bounding_box_format: Any = None) -> Augmentation:
    return Augmentation("RandomZoom", data_format, fill_mode)


@layer("keras.layers.RandomShear", versions={"": ">=3.8"})
def random_shear(x_factor: Any = 0.0, y_factor: Any = 0.0, interpolation: Any = "bilinear", fill_mode: Any = "reflect",
                 fill_value: Any = 0.0, data_format: Any = None, seed: Any = None, *,
                 bounding_box_format: Any = None) -> Augmentation:
    return Augmentation("RandomShear", data_format, fill_mode)


@layer("keras.layers.RandomPerspective", versions={"": ">=3.9"})
def random_perspective(factor: Any = 1.0, scale: Any = 1.0, interpolation: Any = "bilinear", fill_value: Any = 0.0,
                       seed: Any = None, data_format: Any = None, *, bounding_box_format: Any = None) -> Augmentation:
    return Augmentation("RandomPerspective", data_format)


@layer("keras.layers.RandomElasticTransform", versions={"": ">=3.10"})
def random_elastic_transform(factor: Any = 1.0, scale: Any = 1.0, interpolation: Any = "bilinear",
                             fill_mode: Any = "reflect", fill_value: Any = 0.0, value_range: Any = (0, 255),
                             seed: Any = None, data_format: Any = None, *,
                             bounding_box_format: Any = None) -> Augmentation:
    return Augmentation("RandomElasticTransform", data_format, fill_mode)


@layer("keras.layers.RandomErasing", versions={"": ">=3.9"})
def random_erasing(factor: Any = 1.0, scale: Any = (0.02, 0.33), fill_value: Any = None, value_range: Any = (0, 255),
                   seed: Any = None, data_format: Any = None, *, bounding_box_format: Any = None) -> Augmentation:
    return Augmentation("RandomErasing", data_format)


@layer("keras.layers.RandomGaussianBlur", versions={"": ">=3.9"})
def random_gaussian_blur(factor: Any = 1.0, kernel_size: Any = 3, sigma: Any = 1.0, value_range: Any = (0, 255),
                         data_format: Any = None, seed: Any = None, *, bounding_box_format: Any = None) -> Augmentation:
    return Augmentation("RandomGaussianBlur", data_format)


@layer("keras.layers.RandomSharpness", versions={"": ">=3.8"})
def random_sharpness(factor: Any, value_range: Any = (0, 255), data_format: Any = None, seed: Any = None, *,
                     bounding_box_format: Any = None) -> Augmentation:
    return Augmentation("RandomSharpness", data_format)


@layer("keras.layers.MixUp", versions={"": ">=3.8"})
def mix_up(alpha: Any = 0.2, data_format: Any = None, seed: Any = None, *, bounding_box_format: Any = None,
           factor: Any = None) -> Augmentation:
    return Augmentation("MixUp", data_format)


@layer("keras.layers.CutMix", versions={"": ">=3.9"})
def cut_mix(factor: Any = 1.0, seed: Any = None, data_format: Any = None, *,
            bounding_box_format: Any = None) -> Augmentation:
    return Augmentation("CutMix", data_format)


@layer("keras.layers.AugMix", versions={"": ">=3.9"})
def aug_mix(value_range: Any = (0, 255), num_chains: Any = 3, chain_depth: Any = 3, factor: Any = 0.3, alpha: Any = 1.0,
            all_ops: Any = True, interpolation: Any = "bilinear", seed: Any = None, data_format: Any = None, *,
            bounding_box_format: Any = None) -> Augmentation:
    return Augmentation("AugMix", data_format)


@layer("keras.layers.RandAugment", versions={"": ">=3.8"})
def rand_augment(value_range: Any = (0, 255), num_ops: Any = 2, factor: Any = 0.5, interpolation: Any = "bilinear",
                 seed: Any = None, data_format: Any = None, *, bounding_box_format: Any = None) -> Augmentation:
    return Augmentation("RandAugment", data_format)
