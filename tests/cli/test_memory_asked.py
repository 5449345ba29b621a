"""`cudnnlint memory` as users ask it: by the names of their GPUs, for models that nothing calls, beside predictions."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import Run
from tests.cli.test_memory import FIT, told

UNCALLED = """
import keras
from keras import layers

class Net(keras.Model):
    def __init__(self):
        super().__init__()
        self.FIRST

    def call(self, x):
        return self.first(x)

net = Net()
"""


@pytest.mark.parametrize(("name", "usual"), [
    ("Tesla T4 16GB", "T4"), ("T4 15GB", "T4"), ("NVIDIA GeForce RTX 3090 24GB", "RTX-3090"), ("3090ti", "RTX-3090-Ti"),
    ("V100-SXM2-16GB", "V100-16"), ("NVIDIA RTX A5000", "RTX-A5000"), ("RTX 6000 Ada Generation", "RTX-6000-Ada"),
    ("P4", "P4"), ("A10", "A10"), ("Quadro RTX 8000", "Quadro-RTX-8000"), ("B200", "B200"), ("TITAN V", "TITAN-V")])
def test_gpus_by_the_names_that_drivers_and_shops_give_them(run: Run, here: Path, name: str, usual: str) -> None:
    (row,) = told(run, here, FIT, "--gpu", name)
    assert row["gpu"] == usual


def test_a_name_with_another_size_is_another_card(run: Run, here: Path) -> None:
    (here / "net.py").write_text(FIT)
    result = run("memory", "net.py", "--gpu", "RTX 3080 12GB")
    assert result.exit_code == 2 and "RTX-3080" in result.stderr


def test_a_computed_gpu_leaves_what_tensorflow_leaves_alone(run: Run, here: Path) -> None:
    (row,) = told(run, here, FIT, "--gpu", "RTX-3090-Ti")
    (known,) = told(run, here, FIT, "--gpu", "RTX-3090")
    assert known["usable_bytes"] < row["usable_bytes"] < 24 << 30


def test_a_model_that_nothing_calls_is_told_for_the_input_that_is_given(run: Run, here: Path) -> None:
    text = UNCALLED.replace("FIRST", "first = layers.Dense(10)")
    assert told(run, here, text) == []  # an image is no input that it would take
    predicted, trained = told(run, here, text, "--input", "400")
    assert predicted["bytes"]["weights"] == (400 + 1) * 10 * 4 and trained["method"] == "fit"


def test_an_input_that_nothing_needs_is_said(run: Run, here: Path) -> None:
    (here / "net.py").write_text(FIT)
    result = run("memory", "net.py", "--input", "5x5x5")
    assert result.exit_code == 0 and "model.fit(...)" in result.stdout
    assert result.stderr == (
        "cudnnlint: warning: --input is not used: the program calls its models, or says what they take\n")
    (here / "open.py").write_text(UNCALLED.replace("FIRST", "first = layers.Dense(10)"))
    assert run("memory", "net.py", "open.py", "--input", "400").stderr == ""  # one of them needs it
    assert "--input is not used" in run("shapes", "net.py", "--input", "5x5x5").stderr


def test_what_is_assumed_of_an_input_can_be_changed_as_it_says(run: Run, here: Path) -> None:
    text = UNCALLED.replace("FIRST", "first = layers.Conv2D(8, 3)")
    (assumed, _), (given, _) = told(run, here, text), told(run, here, text, "--input", "448x448x3")
    assert any("--input gives another" in said for said in assumed["assumptions"])
    assert not any("--input" in said for said in given["assumptions"])
    assert 3.9 < given["bytes"]["input"] / assumed["bytes"]["input"] < 4.1


def test_a_prediction_on_all_at_once_is_told_beside_the_training(run: Run, here: Path) -> None:
    small = FIT.replace("batch_size=512", "batch_size=4")
    (trained,) = told(run, here, small + "net.predict(np.zeros((64, 256, 256, 3)), batch_size=2)\n")
    assert trained["method"] == "fit"
    trained, predicted = told(run, here, small + "net.predict(np.zeros((4096, 256, 256, 3)), batch_size=4096)\n")
    assert (trained["method"], predicted["method"]) == ("fit", "predict")
    assert predicted["needs_bytes"] > trained["needs_bytes"]


def test_an_estimate_is_an_interval(run: Run, here: Path) -> None:
    (row,) = told(run, here, FIT)
    assert row["least_bytes"] < row["bytes"]["total"] < row["needs_bytes"] < row["most_bytes"]
    (open_,) = told(run, here, FIT.replace('layers.Conv2D(64, 3, padding="same", activation="relu"),',
                                           "layers.Conv2D(64, int(input())),"))
    assert open_["lower_bound"] and open_["most_bytes"] is None
    (here / "net.py").write_text(FIT)
    assert " GiB to " in run("memory", "net.py").stdout


OPEN_SIDES = """\
import keras
from keras import layers

