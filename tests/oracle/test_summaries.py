"""The totals that `cudnnlint shapes` prints are those of `model.summary()`, for every style of model."""

from __future__ import annotations

from typing import Any

import pytest

from cudnnlint.engine.tables.follow import follow
from cudnnlint.engine.tables.making import shapes_of
from cudnnlint.report.shapes.model import Layer, Table
from cudnnlint.source import Source
from cudnnlint.values import Stack
from cudnnlint.values.tensor import tensors
from tests.oracle.harness import library

SKIP = """
i = keras.Input((16, 16, 3))
x = layers.Conv2D(8, 3, padding="same")(i)
y = layers.BatchNormalization()(layers.Conv2D(8, 1)(x))
model = keras.Model(i, layers.Dense(3)(layers.GlobalAveragePooling2D()(layers.Add()([x, y]))))
"""
SEQUENTIAL = """
model = keras.Sequential()
model.add(keras.Input((12, 5)))
model.add(layers.Bidirectional(layers.LSTM(4, return_sequences=True)))
model.add(layers.TimeDistributed(keras.Sequential([layers.Dense(3), layers.Dense(2)])))
model.add(layers.Dropout(0.5))
"""
SUBCLASSED = """
class Plain:
    pass

class Block(layers.Layer):
    def __init__(self, width):
        super().__init__()
        self.dense, self.norm = layers.Dense(width), layers.LayerNormalization()
    def build(self, shape):
        self.scale = self.add_weight(shape=(shape[-1],), name="scale")
        self.count = self.add_weight(shape=(), trainable=False, name="count")
        self.built = True
    def call(self, x):
        return self.norm(self.dense(x * self.scale))

class Net(keras.Model):
    def __init__(self):
        super().__init__()
        self.blocks = [Block(n) for n in (4, 8)]
        self.heads = {"a": layers.Dense(2), "b": (layers.Dense(3),)}
        self.plain = Plain()
        self.plain.hidden = layers.Dense(5)
    def call(self, x):
        for block in self.blocks:
            x = block(x)
        return self.heads["a"](x), self.heads["b"][0](self.plain.hidden(x))

model = Net()
model(keras.Input((6,)))
"""
BACKBONE = """
backbone = keras.Sequential([keras.Input((16, 16, 3)), layers.Conv2D(8, 3), layers.BatchNormalization(),
                             layers.Conv2D(4, 3)])
backbone.trainable = False
backbone.layers[-1].trainable = True
model = keras.Sequential([backbone, layers.Flatten(), layers.Dense(10), layers.Dense(2, trainable=False)])
model.build((None, 16, 16, 3))
"""
HELPER = """
def make(n, depth=2):
    i = x = keras.Input((n,))
    for _ in range(depth):
        x = layers.Dense(16, activation="relu")(x)
    return keras.Model(i, layers.Dense(1)(x))

model, other = make(4), make(7, depth=3)
"""
SHARED = """
shared, a, b = layers.Dense(8), keras.Input((5,)), keras.Input((5,))
inner = keras.Model(a, shared(a))
model = keras.Model([a, b], layers.Concatenate()([inner(b), shared(a), shared(b)]))
"""
FROZEN = """
class Block(layers.Layer):
    def __init__(self, **more):
        super().__init__(**more)
        self.dense = layers.Dense(3)
    def build(self, shape):
        self.scale = self.add_weight(shape=(2,), name="scale")
        self.built = True
    def call(self, x):
        return self.dense(x) * self.scale[0]

late = Block()
late.trainable = False
model = keras.Sequential([keras.Input((4,)), Block(trainable=False), late, layers.Dense(2)])
"""
PROGRAMS = {"skip": SKIP, "sequential": SEQUENTIAL, "subclassed": SUBCLASSED, "backbone": BACKBONE, "helper": HELPER,
            "shared": SHARED, "frozen": FROZEN}


def tables(keras: str, text: str) -> list[Table]:
    source = Source.from_text("program.py", f"import {keras} as keras\nfrom {keras} import layers\n{text}")
    stack = Stack(keras=(2, 15), tensorflow=(2, 15)) if keras == "tf_keras" else Stack()
    return list(shapes_of(follow(source, stack)).tables)


def real(keras: str, text: str) -> dict[str, Any]:
    found = library(keras)
    if found is None:
        pytest.skip(f"{keras} is not installed")
    names: dict[str, Any] = {"keras": found, "layers": found.layers}
    exec(text, names)
    return names


def size(weights: Any) -> int:
    return sum(int(weight.numpy().size) for weight in weights)


@pytest.mark.parametrize("keras", ["keras", "tf_keras"])
@pytest.mark.parametrize("name", PROGRAMS)
def test_totals_are_those_of_keras(keras: str, name: str) -> None:
    names = real(keras, PROGRAMS[name])
    ours = {table.title: table for table in tables(keras, PROGRAMS[name])}
    for variable in {"model", "other"} & set(names):
        totals, model = ours[variable].totals, names[variable]
        assert totals is not None and not totals.unknown and not totals.unsure
        assert (totals.count, totals.trainable, totals.frozen) == (
            model.count_params(), size(model.trainable_weights), size(model.non_trainable_weights))
        assert totals.bytes == 4 * totals.count


@pytest.mark.parametrize("name", ["skip", "sequential", "helper"])
def test_rows_are_the_layers_of_keras_with_their_outputs_and_parameters(name: str) -> None:
    model = real("keras", PROGRAMS[name])["model"]
    table = next(table for table in tables("keras", PROGRAMS[name]) if table.title == "model")

    def kind(layer: Layer) -> str:
        return layer.label.partition("(")[0].strip()

    def shape(value: Any) -> tuple[Any, ...]:
        return tuple(dim if isinstance(dim, int) else None for dim in tensors(value)[0].shape)

    ours = sorted((kind(layer), shape(layer.output), layer.totals.count if layer.totals else 0)
                  for layer in table.layers if kind(layer) != "InputLayer")
    theirs = sorted((type(layer).__name__, tuple(layer.output.shape), layer.count_params())
                    for layer in model.layers if type(layer).__name__ != "InputLayer")
    assert ours == theirs
