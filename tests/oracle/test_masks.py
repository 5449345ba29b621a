"""Masks as they arrive behind each layer, against Keras 3 and Keras 2."""

from __future__ import annotations

import os
from typing import Any

import pytest

from cudnnlint.events.masks import Mask, mask_of
from cudnnlint.values import Stack, Symbol, Tensor
from tests.interpret import names_of
from tests.oracle.harness import installed_stack

SEQUENCE = "x = layers.Masking()(keras.Input((6, 8)))\nother = layers.Masking()(keras.Input((6, 8)))\n" \
           "free = keras.Input((6, 8))\nblocks = layers.Masking()(keras.Input((6, 5, 8)))\n" \
           "ids = keras.Input((6,), dtype='int32')\n"
BOTH = """
Dense(4)(x) | Activation("relu")(x) | ReLU()(x) | LeakyReLU()(x) | PReLU()(x) | ELU()(x) | Dropout(0.5)(x)
SpatialDropout1D(0.5)(x) | GaussianNoise(0.1)(x) | GaussianDropout(0.1)(x) | AlphaDropout(0.1)(x) | Masking()(x)
ActivityRegularization()(x) | BatchNormalization()(x) | LayerNormalization()(x) | UnitNormalization()(x) | Flatten()(x)
Reshape((48,))(x) | Reshape((8, 6))(x) | Permute((2, 1))(x) | Conv1D(4, 3)(x) | Conv1D(4, 3, padding="causal")(x)
SeparableConv1D(4, 3)(x) | DepthwiseConv1D(3)(x) | Conv1DTranspose(4, 3)(x) | MaxPooling1D(2)(x) | Cropping1D(1)(x)
GlobalAveragePooling1D()(x) | GlobalMaxPooling1D()(x) | UpSampling1D(2)(x) | ZeroPadding1D(1)(x) | LSTM(4)(x)
LSTM(4, return_sequences=True)(x) | GRU(4, return_sequences=True)(x) | SimpleRNN(4, return_sequences=True)(x)
LSTM(4, return_sequences=True, return_state=True)(x) | RNN(layers.LSTMCell(4), return_sequences=True)(x)
Bidirectional(layers.LSTM(4))(x) | Bidirectional(layers.LSTM(4, return_sequences=True))(x)
Bidirectional(layers.LSTM(4, return_sequences=True), merge_mode=None)(x)
Bidirectional(layers.LSTM(4, return_sequences=True, return_state=True))(x) | TimeDistributed(layers.Dense(3))(x)
TimeDistributed(layers.LSTM(3, return_sequences=True))(blocks) | Dense(3)(blocks) | Conv2D(3, 2)(blocks)
EinsumDense("abc,cd->abd", output_shape=(None, 4))(x) | Rescaling(0.5)(x) | Normalization(mean=0.0, variance=1.0)(x)
Attention()([x, other]) | Attention()([x, free]) | Attention()([free, x]) | AdditiveAttention()([x, other])
MultiHeadAttention(2, 4)(x, other) | MultiHeadAttention(2, 4)(x, free) | MultiHeadAttention(2, 4)(free, x)
Add()([x, other]) | Add()([x, free]) | Add()([free, x]) | Multiply()([x, free]) | Maximum()([x, other])
Concatenate()([x, other]) | Concatenate(axis=1)([x, other]) | Concatenate(axis=-2)([x, other])
Concatenate()([x, free]) | Concatenate()([free, x])
Dot(axes=2)([x, other]) | Dot(axes=2)([x, free]) | Embedding(10, 4, mask_zero=True)(ids)
Embedding(10, 4)(ids) | Identity()(x) | TimeDistributed(layers.LSTM(3))(blocks) | Lambda(lambda t: t * 2)(x)
TimeDistributed(layers.Flatten())(blocks) | RMSNormalization()(x) | GroupQueryAttention(4, 4, 2)(x, other)
Concatenate(axis=1)([x, free]) | GroupNormalization(2)(x) | Softmax()(x) | Dropout(0.1)(x * 2) | Dense(3)(x)[:, 1:]
"""
CALLS = [call for line in BOTH.strip().splitlines() for call in line.split(" | ")]


def real(package: str, call: str) -> Any:
    """The shapes of the masks of what a call gives; None where the library refuses it or has no such layer."""
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    keras = pytest.importorskip(package)
    names: dict[str, Any] = {"keras": keras, "layers": keras.layers}
    try:
        exec(SEQUENCE + f"y = layers.{call}\n", names)
    except (AttributeError, TypeError, ValueError):
        pytest.skip(f"{package} refuses it")
    outputs = names["y"] if isinstance(names["y"], list | tuple) else [names["y"]]
    masks = [getattr(output, "_keras_mask", None) for output in outputs]
    return [None if mask is None else tuple(mask.shape) for mask in masks]


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("package", ["keras", "tf_keras"])
def test_a_mask_arrives_as_in_keras(package: str, call: str) -> None:
    shapes = real(package, call)
    stack = Stack(keras=installed_stack(package).keras)
    text = f"import {package} as keras\nfrom {package} import layers\n{SEQUENCE}y = layers.{call}\n"
    made = names_of(text, stack)["y"]
    outputs = made if isinstance(made, tuple) else getattr(made, "items", None) or [made]
    assert len(outputs) == len(shapes)
    for output, shape in zip(outputs, shapes, strict=True):
        assert isinstance(output, Tensor)
        found = mask_of(output, stack)
        if isinstance(found, Mask):
            assert tuple(None if isinstance(dim, Symbol) else dim for dim in found.shape) == shape
        elif found is None:
            assert shape is None
        else:
            assert call.startswith(("TimeDistributed", "Lambda"))


NESTED = [
    ("keras.Sequential([layers.Embedding(9, 4, mask_zero=True), layers.Dropout(0.1)])", True),
    ("keras.Sequential([layers.Embedding(9, 4, mask_zero=True), layers.Conv1D(3, 2)])", False),
    ("keras.Sequential([layers.Embedding(9, 4)])", False),
    ("keras.Model(i := keras.Input((6,)), layers.ReLU()(layers.Embedding(9, 4, mask_zero=True)(i)))", True),
    ("keras.Model(i := keras.Input((6,)), layers.LSTM(3)(layers.Embedding(9, 4, mask_zero=True)(i)))", False),
]


@pytest.mark.parametrize(("model", "masked"), NESTED)
@pytest.mark.parametrize("package", ["keras", "tf_keras"])
def test_the_mask_of_a_nested_model_arrives_when_it_runs(package: str, model: str, masked: bool) -> None:
    text = f"import numpy as np\nfrom {package} import layers\nimport {package} as keras\nmodel = {model}\n" \
           "y = model(np.ones((2, 6), 'int32'))\n"
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    pytest.importorskip(package)
    names: dict[str, Any] = {}
    exec(text, names)
    assert (getattr(names["y"], "_keras_mask", None) is not None) is masked
    stack = Stack(keras=installed_stack(package).keras)
    found = mask_of(names_of(text, stack)["y"], stack)
    assert isinstance(found, Mask) is masked
