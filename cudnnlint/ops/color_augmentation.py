"""Image augmentation that changes pixel values: contrast, brightness, hue, posterisation. Shape in, shape out."""

from __future__ import annotations

from typing import Any

from cudnnlint.ops.augmentation import Augmentation
from cudnnlint.ops.preprocessing import preprocessing
from cudnnlint.ops.protocol import layer


@preprocessing("RandomContrast", versions={"value_range": ">=3.8",
                                           "bounding_box_format": ">=3.6", "data_format": ">=3.6"})
def random_contrast(factor: Any, value_range: Any = (0, 255), seed: Any = None, *, bounding_box_format: Any = None,
                    data_format: Any = None) -> Augmentation:
    return Augmentation("RandomContrast", least=3)


@layer("keras.layers.RandomBrightness", versions={"": ">=2.9", "bounding_box_format": ">=3.6", "data_format": ">=3.6"})
def random_brightness(factor: Any, value_range: Any = (0, 255), seed: Any = None, *, bounding_box_format: Any = None,
                      data_format: Any = None) -> Augmentation:
    return Augmentation("RandomBrightness")


@layer("keras.layers.RandomHue", versions={"": ">=3.8"})
def random_hue(factor: Any, value_range: Any = (0, 255), data_format: Any = None, seed: Any = None, *,
               bounding_box_format: Any = None) -> Augmentation:
    return Augmentation("RandomHue", data_format)


@layer("keras.layers.RandomSaturation", versions={"": ">=3.8"})
def random_saturation(factor: Any, value_range: Any = (0, 255), data_format: Any = None, seed: Any = None, *,
                      bounding_box_format: Any = None) -> Augmentation:
    return Augmentation("RandomSaturation", data_format)


@layer("keras.layers.RandomColorDegeneration", versions={"": ">=3.8"})
def random_color_degeneration(factor: Any, value_range: Any = (0, 255), data_format: Any = None, seed: Any = None, *,
                              bounding_box_format: Any = None) -> Augmentation:
    return Augmentation("RandomColorDegeneration", data_format, channels=3)


@layer("keras.layers.RandomColorJitter", versions={"": ">=3.8"})
def random_color_jitter(value_range: Any = (0, 255), brightness_factor: Any = None, contrast_factor: Any = None,
                        saturation_factor: Any = None, hue_factor: Any = None, seed: Any = None,
                        data_format: Any = None, *, bounding_box_format: Any = None,
                        factor: Any = None) -> Augmentation:
    return Augmentation("RandomColorJitter", data_format)


@layer("keras.layers.RandomGrayscale", versions={"": ">=3.8"})
def random_grayscale(factor: Any = 0.5, data_format: Any = None, seed: Any = None, *,
                     bounding_box_format: Any = None) -> Augmentation:
    return Augmentation("RandomGrayscale", data_format, integers=True)


@layer("keras.layers.RandomInvert", versions={"": ">=3.9"})
def random_invert(factor: Any = 1.0, value_range: Any = (0, 255), seed: Any = None, data_format: Any = None, *,
                  bounding_box_format: Any = None) -> Augmentation:
    return Augmentation("RandomInvert", data_format)


@layer("keras.layers.RandomPosterization", versions={"": ">=3.8"})
def random_posterization(factor: Any, value_range: Any = (0, 255), data_format: Any = None, seed: Any = None, *,
                         bounding_box_format: Any = None) -> Augmentation:
    return Augmentation("RandomPosterization", data_format)


@layer("keras.layers.Solarization", versions={"": ">=3.6"})
def solarization(addition_factor: Any = 0.0, threshold_factor: Any = 0.0, value_range: Any = (0, 255), seed: Any = None,
                 *, bounding_box_format: Any = None, data_format: Any = None) -> Augmentation:
    return Augmentation("Solarization")


@layer("keras.layers.AutoContrast", versions={"": ">=3.6"})
def auto_contrast(value_range: Any = (0, 255), *, bounding_box_format: Any = None,
                  data_format: Any = None) -> Augmentation:
    return Augmentation("AutoContrast")


@layer("keras.layers.Equalization", versions={"": ">=3.8"})
def equalization(value_range: Any = (0, 255), bins: Any = 256, data_format: Any = None, *,
                 bounding_box_format: Any = None, factor: Any = None) -> Augmentation:
    return Augmentation("Equalization", data_format, integers=True)


@layer("keras.layers.ContrastLimitedAdaptiveHistogramEqualization", versions={"": ">=3.14"})
def clahe(value_range: Any = (0, 255), clip_limit: Any = 4.0, tile_grid_size: Any = (8, 8), data_format: Any = None, *,
          bounding_box_format: Any = None, factor: Any = None) -> Augmentation:
    return Augmentation("ContrastLimitedAdaptiveHistogramEqualization", data_format)
