"""The mask that Keras hands to the call() of a user's layer, against Keras 3 and Keras 2."""

from __future__ import annotations

import os
from typing import Any

import pytest

from cudnnlint.interp.convert import strip
from cudnnlint.values import Stack, Tensor, Unknown
from tests.interpret import names_of
from tests.oracle.harness import installed_stack

HEAD = """
import numpy as np
import tensorflow as tf
import {package} as keras
from {package} import layers
SEEN = []
def seen(mask):
    SEEN.append("none" if mask is None else [tuple(m.shape) if m is not None else "none" for m in mask]
                if isinstance(mask, (list, tuple)) else tuple(mask.shape))
class Pool(layers.Layer):
    def call(self, x, mask=None):
        seen(mask)
        if mask is None:
            return tf.reduce_mean(x, axis=1)
        weights = tf.cast(mask, x.dtype)[..., None]
        return tf.reduce_sum(x * weights, axis=1) / tf.reduce_sum(weights, axis=1)
class Scale(layers.Layer):
    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self.supports_masking = True
    def call(self, x, mask=None):
        seen(mask)
        return x * 2.0
class Plain(layers.Layer):
    def call(self, x):
        return x * 2.0
class Shift(layers.Layer):
    def call(self, x):
        return x[:, 1:] * 1.0
    def compute_mask(self, inputs, mask=None):
        return None if mask is None else mask[:, 1:]
class Ids(layers.Layer):
    def __init__(self):
        super().__init__()
        self.embedding = layers.Embedding(9, 4, mask_zero=True)
        self.norm = layers.LayerNormalization()
    def call(self, ids):
        return self.norm(self.embedding(ids))
class Own(layers.Layer):
    def __init__(self):
        super().__init__()
        self.embedding = layers.Embedding(9, 4)
    def call(self, ids):
        return self.embedding(ids) + 1.0
    def compute_mask(self, ids, mask=None):
        return tf.not_equal(ids, 0)
class Two(layers.Layer):
    def call(self, query, value, query_mask=None, value_mask=None, mask=None):
        seen(mask), seen(query_mask), seen(value_mask)
        return query + value
class Listed(layers.Layer):
    def call(self, inputs, mask=None):
        seen(mask)
        return inputs[0] + inputs[1]
class Outer(layers.Layer):
    def __init__(self):
        super().__init__()
        self.inner = Scale()
        self.pool = Pool()
    def call(self, x, mask=None):
        seen(mask)
        return self.pool(self.inner(x))
class Given(layers.Layer):
    def __init__(self):
        super().__init__()
        self.pool = Pool()
    def call(self, x, mask=None):
        return self.pool(x + 1.0, mask=mask)
class Net(keras.Model):
    def __init__(self):
        super().__init__()
        self.embedding = layers.Embedding(9, 4, mask_zero=True)
        self.scale, self.pool = Scale(), Pool()
    def call(self, ids, mask=None):
        seen(mask)
        return self.pool(self.scale(self.embedding(ids)))
embed = layers.Embedding(9, 4, mask_zero=True)
bare = layers.Embedding(9, 4)
ids = np.array([[1, 2, 3, 0, 0, 0], [4, 5, 0, 0, 0, 0]])
"""
PROGRAMS = """
Pool()(embed(ids))
Pool()(bare(ids))
Pool()(Scale()(embed(ids)))
Pool()(Plain()(embed(ids)))
Pool()(Plain()(bare(ids)))
Pool()(Shift()(embed(ids)))
Pool()(Shift()(bare(ids)))
Pool()(Scale()(Shift()(embed(ids))))
Pool()(Ids()(ids))
Pool()(Own()(ids))
Pool()(layers.LSTM(3, return_sequences=True)(embed(ids)))
Pool()(layers.Dropout(0.1)(Scale()(embed(ids))))
Pool()(layers.Conv1D(3, 2)(embed(ids)))
Pool()(layers.Add()([embed(ids), embed(ids)]))
Pool()(layers.Add()([embed(ids), bare(ids)]))
Pool()(layers.Masking()(np.ones((2, 5, 3), "float32")))
Pool()(np.ones((2, 5, 3), "float32"))
Pool()(tf.ones((2, 5, 3)))
Pool()(embed(ids) * 2.0)
Pool()(tf.identity(embed(ids)))
Pool()(embed(ids), mask=tf.ones((2, 6), "bool"))
Pool()(embed(ids), mask=None)
Two()(embed(ids), embed(ids))
Two()(embed(ids), bare(ids))
Two()(bare(ids), bare(ids))
Two()(embed(ids), value=embed(ids))
Listed()([embed(ids), embed(ids)])
Listed()([embed(ids), bare(ids)])
Listed()([bare(ids), bare(ids)])
Outer()(embed(ids))
Outer()(bare(ids))
Given()(embed(ids))
Given()(bare(ids))
Net()(ids)
keras.Sequential([layers.Embedding(9, 4, mask_zero=True), Scale(), Pool()])(ids)
keras.Sequential([layers.Embedding(9, 4), Scale(), Pool()])(ids)
keras.Sequential([layers.Embedding(9, 4, mask_zero=True), Plain(), Pool()])(ids)
Pool()(keras.Sequential([layers.Embedding(9, 4, mask_zero=True), layers.Dense(3)])(ids))
Pool()(keras.Sequential([layers.Embedding(9, 4, mask_zero=True), Plain()])(ids))
keras.Model(i := keras.Input((6,)), Pool()(Scale()(embed(i))))(ids)
keras.Model(i := keras.Input((6,)), Pool()(Ids()(i)))(ids)
keras.Model(i := keras.Input((6,)), Outer()(embed(i)))(ids)
keras.Model(i := keras.Input((6,)), Two()(embed(i), bare(i)))(ids)
keras.Model(i := keras.Input((6,)), Pool()(layers.Dense(3)(layers.Dropout(0.5)(embed(i)))))(ids)
keras.Model(i := keras.Input((6,)), Net()(i))(ids)
Pool()(layers.Bidirectional(layers.LSTM(3, return_sequences=True))(Scale()(embed(ids))))
Pool()(layers.MultiHeadAttention(2, 4)(embed(ids), embed(ids)))
Pool()(layers.TimeDistributed(layers.Dense(3))(embed(ids)))
""".strip().splitlines()


