"""What a finding advises fits what the program does."""

from __future__ import annotations

import textwrap

import pytest

from cudnnlint.engine import registry
from cudnnlint.engine.settings.declared import Settings
from cudnnlint.engine.single import check_source
from cudnnlint.finding import Finding
from cudnnlint.source import Source


def the_one(text: str) -> Finding:
    registry.load()
    (finding,) = check_source(Source.from_text("train.py", textwrap.dedent(text)), Settings())
    return finding


def test_one_row_of_a_table_lacks_its_batch_axis() -> None:
    finding = the_one("""
        import keras
        import numpy as np
        table = np.zeros((100, 12), "float32")
        y = keras.layers.Dense(1)(table[3])
    """)
    assert (finding.rule, finding.help) == (
        "rank-mismatch", "one sample needs a batch axis: x[np.newaxis], (1, 12)")


def test_a_label_that_is_no_class_is_to_be_left_out() -> None:
    finding = the_one("""
        import keras
        import numpy as np
        masks = np.random.randint(0, 5, (8, 16))
        masks[:, :2] = 255
        model = keras.Sequential([keras.Input((16, 3)), keras.layers.Dense(5, activation="softmax")])
        model.compile("adam", keras.losses.SparseCategoricalCrossentropy())
        model.fit(np.zeros((8, 16, 3)), masks)
    """)
    assert finding.message.startswith("labels hold 255,")
    assert "SparseCategoricalCrossentropy(ignore_class=255)" in finding.help


@pytest.mark.parametrize(("line", "advice"), [
    ("from keras.layers.core import Dense", "import it from keras.layers"),
    ("from keras.engine.topology import Layer", "import it from keras.layers or keras.models"),
    ("import keras; f = keras.backend.set_learning_phase(0)", "write training=False or True, where the model or layer"),
    ("import keras; f = keras.backend.function([], [])", "write keras.Model(inputs, outputs)"),
    ("import keras\ndef f(x): return keras.backend.tile(x, 2)", "write keras.ops.tile, or tf.keras.backend.tile"),
    ("import keras\ndef f(x): return keras.backend.int_shape(x)", "write x.shape, or tf.keras.backend.int_shape"),
    ("import tensorflow as tf; f = tf.keras.optimizers.experimental.AdamW(0.1)", "write tf.keras.optimizers"),
])
def test_what_left_keras_has_a_successor_that_does_the_same(line: str, advice: str) -> None:
    assert the_one(f"x = 0\n{line}").help.startswith(advice)


def test_the_argument_of_a_separable_convolution_has_its_own_name() -> None:
    finding = the_one("""
        import keras
        layer = keras.layers.DepthwiseConv2D(3, kernel_regularizer="l2")
    """)
    assert finding.help == "write depthwise_regularizer; Keras before 3 has it"


def test_a_metric_is_logged_by_the_name_that_it_was_given() -> None:
    finding = the_one("""
        import keras
        import numpy as np
        model = keras.Sequential([keras.Input((3,)), keras.layers.Dense(2, activation="softmax")])
        model.compile("adam", "sparse_categorical_crossentropy", metrics=["accuracy"])
        history = model.fit(np.zeros((8, 3)), np.zeros(8, "int32"))
        acc = history.history["acc"]
    """)
    assert finding.help.startswith('"accuracy"')


def test_python_says_itself_what_a_call_of_a_function_lacks() -> None:
    finding = the_one("""
        import keras
        def train(epochs):
            return keras.Sequential()
        train()
    """)
    assert "missing 1 required positional argument: 'epochs'" in finding.fails


def test_labels_of_one_number_fail_in_keras_3_alone() -> None:
    finding = the_one("""
        import keras
        import numpy as np
        model = keras.Sequential([keras.layers.Dense(10)])
        model.compile("sgd", "mse")
        model.fit(np.zeros((64, 5)), np.zeros(64))
    """)
    assert finding.fails.startswith("with Keras from 3 on, in fit(): ValueError")
    assert finding.help == "one number for each sample goes with 1 unit in the last layer, which has 10"


def test_a_dropout_that_is_made_in_call_has_no_weights() -> None:
    finding = the_one("""
        import keras
        class Noisy(keras.layers.Layer):
            def call(self, x):
                return keras.layers.Dropout(0.5)(x)
        y = Noisy()(keras.Input((4,)))
    """)
    assert finding.message.endswith("the seed of its random numbers is a variable, new each time")
    assert "silently wrong" not in finding.fails


