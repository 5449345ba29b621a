"""What the rows of `cudnnlint shapes` leave open: a number is told only where it is known."""

from __future__ import annotations

from typing import Any

import pytest

from cudnnlint.engine.tables.shapes import rows_of
from cudnnlint.source import Source
from cudnnlint.values import Stack

KERAS_2, KERAS_3 = Stack(keras=(2, 15), tensorflow=(2, 15)), Stack(keras=(3, 15), tensorflow=(2, 21))


def params(text: str, stack: Stack = KERAS_3) -> dict[str, Any]:
    rows = rows_of(Source.from_text("train.py", "import keras\nfrom settings import flag, sizes, x\n\n" + text),
                   stack=stack)
    return {row["layer"]: row["params"] for row in rows}


def test_a_model_whose_outputs_may_be_more_has_no_known_parameters() -> None:
    text = """
class Net(keras.Model):
    def __init__(self, inputs):
        outputs = {"a": inputs}
        if flag:
            outputs["b"] = keras.layers.Dense(7)(inputs)
        super().__init__(inputs, outputs)

net = Net(keras.Input((8,)))
"""
    assert params(text)["Functional"] is None
    assert params(text.replace("if flag:", "if True:"))["Functional"] == 63


@pytest.mark.parametrize("given", ["sizes", "x.shape[1:]"])
def test_a_variable_of_a_shape_given_by_position_that_is_not_known_is_not_counted(given: str) -> None:
    text = f"""
class Scale(keras.layers.Layer):
    def build(self, input_shape):
        self.gain = self.add_weight({given}, name="gain")

    def call(self, inputs):
        return inputs * self.gain

y = Scale()(keras.Input((4,)))
"""
    assert params(text)["Scale"] is None
    assert params(text.replace(given, "(4,)"))["Scale"] == 4


def test_a_variable_that_the_program_puts_in_the_place_of_a_layers_own_is_not_counted() -> None:
    text = """
dense = keras.layers.Dense(4)
dense.build((None, 3))
dense.bias = None
y = dense(keras.Input((3,)))
"""
    assert params(text, KERAS_2)["Dense"] is None
    assert params(text.replace("= None", "= dense.bias"), KERAS_2)["Dense"] == 16


def test_variables_that_call_makes_are_counted_once_data_go_through() -> None:
    text = """
class Block(keras.layers.Layer):
    def __init__(self):
        super().__init__()
        self.dense = keras.layers.Dense(4)

    def build(self, input_shape):
        self.built = True

    def call(self, inputs):
        return self.dense(inputs)

    def compute_output_shape(self, input_shape):
        return (*input_shape[:-1], 4)

inputs = keras.Input((3,))
model = keras.Model(inputs, Block()(inputs))
"""
    run = "model.compile('sgd', 'mse')\nmodel.fit(keras.ops.zeros((8, 3)), keras.ops.zeros((8, 4)))\n"
    assert params(text)["Functional"] is None
    assert params(text + run)["Functional"] == 16
    assert params(text.replace("    def compute_output_shape", "    def of"))["Functional"] == 16
