"""The models of keras.applications as real Keras builds them: every layer's name, class and output, and the parameters.

A handful by default; all of them with `-m long` (an hour).
"""

from __future__ import annotations

import ast
import importlib
import os
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from cudnnlint.events import Rejected
from cudnnlint.frameworks.applications.functions import MODELS
from cudnnlint.frameworks.keras.making import RECORDED_LAYERS
from cudnnlint.interp.keras.layers import LayerV
from cudnnlint.interp.keras.models import ModelV
from cudnnlint.interp.keras.parts import params_of
from cudnnlint.values import Stack, Symbol, Unknown
from cudnnlint.values.stack import parse_version
from tests.interpret import events_of, names_of, of_kind

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "-1")

FEW = [
    ("ResNet50", 'include_top=False, weights=None, input_shape=(224, 224, 3), pooling="avg"'),
    ("VGG16", "weights=None, input_shape=(64, 48, 3), classes=7, classifier_activation=None"),
    ("MobileNetV2", "include_top=False, weights=None, input_shape=(97, 130, 3), alpha=0.35"),
    ("MobileNetV3Small", "weights=None, minimalistic=True, dropout_rate=0, classes=3"),
    ("MobileNet", "weights=None, alpha=0.5, depth_multiplier=2, classes=5"),
    ("EfficientNetB0", 'include_top=False, weights="imagenet"'),
    ("InceptionV3", "include_top=False, weights=None, input_shape=(75, 75, 3)"),
    ("ConvNeXtTiny", 'include_top=False, weights=None, input_shape=(64, 64, 1), name="mine"'),
]
KNOWN_GAPS = ("with this alpha", "NASNet")
"""Why a few forms are not known: the graph itself depends on alpha, or on extents that are None."""
NEW_NAMES = "name="
"""Only Keras 3 has it."""
FORMS = [
    "weights=None",
    'weights=None, classes=12, classifier_activation="sigmoid"',
    "include_top=False, weights=None, input_shape=(128, 160, 3)",
    'include_top=False, weights=None, input_shape=(225, 331, 3), pooling="avg"',
    'include_top=False, weights=None, input_shape=(160, 160, 1), pooling="max"',
    'include_top=False, weights="imagenet", input_shape=(192, 192, 3)',
    "include_top=False, weights=None",
]
MOBILE = {
    "mobilenet": ["weights=None, alpha=0.25, classes=4", "weights=None, alpha=1.3, dropout=0.5"],
    "mobilenet_v2": [f"include_top=False, weights=None, alpha={alpha}" for alpha in (0.5, 0.75, 1.3, 1.4)],
    "mobilenet_v3": ["weights=None, alpha=0.75", "weights=None, minimalistic=True", "weights=None, dropout_rate=0",
                     "include_top=False, weights=None, alpha=1.5, minimalistic=True",
                     "weights=None, include_preprocessing=False, input_shape=(96, 96, 3)"],
}
RAW = ("convnext", "efficientnet_v2", "regnet", "resnet_rs")
LONG = [(name, form) for module, names in MODELS.items() for name in names
        for form in (*FORMS, *MOBILE.get(module, ()),
                     *(["weights=None, include_preprocessing=False"] if module in RAW else []))]