def test_all_that_a_call_lacks_is_told_in_the_words_of_python() -> None:
    finding = the_one("""
        import torch
        layer = torch.nn.Conv2d(3)
    """)
    assert "missing 2 required positional arguments: 'out_channels' and 'kernel_size'" in finding.fails
    finding = the_one("""
        import torch
        def load(path, *, shuffle):
            return path
        load("data")
    """)
    assert "missing 1 required keyword-only argument: 'shuffle'" in finding.fails


def test_a_call_that_gives_an_argument_twice_does_not_lack_another() -> None:
    finding = the_one("""
        import torch
        def load(path, batch_size, shape):
            return path
        load("data", (64, 64), batch_size=4)
    """)
    assert "got multiple values for argument 'batch_size'" in finding.fails


def test_texts_that_a_model_takes_fail_in_keras_3_alone() -> None:
    finding = the_one("""
        import keras
        import numpy as np
        words = keras.Input((1,), dtype="string")
        numbers = keras.layers.Embedding(5, 3)(keras.layers.StringLookup(vocabulary=["yes", "no"])(words))
        model = keras.Model(words, keras.layers.Dense(1)(keras.layers.Flatten()(numbers)))
        model.compile("sgd", "mse")
        model.fit(np.array([["yes"], ["no"]]), np.zeros((2, 1)))
    """)
    assert finding.fails.startswith("with Keras from 3 on, in fit(): ValueError")


def test_a_format_beside_the_name_of_a_file_is_what_keras_3_speaks_of() -> None:
    finding = the_one("""
        import keras
        model = keras.Sequential([keras.Input((3,)), keras.layers.Dense(1)])
        model.save("logo.model", save_format="h5")
    """)
    assert "The `save_format` argument is deprecated in Keras 3" in finding.fails


def test_two_devices_are_there_on_a_machine_with_a_gpu() -> None:
    finding = the_one("""
        import torch
        device = torch.device("cuda:0" if torch.cuda.is_available() else "cpu")
        layer = torch.nn.Linear(3, 1)
        layer.to(device)
        layer(torch.zeros(2, 3))
    """)
    assert finding.fails.startswith("on a machine with a GPU, when it runs: RuntimeError")


@pytest.mark.parametrize(("metric", "monitor", "help_"), [
    ("acc", "val_accuracy", 'validation_data or validation_split, and "val_acc"; or "acc"'),
    ("acc", "val_acc", 'validation_data or validation_split, and "val_acc"; or "acc"'),
    ("acc", "val_f1", "validation_data or validation_split, or a name without val_"),
])
def test_a_callback_is_to_monitor_what_is_logged(metric: str, monitor: str, help_: str) -> None:
    finding = the_one(f"""
        import keras
        import numpy as np
        model = keras.Sequential([keras.Input((4,)), keras.layers.Dense(1, activation="sigmoid")])
        model.compile("adam", "binary_crossentropy", metrics=["{metric}"])
        stop = keras.callbacks.EarlyStopping("{monitor}")
        model.fit(np.zeros((8, 4)), np.zeros((8, 1)), callbacks=[stop])
    """)
    assert finding.help == help_


@pytest.mark.parametrize(("keras", "fails"), [
    ("3.15", 'with Keras from 3 on, in fit(): TypeError "This optimizer was created with a `LearningRateSchedule` '
             'object" in the first epoch'),
    ("2.15", "with Keras from 2.11 on, in fit(): no effect, silently"), ("2.10", "")])
def test_a_rate_that_a_schedule_gives_is_set_in_vain_or_refused(keras: str, fails: str) -> None:
    registry.load()
    found = check_source(Source.from_text("train.py", textwrap.dedent("""
        import keras
        import numpy as np
        model = keras.Sequential([keras.layers.Dense(1, input_shape=(4,))])
        rate = keras.optimizers.schedules.ExponentialDecay(1e-3, decay_steps=1000, decay_rate=0.9)
        model.compile(keras.optimizers.Adam(rate), "mse")
        model.fit(np.zeros((8, 4)), np.zeros((8, 1)), callbacks=[keras.callbacks.LearningRateScheduler(lambda e: 0.1)])
    """)), Settings(keras=keras))
    assert [finding.fails for finding in found] == ([fails] if fails else [])
