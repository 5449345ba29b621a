"""Configurations of the image layers."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from tests.oracle.harness import Case, Spec
from tests.oracle.shapes import tensors
from tests.oracle.strategies import FORMATS, POLICIES, arguments

SIZES = st.integers(1, 12)


CHANNELS = st.sampled_from([3, 3, 3, 1, 4])
DTYPES = st.sampled_from(["float32"] * 6 + ["uint8", "int32", "float16"])


@st.composite
def pictures(draw: Any) -> Spec:
    """An image or a batch, or seldom something else."""
    if draw(st.sampled_from([False] * 9 + [True])):
        return draw(tensors(least=1, most=5, dtypes=("float32",)))
    extents = draw(st.lists(st.sampled_from([8, 9, 16, None]), min_size=2, max_size=2))
    lead = draw(st.sampled_from([(None,), (None,), (2,), ()]))
    return Spec((*lead, *extents, draw(CHANNELS)), draw(DTYPES))


@st.composite
def case(draw: Any, required: Any, optional: Any, odd: Any = None, only: str | None = None) -> Case:
    inputs = draw(pictures())
    rank = len(inputs.shape)
    return Case(draw(arguments(required, optional, odd or {})), inputs, policy=draw(POLICIES),
                only=only, unknown=rank not in (3, 4), sharper=True)  # tf_keras' crops lose the batch size


SIZE = {"height": SIZES, "width": SIZES}
FACTOR = {"factor": st.sampled_from([0.1, 0.2])}
FORMAT = {"data_format": FORMATS}
FILL = {"fill_mode": st.sampled_from(["reflect", "constant", "nearest", "wrap"])}


def newer(required: Any = (), **optional: Any) -> Any:
    """A layer of Keras 3: constructed by default or with one argument."""
    return case(dict(required), {"seed": st.just(1), **optional}, only="keras")


CONFIGS = {
    "keras.layers.Resizing": st.one_of(
        case(SIZE, {"crop_to_aspect_ratio": st.booleans(), "interpolation": st.sampled_from(["nearest", "bilinear"])}),
        case(SIZE, {**FORMAT, "pad_to_aspect_ratio": st.booleans()}, {"data_format": st.just("NHWC")}, only="keras")),
    "keras.layers.CenterCrop": st.one_of(case(SIZE, {}), case(SIZE, FORMAT, only="keras")),
    "keras.layers.RandomCrop": st.one_of(case(SIZE, {"seed": st.just(1)}), case(SIZE, FORMAT, only="keras")),
    "keras.layers.RandomHeight": case(FACTOR, {}),
    "keras.layers.RandomWidth": case(FACTOR, {}),
    "keras.layers.RandomFlip": case({}, {"mode": st.sampled_from(["horizontal", "vertical"])}),
    "keras.layers.RandomTranslation": case({"height_factor": st.just(0.1), "width_factor": st.just(0.2)}, FILL,
                                           {"fill_mode": st.just("mirror")}),
    "keras.layers.RandomRotation": case(FACTOR, FILL, {"fill_mode": st.just("mirror")}),
    "keras.layers.RandomZoom": case({"height_factor": st.just(0.1)}, FILL, {"fill_mode": st.just("mirror")}),
    "keras.layers.RandomContrast": case(FACTOR, {"seed": st.just(1)}),
    "keras.layers.RandomBrightness": case(FACTOR, {"value_range": st.just((0, 1))}),
    **{f"keras.layers.{name}": newer() for name in (
        "RandomShear", "RandomPerspective", "RandomElasticTransform", "RandomErasing", "RandomGaussianBlur", "MixUp",
        "CutMix", "AugMix", "RandAugment", "RandomColorJitter", "RandomGrayscale", "RandomInvert", "Solarization")},
    **{f"keras.layers.{name}": newer(FACTOR, **FORMAT) for name in (
        "RandomSharpness", "RandomHue", "RandomSaturation", "RandomColorDegeneration")},
    "keras.layers.RandomPosterization": newer({"factor": st.integers(1, 8)}),
    "keras.layers.AutoContrast": case({}, {}, only="keras"),
    "keras.layers.Equalization": case({}, {"bins": st.just(16)}, only="keras"),
    "keras.layers.ContrastLimitedAdaptiveHistogramEqualization": case({}, {"clip_limit": st.just(2.0)}, only="keras"),
}