x = inputs = keras.Input((None, None, 3))
for filters in (16, 32):
    x = layers.Conv2D(filters, 3, padding="same", activation="relu")(x)
model = keras.Model(inputs, layers.Conv2D(2, 1)(x))
"""


def test_extents_that_the_inputs_leave_open_are_given_with_input(run: Run, here: Path) -> None:
    given = told(run, here, OPEN_SIDES, "--input", "64x48x3")
    written = told(run, here, OPEN_SIDES.replace("(None, None, 3)", "(64, 48, 3)"))
    assert [row["bytes"] for row in given] == [row["bytes"] for row in written]
    assert [(row["model"], row["line"], row["lower_bound"]) for row in given] == [("model", 7, False)] * 2


def test_layers_that_are_not_known_may_forbid_compiling(run: Run, here: Path) -> None:
    text = FIT.replace(", jit_compile=False", "")
    (row,) = told(run, here, text)
    assert any(said.endswith("no layer forbids it") for said in row["assumptions"])
    (row,) = told(run, here, text.replace("layers.GlobalAveragePooling2D()", "pooling()"))
    assert any(said.endswith("no layer that is known forbids it") for said in row["assumptions"])


def test_what_is_not_known_for_one_reason_is_told_once_with_what_helps(run: Run, here: Path) -> None:
    (here / "net.py").write_text(OPEN_SIDES)
    text = run("memory", "net.py").stdout
    assert "   not known: an open extent (an input, Conv2D)\n" in text
    assert "   help: --input gives the extents that an input of the model leaves open: 224x224x3" in text


def test_what_is_fed_need_not_be_known_where_the_model_says_what_it_takes(run: Run, here: Path) -> None:
    text = FIT.replace("net.fit(np", "from mine import load\nx, y = load()\nnet.fit(np")
    (known,) = told(run, here, text)
    fed = text.replace('np.zeros((4096, 256, 256, 3), "float32"), np.zeros(4096)', "x, y")
    assert fed != text
    (row,) = told(run, here, fed)
    assert not row["lower_bound"] and row["bytes"]["activations"] == known["bytes"]["activations"]


MADE = """import keras
import numpy as np

def built():
    model = keras.Sequential([keras.Input((8,)), keras.layers.Dense(4)])
    model.compile("sgd", "mse")
    return model

tagger = built()
other = built()
other.fit(np.zeros((64, 8)), np.zeros((64, 4)))
tagger.fit(np.zeros((64, 8)), np.zeros((64, 4)))
"""


def test_models_are_called_as_in_the_tables_of_shapes(run: Run, here: Path) -> None:
    """By the variable that says most, each of two that one function makes by its own, or by the name they are given."""
    assert [row["model"] for row in told(run, here, MADE)] == ["other", "tagger"]
    assert "tagger: sequential model" in run("shapes", "net.py").stdout
    named = FIT.replace("activation=\"softmax\"),\n]", "activation=\"softmax\"),\n], name=\"vgg_like\"")
    assert [row["model"] for row in told(run, here, named)] == ["vgg_like"]
    assert "vgg_like: sequential model" in run("shapes", "net.py").stdout


OPTION = """\
import argparse
import numpy as np
import tensorflow as tf
import keras
from keras import layers

class Net(keras.Model):
    def __init__(self):
        super().__init__()
        self.first, self.flat, self.last = layers.Conv2D(32, 3), layers.Flatten(), layers.Dense(10)

    def call(self, x):
        return self.last(self.flat(self.first(x)))

def train(batch_size):
    x, y = np.zeros((640, 64, 64, 3), "uint8"), np.zeros((640, 10), "float32")
    FITTED

