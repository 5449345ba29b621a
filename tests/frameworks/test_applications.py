"""keras.applications without Keras: that the records are complete, and what is not known says why."""

from __future__ import annotations

import json
from typing import Any

import pytest

from cudnnlint.facts.applications import FOLDER
from cudnnlint.frameworks.applications.functions import MODELS
from cudnnlint.interp.keras.models import ModelV
from cudnnlint.values import BATCH, Stack, Unknown
from tests.interpret import names_of

KERAS_2_ONLY = {"regnet", "resnet_rs"}
LARGEST = 400_000


def made(text: str, keras: tuple[int, ...] = (3, 15)) -> Any:
    return names_of(f"import keras\nfrom keras.applications import *\nmade = {text}", Stack(keras=keras))["made"]


@pytest.mark.parametrize("module", MODELS)
def test_every_model_is_on_record_with_its_origin(module: str) -> None:
    data = json.loads((FOLDER / f"{module}.json").read_text(encoding="utf-8"))
    generations = {"2"} if module in KERAS_2_ONLY else {"2", "3"}
    assert data["models"].keys() == generations
    assert all(models.keys() == set(MODELS[module]) for models in data["models"].values())
    assert data["keras"].keys() >= generations
    assert data["made"] == f"python -m cudnnlint.devtools.zoo {module}"


def test_the_records_stay_small() -> None:
    assert sum(path.stat().st_size for path in FOLDER.glob("*.json")) < LARGEST


@pytest.mark.parametrize(("text", "keras", "why"), [
    ("keras.applications.RegNetX002(weights=None)", (3, 15), "keras.applications has no RegNetX002 in Keras 3.15"),
    ("ResNet50(weights=None)", (2, 4), "ResNet50 is on record from Keras 2.6 on"),
    ("ResNet50(weights=None, include_top=here)", (3, 15), "include_top is not known"),
    ("ResNet50(weights=None, include_top=False, pooling=here)", (3, 15), "pooling is not known"),
    ("ResNet50(**here)", (3, 15), "arguments that are not known"),
    ("MobileNetV2(weights=None, alpha=here)", (3, 15), "alpha or depth_multiplier is not known"),
    ("NASNetLarge(weights=None, include_top=False)", (3, 15), "NASNetLarge is on record for a static input only"),
])
def test_what_is_not_known_says_why(text: str, keras: tuple[int, ...], why: str) -> None:
    model = made(text, keras)
    assert isinstance(model, Unknown)
    assert model.why == why


def test_channels_first_is_not_on_record() -> None:
    text = "import keras\nkeras.backend.set_image_data_format('channels_first')\n" \
           "made = keras.applications.ResNet50(weights=None)"
    assert isinstance(names_of(text)["made"], Unknown)


def test_unknown_weights_leave_the_outputs_known_but_not_the_first_layers() -> None:
    """EfficientNet has one layer more with imagenet weights."""
    names = names_of("import keras\nm = keras.applications.EfficientNetB0(weights=path, include_top=False, "
                     "input_shape=(64, 64, 3))\nthird = m.layers[3]\ncount = len(m.layers)")
    assert names["m"].outputs.shape == (BATCH, 2, 2, 1280)
    assert isinstance(names["third"], Unknown)
    assert isinstance(names["count"], Unknown)


def test_each_call_makes_layers_of_its_own() -> None:
    names = names_of("import keras\ndef make():\n    return keras.applications.VGG16(weights=None, include_top=False)\n"
                     "a, b = make(), make()\na.layers[1].trainable = False")
    a, b = names["a"], names["b"]
    assert isinstance(a, ModelV)
    assert a.outputs.step.maker is not b.outputs.step.maker
    assert [model.inputs.step.maker.name for model in (a, b)] == ["input_layer", "input_layer_1"]


def test_a_mixed_precision_policy_reaches_the_layers() -> None:
    names = names_of("import keras\nkeras.mixed_precision.set_global_policy('mixed_float16')\n"
                     "out = keras.applications.ResNet50(weights=None, include_top=False).output")
    assert names["out"].dtype == "float16"