def real(package: str, expression: str) -> list[Any]:
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    os.environ.setdefault("CUDA_VISIBLE_DEVICES", "-1")
    pytest.importorskip(package)
    names: dict[str, Any] = {}
    exec(HEAD.format(package=package), names)
    exec(f"SEEN.clear()\ny = {expression}", names)
    return list(names["SEEN"])


def agree(ours: Any, is_: Any) -> bool:
    """Whether nothing that we say contradicts."""
    if isinstance(ours, Unknown | Tensor):
        return True
    if isinstance(ours, list | tuple) and isinstance(is_, list | tuple):
        return len(ours) == len(is_) and all(map(agree, ours, is_))
    return bool(ours == is_)


def known(value: Any) -> bool:
    """A mask of which all but the batch is known."""
    if isinstance(value, list):
        return all(map(known, value))
    return value == "none" or (isinstance(value, tuple) and all(isinstance(dim, int) for dim in value[1:]))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("expression", PROGRAMS)
@pytest.mark.parametrize("package", ["keras", "tf_keras"])
def test_call_gets_the_mask_that_keras_hands_on(package: str, expression: str) -> None:
    masks = real(package, expression)
    text = f"{HEAD.format(package=package)}SEEN.clear()\ny = {expression}\n"
    found = strip(names_of(text, Stack(keras=installed_stack(package).keras))["SEEN"])
    assert isinstance(found, list)
    shared = min(len(found), len(masks))  # Keras calls some layers once more to build them
    last, run = found[len(found) - shared:], masks[len(masks) - shared:]
    each = expression.count("Pool()") + expression.count("Scale()") + expression.count("Two()")
    assert shared >= each
    assert agree(last, run), (last, run)
    assert all(map(known, last[-max(each, 1):])), (last, run)
