"""What one change mends is told once, with the places where else it shows."""

from __future__ import annotations

import textwrap

import pytest

from cudnnlint.engine import registry
from cudnnlint.engine.settings.declared import Settings
from cudnnlint.engine.single import check_source
from cudnnlint.finding import Finding
from cudnnlint.source import Source

MODEL = """
    import keras
    import numpy as np
    from keras import layers
    x, y = np.zeros((64, 8)), np.zeros((64, 1))
    model = keras.Sequential([keras.Input((8,)), layers.Dense(4)])
    model.compile("adam", "mse")
"""


def found(*parts: str) -> list[Finding]:
    registry.load()
    text = "".join(map(textwrap.dedent, parts))
    return check_source(Source.from_text("train.py", text), Settings())


def places(finding: Finding) -> list[int]:
    return [span.line for span in finding.also]


def test_what_fit_is_told_of_is_not_said_of_evaluate_again() -> None:
    (finding,) = found(MODEL, """
        model.fit(x, y)
        model.evaluate(x[:10], y[:10])
    """)
    assert (finding.rule, finding.span.line, places(finding)) == ("broadcast-labels", 9, [10])


def test_two_calls_of_fit_are_two_mistakes() -> None:
    assert [finding.span.line for finding in found(MODEL, """
        model.fit(x, y)
        model.fit(x[:10], y[:10])
    """)] == [9, 10]


def test_another_model_is_another_mistake() -> None:
    lines = [finding.span.line for finding in found(MODEL, """
        model.fit(x, y)
        other = keras.Sequential([keras.Input((8,)), layers.Dense(4)])
        other.compile("adam", "mse")
        other.evaluate(x, y)
    """)]
    assert lines == [9, 12]


def test_a_layer_that_refuses_each_time_the_model_runs_is_told_where_it_is_made() -> None:
    (finding,) = found("""
        import numpy as np
        from keras import Sequential, layers
        model = Sequential()
        model.add(layers.Embedding(28, 7))
        model.add(layers.LSTM(32))
        model.add(layers.LSTM(32))
        model.compile("adam", "mse")
        model.fit(np.zeros((13, 5)), np.zeros((13, 32)))
        model.evaluate(np.zeros((13, 5)), np.zeros((13, 32)))
    """)
    assert (finding.rule, finding.span.line, places(finding)) == ("rank-mismatch", 7, [10])


def test_a_value_that_a_function_cannot_use_is_told_of_its_first_use() -> None:
    (finding,) = found("""
        import torch
        def focal(k):
            fx = k[:, 0, 0]
            fy = k[:, 1, 1]
            return fx + fy
        focal(torch.zeros(4, 4))
    """)
    assert (finding.rule, finding.span.line, places(finding)) == ("rank-mismatch", 4, [5])


def test_test_data_that_do_not_fit_are_told_of_where_they_are_first_given() -> None:
    (finding,) = found(MODEL.replace("(64, 1)", "(64, 4)"), """
        z = y[1:]
        model.fit(x, y, validation_data=(x, z))
        model.evaluate(x, z)
    """)
    assert (finding.rule, finding.span.line, places(finding)) == ("label-shape-mismatch", 10, [11])


def test_what_compile_was_given_is_told_of_at_the_first_call_that_uses_it() -> None:
    (finding,) = found("""
        import keras
        import numpy as np
        x, y = np.zeros((64, 8)), np.zeros((64, 1))
        a = keras.Input((8,))
        model = keras.Model(a, [keras.layers.Dense(1)(a), keras.layers.Dense(1)(a)])
        model.compile("adam", "mse", metrics=["mae"])
        model.fit(x, [y, y])
        model.evaluate(x, [y, y])
    """)
    assert (finding.rule, finding.span.line, places(finding)) == ("unmatched-outputs", 8, [9])


def test_what_one_line_does_twice_is_told_once() -> None:
    (finding,) = found("""
        import torch
        from torch import nn
        sizes = (3, 5)
        for i in range(3):
            nn.Conv2d(4, 4, sizes[i], padding=sizes[i] // 2)
    """)
    assert (finding.rule, finding.span.line, places(finding)) == ("index-out-of-range", 6, [6])


FLATTENED = """
    import numpy as np
    import keras
    from keras import layers
    x, y = np.zeros((64, 512, 512, 3), "float32"), np.zeros(64)
    model = keras.Sequential([
        keras.Input((512, 512, 3)), layers.Conv2D(64, 3), layers.Flatten(),
        layers.Dense(WIDTH),
        layers.Dense(10, activation="softmax")])
    model.compile("sgd", "sparse_categorical_crossentropy")
    model.fit(x, y, batch_size=64)
"""


def test_a_layer_that_is_larger_than_the_gpu_is_the_cause_for_the_step_too() -> None:
    (finding,) = found(FLATTENED.replace("WIDTH", "512"))
    assert (finding.rule, finding.span.line, places(finding)) == ("oversized-dense-after-flatten", 8, [11])
    assert [finding.rule for finding in found(FLATTENED.replace("WIDTH", "180"))] == ["out-of-memory"]

def test_what_a_call_did_not_return_is_missed_once() -> None:
    (finding,) = found(MODEL, """
        summed = model.summary()
        summed.fit(x, y[:1])
        print(summed.inputs, summed.outputs)
    """)
    assert (finding.rule, finding.span.line, places(finding)) == ("missing-return", 10, [11, 11])


def test_another_call_that_returned_nothing_is_another_mistake() -> None:
    assert [finding.span.line for finding in found(MODEL, """
        summed = model.summary()
        print(summed.inputs)
        summed = model.summary()
        print(summed.inputs)
    """)] == [10, 12]


def test_functions_of_tensorflow_in_one_functional_model_are_one_cause() -> None:
    (finding,) = found("""
        import tensorflow as tf
        from keras import Input, Model, ops
        def build():
            x = Input((8,))
            y = tf.expand_dims(x, 1)
            z = tf.reduce_mean(tf.tile(y, [1, 5, 1]), axis=1)
            return Model(x, z)
    """)
    assert (finding.rule, finding.span.line, places(finding)) == ("symbolic-tensor-in-function", 6, [7, 7])


def test_an_element_that_is_changed_in_place_is_told_where_it_stands() -> None:
    (finding,) = found("""
        import torch
        x = torch.tensor(3.0)
        x[0] /= 2
    """)
    assert (finding.rule, finding.span.line, finding.span.column) == ("rank-mismatch", 4, 0)


@pytest.mark.parametrize(("function", "advice"), [
    ("tf.clip_by_value(x, 0, 1)", "keras.ops.clip"), ("tf.image.resize(x, (4, 4))", "keras.ops.image.resize"),
    ("tf.math.reduce_variance(x)", "keras.ops.var"), ("tf.math.unsorted_segment_sum(x, x, 3)", "the function of"),
])
def test_the_function_of_keras_is_named(function: str, advice: str) -> None:
    (finding,) = found(f"""
        import tensorflow as tf
        from keras import Input, ops
        x = Input((8, 8, 3))
        y = {function}
    """)
    assert finding.help.startswith(advice)