parser = argparse.ArgumentParser()
parser.add_argument("--batch-size", type=int, required=True)
train(parser.parse_args().batch_size)
"""
FITTED = """net = Net()
    net.compile("adam", "mse")
    net.fit(x, y, batch_size=batch_size)"""
LOOPED = """net, by = Net(), keras.optimizers.Adam()
    for images, labels in tf.data.Dataset.from_tensor_slices((x, y)).batch(batch_size):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(net(tf.cast(images, "float32")) - labels))
        by.apply_gradients(zip(tape.gradient(loss, net.trainable_variables), net.trainable_variables))"""


@pytest.mark.parametrize("trained", [FITTED, LOOPED])
def test_a_batch_size_from_outside_is_assumed_and_all_else_known(run: Run, here: Path, trained: str) -> None:
    text = OPTION.replace("FITTED", trained)
    (row,) = told(run, here, text)
    (known,) = told(run, here, text.replace("train(parser.parse_args().batch_size)", "train(32)"))
    assert not row["lower_bound"] and (row["batch_size"], known["batch_size"]) == (None, 32)
    assert (row["bytes"], row["largest_batch_size"]) == (known["bytes"], known["largest_batch_size"])
    assert "batch_size 32: the program's is not known" in row["assumptions"]
    (given,) = told(run, here, text, "--batch-size", "64")
    assert given["batch_size"] == 64 and not any("batch_size" in said for said in given["assumptions"])


def test_that_an_assumed_batch_does_not_fit_is_said_of_such_a_batch(run: Run, here: Path) -> None:
    given = "import os\n" + FIT.replace("batch_size=512", 'batch_size=int(os.environ["SIZE"])')
    (here / "net.py").write_text(given)
    assert "does not fit if the batch is that large\n" in run("memory", "net.py", "--gpu", "1GB").stdout
    (here / "net.py").write_text(FIT.replace("batch_size=512", "batch_size=32"))
    assert "does not fit\n" in run("memory", "net.py", "--gpu", "1GB").stdout


def test_a_batch_size_of_a_file_is_assumed_too(run: Run, here: Path) -> None:
    text = "import json\n" + FIT.replace("batch_size=512", 'batch_size=json.load(open("a.json"))["size"]')
    (row,) = told(run, here, text)
    (known,) = told(run, here, FIT.replace("batch_size=512", "batch_size=32"))
    assert (row["batch_size"], row["bytes"]) == (None, known["bytes"])
    assert not any("the data are not known" in said for said in row["assumptions"])


def test_data_of_a_file_are_what_the_model_declares(run: Run, here: Path) -> None:
    (row,) = told(run, here, FIT.replace('np.zeros((4096, 256, 256, 3), "float32")', 'np.load("x.npy")'))
    assert not row["lower_bound"] and row["bytes"]["input"] > 512 * 256 * 256 * 3 * 4
    assert any("the data are not known" in said for said in row["assumptions"])


def test_true_is_a_batch_of_one(run: Run, here: Path) -> None:
    (row,) = told(run, here, FIT.replace("batch_size=512", "batch_size=True"))
    assert row["batch_size"] == 1 and row["batch_size"] is not True


def test_what_is_not_known_for_one_call_is_told_once(run: Run, here: Path) -> None:
    (here / "net.py").write_text("""\
import numpy as np
import keras
from mine import Mystery

inputs = keras.Input((8,))
net = keras.Model(inputs, keras.layers.Dense(2)(Mystery(5)(inputs)))
net.compile("sgd", "mse")
net.fit(np.zeros((64, 8)), np.zeros((64, 2)))
""")
    text = run("memory", "net.py").stdout
    assert text.count("mine.Mystery") == 1 and text.endswith(") (the model's outputs, its weights)\n")


@pytest.mark.parametrize("given", [("--input", "32x32x3"), ()])
def test_a_sequential_model_that_nothing_calls_is_told_too(run: Run, here: Path, given: tuple[str, ...]) -> None:
    """For the input that is given, or for an image, as one that says what it takes."""
    text = "from keras import Input, Sequential, layers\nnet = Sequential([layers.Conv2D(8, 3), layers.Flatten()])\n"
    shape = (32, 32, 3) if given else (224, 224, 3)
    known = told(run, here, text.replace("Sequential([", f"Sequential([Input({shape}), "))
    assert [row["bytes"] for row in told(run, here, text, *given)] == [row["bytes"] for row in known]
    assert [row["method"] for row in known] == ["predict", "fit"]


def test_where_nothing_can_be_followed_it_is_told_what_may_help(run: Run, here: Path) -> None:
    (here / "net.py").write_text("import keras\nnet = keras.Sequential([keras.layers.Dense(4)])\n")
    assert "--input 224x224x3 would be fed" in run("memory", "net.py").stderr
    assert run("memory", "net.py", "--input", "8").stdout.count("weights 144 B") == 2


NOTHING_KNOWN = """import sys
import keras
import numpy as np
from keras import layers

x, y = np.load(sys.argv[1]), np.load(sys.argv[2])
model = keras.Sequential([layers.Conv2D(32, 3), layers.GlobalAveragePooling2D(), layers.Dense(10)])
model.compile("adam", "mse")
model.fit(x, y)
"""


def test_where_nothing_is_known_no_table_says_that_all_fits(run: Run, here: Path) -> None:
    (here / "net.py").write_text(NOTHING_KNOWN)
    said = run("memory", "net.py", "--gpu", "all", "--batch-size", "4,8", "--timeline").stdout
    assert "what it needs is not known" in said and "fits: not known" in said
    assert "may fit" not in said and "peak of" not in said
    (row, _) = told(run, here, NOTHING_KNOWN, "--batch-size", "4,8")
    assert row["lower_bound"] and row["largest_batch_size"] is None