@pytest.fixture(params=["keras", "tf_keras"])
def library(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """Keras without downloads; names are counted from the start."""
    found = pytest.importorskip(request.param)
    monkeypatch.setattr(found.Model, "load_weights", lambda *args, **kwargs: None)
    for where in ("file_utils", "data_utils"):
        try:
            utils = importlib.import_module(f"{request.param}.src.utils.{where}")
        except ImportError:
            continue
        if hasattr(utils, "get_file"):
            monkeypatch.setattr(utils, "get_file", lambda *args, **kwargs: "weights")
    found.backend.clear_session()
    yield found
    found.backend.clear_session()


def version(library: Any) -> tuple[int, ...]:
    return (2, 21) if library.__name__ == "tf_keras" else parse_version(library.__version__)


def ours(library: Any, name: str, arguments: str) -> Any:
    return names_of(f"import keras\nmodel = keras.applications.{name}({arguments})",
                    Stack(keras=version(library)))["model"]


def keywords(arguments: str) -> dict[str, Any]:
    call = ast.parse(f"f({arguments})").body[0].value  # type: ignore[attr-defined]
    return {keyword.arg: ast.literal_eval(keyword.value) for keyword in call.keywords}


def shape_of(shape: Any) -> tuple[Any, ...]:
    return tuple(None if isinstance(dim, Symbol) else dim for dim in shape)


def real_layers(model: Any) -> list[tuple[Any, ...]]:
    return [(layer.name, type(layer).__name__, shape_of(layer.output.shape), layer.count_params())
            for layer in model.layers]


def our_layers(model: ModelV) -> list[tuple[Any, ...]]:
    return [(layer.name, layer.display, shape_of(output_of(layer).shape), params_of(layer))
            for layer in model.extra[RECORDED_LAYERS]]


def output_of(layer: Any) -> Any:
    if isinstance(layer, ModelV):
        return layer.outputs
    assert isinstance(layer, LayerV)
    return layer.extra["tensor"] if "tensor" in layer.extra else layer.calls[-1][1]


def compare(library: Any, name: str, arguments: str) -> None:
    if not hasattr(library.applications, name):
        pytest.skip(f"{library.__name__} has no {name}")
    if library.__name__ == "tf_keras" and NEW_NAMES in arguments:
        arguments = arguments.partition(", name=")[0]
    model = ours(library, name, arguments)
    if isinstance(model, Unknown) and model.why.startswith(KNOWN_GAPS):
        pytest.skip(f"unknown: {model.why}")
    assert isinstance(model, ModelV), model
    real = getattr(library.applications, name)(**keywords(arguments))
    assert our_layers(model) == real_layers(real)
    assert (model.name, shape_of(model.outputs.shape)) == (real.name, shape_of(real.output.shape))
    assert shape_of(model.inputs.shape) == shape_of(real.input.shape)
    assert params_of(model) == real.count_params()


@pytest.mark.parametrize(("name", "arguments"), FEW)
def test_a_model_is_what_keras_builds(library: Any, name: str, arguments: str) -> None:
    compare(library, name, arguments)


@pytest.mark.long
@pytest.mark.parametrize(("name", "arguments"), LONG)
def test_every_model_is_what_keras_builds(library: Any, name: str, arguments: str) -> None:
    compare(library, name, arguments)


WRONG = [
    ("ResNet50", "include_top=False, weights=None, input_shape=(31, 64, 3)"),
    ("VGG16", "include_top=False, input_shape=(224, 16, 3)"),
    ("InceptionV3", "include_top=False, weights=None, input_shape=(74, 75, 3)"),
    ("InceptionResNetV2", "weights=None, input_shape=(32, 32, 3)"),
    ("Xception", "include_top=False, weights=None, input_shape=(70, 71, 3)"),
    ("NASNetMobile", "include_top=False, weights=None, input_shape=(31, 32, 3)"),
    ("MobileNetV3Small", "weights=None, input_shape=(16, 32, 3)"),
    ("EfficientNetB0", "input_shape=(240, 240, 3)"),
    ("ResNet50", "input_shape=[224, 224, 3]"),
    ("MobileNetV2", "input_shape=(100, 100, 3)"),
    ("DenseNet121", "include_top=False, input_shape=(224, 224, 4)"),
    ("VGG19", "classes=10"),
    ("ResNet50V2", 'weights="imagnet"'),
    ("MobileNet", 'classifier_activation="sigmoid"'),
    ("MobileNet", "include_top=False, alpha=0.4"),
    ("MobileNet", "include_top=False, depth_multiplier=2"),
    ("MobileNetV3Large", "alpha=0.5"),
    ("MobileNetV3Small", "alpha=0.75, minimalistic=True"),
    ("Xception", "weights=None, input_shape=(None, None, 3)"),
    ("VGG16", "weights=None, input_shape=(1, 224, 224, 3)"),
    ("ResNet50", "weights=None, input_shape=(224, 224)"),
    ("NASNetLarge", "include_top=False, input_shape=(None, None, 3)"),
    ("ResNet50", "top=False"),
]
RIGHT = [
    ("ResNet50", "input_shape=(224, 224, 3)"),
    ("InceptionV3", "include_top=False, weights=None, input_shape=(75, 75, 5)"),
    ("MobileNet", "input_shape=(128, 128, 3), alpha=0.25"),
    ("MobileNetV2", "include_top=False, input_shape=(100, 100, 3)"),
    ("MobileNetV3Small", "input_shape=(300, 64, 3)"),
    ("VGG16", 'weights=None, pooling="average", input_shape=(64, 64, 3)'),
    ("MobileNet", 'classifier_activation="linear"'),
    ("VGG16", "weights=None, input_shape=[64, 64, 3]"),
]


def is_refused(library: Any, name: str, arguments: str) -> bool:
    events = events_of(f"import keras\nmodel = keras.applications.{name}({arguments})", Stack(keras=version(library)))
    return bool(of_kind(events, Rejected))


@pytest.mark.parametrize(("name", "arguments"), WRONG)
def test_what_keras_refuses_is_told(library: Any, name: str, arguments: str) -> None:
    with pytest.raises((ValueError, TypeError)):
        getattr(library.applications, name)(**keywords(arguments))
    # Keras 2 hands on unknown arguments, whose fate is not followed
    assert is_refused(library, name, arguments) or (library.__name__ == "tf_keras" and arguments == "top=False")


@pytest.mark.parametrize(("name", "arguments"), RIGHT)
def test_what_keras_accepts_is_followed(library: Any, name: str, arguments: str) -> None:
    assert not is_refused(library, name, arguments)
    compare(library, name, arguments)


@pytest.mark.parametrize("module", ["resnet50", "mobilenet_v2", "densenet", "efficientnet", "convnext"])
@pytest.mark.parametrize("dtype", ["uint8", "float32", "float64"])
def test_preprocess_input_gives_keras_shape_and_dtype(library: Any, module: str, dtype: str) -> None:
    array = np.zeros((2, 8, 8, 3), dtype)
    real = getattr(library.applications, module).preprocess_input(array)
    text = f"import numpy as np\nfrom keras.applications.{module} import preprocess_input\n" \
           f"made = preprocess_input(np.zeros((2, 8, 8, 3), {dtype!r}))"
    made = names_of(text, Stack(keras=version(library)))["made"]
    assert (made.shape, made.dtype) == (real.shape, str(real.dtype))
