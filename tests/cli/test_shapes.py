"""`cudnnlint shapes` prints models as people read them, and takes what the source leaves open."""

from __future__ import annotations

import ast
import json
import re
from pathlib import Path

import pytest

from cudnnlint.engine.tables import rows as table_rows
from tests.cli.conftest import Run

NET = """\
import keras
from keras import layers


class Block(layers.Layer):
    def __init__(self, filters):
        super().__init__()
        self.conv = layers.Conv2D(filters, 3, padding="same")
        self.norm = layers.BatchNormalization()

    def build(self, shape):
        self.scale = self.add_weight(shape=(1,))

    def call(self, x):
        return self.norm(self.conv(x)) * self.scale


class Net(keras.Model):
    def __init__(self, classes=10):
        super().__init__()
        self.blocks = [Block(filters) for filters in (8, 16)]
        self.pool = layers.GlobalAveragePooling2D()
        self.heads = {"a": layers.Dense(classes), "b": layers.Dense(2)}

    def call(self, x):
        for block in self.blocks:
            x = block(x)
        x = self.pool(x)
        return self.heads["a"](x), self.heads["b"](x)
"""
CALLED = NET + "\nnet = Net()\nout = net(keras.Input((64, 64, 3)))\n"
TABLE = """\
net: subclassed model Net, net.py:31, [B, 64, 64, 3] -> [B, 10], [B, 2]

  layer                          at         input              output           dtype    parameters
  blocks[0] (Block)              net.py:21  [B, 64, 64, 3]  -> [B, 64, 64, 8]   float32         257
    conv (Conv2D)                net.py:8   [B, 64, 64, 3]  -> [B, 64, 64, 8]   float32         224
    norm (BatchNormalization)    net.py:9   [B, 64, 64, 8]  -> [B, 64, 64, 8]   float32          32
  blocks[1] (Block)              net.py:21  [B, 64, 64, 8]  -> [B, 64, 64, 16]  float32       1,233
    conv (Conv2D)                net.py:8   [B, 64, 64, 8]  -> [B, 64, 64, 16]  float32       1,168
    norm (BatchNormalization)    net.py:9   [B, 64, 64, 16] -> [B, 64, 64, 16]  float32          64
  pool (GlobalAveragePooling2D)  net.py:22  [B, 64, 64, 16] -> [B, 16]          float32           0
  heads['a'] (Dense)             net.py:23  [B, 16]         -> [B, 10]          float32         170
  heads['b'] (Dense)             net.py:23  [B, 16]         -> [B, 2]           float32          34

  total          1,694 parameters  6.62 KiB
  trainable      1,646 parameters  6.43 KiB
  non-trainable     48 parameters  192 B
"""


def printed(run: Run, here: Path, text: str, *options: str) -> str:
    (here / "net.py").write_text(text)
    result = run("shapes", "net.py", *options)
    assert (result.exit_code, result.stderr) == (0, "")
    return str(result.stdout)


def test_a_subclassed_model_is_printed_with_what_it_is_made_of(run: Run, here: Path) -> None:
    assert printed(run, here, CALLED) == TABLE


def test_models_that_nothing_calls_take_the_inputs_of_the_command_line(run: Run, here: Path) -> None:
    fed = printed(run, here, NET, "--input", "64x64x3", "--batch-size", "32")
    assert "[32, 64, 64, 3] -> [32, 10], [32, 2]" in fed
    assert "total          1,694 parameters" in fed
    assert printed(run, here, NET, "--model", "Net", "--input", "64,64,3").count("1,694") == 1


def test_a_model_whose_call_is_asked_for_directly_is_given_none(run: Run, here: Path) -> None:
    text = printed(run, here, NET + "import keras\nx = keras.Input((64, 64, 3))\nnet = Net()\n"
                                    "keras.Model(x, net.call(x))\n")
    assert "assumes" not in text
    assert "[B, 64, 64, 3]" in text


def test_a_model_of_images_that_nothing_calls_is_given_one_that_is_assumed(run: Run, here: Path) -> None:
    text = printed(run, here, NET + "net = Net()\n")
    assert "[B, 224, 224, 3] -> [B, 10], [B, 2]" in text
    assert "assumes: input 224x224x3 (nothing calls the model; --input gives another)" in text
    assert "total          1,694 parameters" in text
    fed = printed(run, here, NET + "net = Net()\nnet.compile('sgd', 'mse')\nnet.fit(open('x').read())\n")
    assert "assumes" not in fed
    named = printed(run, here, NET.replace("        self.pool", "        self.in_size = (32, 48)\n        self.pool")
                    + "net = Net()\n")
    assert "assumes: input 32x48x3 (what the model keeps as its input size; --input gives another)" in named


RESNET = """\
from tensorflow import keras

class Net(keras.Model):
    def __init__(self, blocks):
        super().__init__()
        self.in_channels = 16
        self.stem = keras.layers.Conv2D(16, 3, padding="same")
        self.blocks = [self.block(16 * 2 ** i) for i in range(blocks)]

    def block(self, width):
        self.in_channels = width
        return keras.layers.Conv2D(width, 3, strides=2, padding="same")

    def call(self, x):
        x = self.stem(x)
        for block in self.blocks:
            x = block(x)
        return x

def small():
    return Net(2)
"""


def test_a_model_that_nothing_calls_takes_what_another_of_its_class_takes(run: Run, here: Path) -> None:
    text = printed(run, here, RESNET + "net = Net(3)\nnet(keras.Input((32, 48, 3)))\n")
    assert "[B, 32, 48, 3] -> [B, 4, 6, 64]" in text
    assert "[B, 32, 48, 3] -> [B, 8, 12, 32]" in text
    assert "assumes: input 32x48x3 (what another Net is called on; --input gives another)" in text


def test_the_channels_that_blocks_count_are_not_those_of_the_input(run: Run, here: Path) -> None:
    text = printed(run, here, RESNET + "net = Net(2)\n")
    assert "assumes: input 224x224x3 (nothing calls the model; --input gives another)" in text
    assert "[B, 224, 224, 3] -> [B, 56, 56, 32]" in text


def test_a_sequential_that_was_called_is_given_nothing_more(run: Run, here: Path) -> None:
    """Not even where the model that it is part of is not known as a whole."""
    text = printed(run, here, """\
import os
from tensorflow import keras
stem = keras.Sequential([keras.layers.Conv2D(4, 4, strides=4)])
inputs = keras.Input((32, 32, 3))
x = stem(inputs)
block = keras.layers.ReLU() if os.cpu_count() > 4 else keras.layers.Activation("gelu")
model = keras.Model(inputs, block(x))
""")
    assert "[B, 32, 32, 3] -> [B, 8, 8, 4]" in text and "224" not in text


def test_a_sequential_that_was_called_on_something_unknown_is_given_no_image(run: Run, here: Path) -> None:
    """That nothing calls it would be wrong."""
    (here / "asked.py").write_text(
        "import sys, keras\n"
        "net = keras.Sequential([keras.layers.Conv2D(8, 3, strides=2), keras.layers.BatchNormalization()])\n"
        "y = net(load(sys.argv[1]))\n")
    shown = run("shapes", "asked.py").stdout
    assert "Conv2D" in shown
    assert "224" not in shown


def test_a_model_that_its_own_train_step_takes_apart_is_given_no_image(run: Run, here: Path) -> None:
    """What its layers take is what that step feeds them; its call() is never entered."""
    text = printed(run, here, """\
import numpy as np, tensorflow as tf
from tensorflow import keras
class Contrastive(keras.Model):
    def __init__(self):
        super().__init__()
        self.encoder = keras.layers.Conv2D(8, 3, strides=2)
        self.probe = keras.layers.Dense(10)
    def call(self, x):
        return self.probe(self.encoder(x))
    def train_step(self, data):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(self.encoder(data) ** 2)
        variables = self.encoder.trainable_variables
        self.optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables))
        return {"loss": loss}
model = Contrastive()
model.compile("adam")
model.fit(np.zeros((60, 24, 24, 3), "float32"), batch_size=20)
""")
    assert "24, 24, 3] -> [B, 11, 11, 8]" in text
    assert "224, 224" not in text


def test_of_models_that_a_call_makes_those_that_are_called_tell_what_the_others_take(run: Run, here: Path) -> None:
    (here / "popped.py").write_text(
        "import keras\n"
        "def heads():\n"
        "    return [keras.Sequential([keras.layers.Conv2D(n, 1)]) for n in (4, 8)]\n"
        "kept, dropped = heads()\n"
        "y = kept(keras.Input((4, 4, 16)))\n")
    shown = run("shapes", "popped.py").stdout
    assert "[B, 4, 4, 16] -> [B, 4, 4, 4]" in shown
    assert "224" not in shown


def test_all_variants_of_a_model_that_one_call_makes_are_given_an_image(run: Run, here: Path) -> None:
    text = printed(
        run, here,
        "import keras\n"
        "class Net(keras.Model):\n"
        "    def __init__(self, filters):\n"
        "        super().__init__()\n"
        "        self.convolution = keras.layers.Conv2D(filters, 3, padding='same')\n"
        "    def call(self, x):\n"
        "        return self.convolution(x)\n"
        "def build(filters):\n"
        "    return Net(filters)\n"
        "small, large = build(8), build(16)\n")
    assert "[B, 224, 224, 3] -> [B, 224, 224, 8]" in text
    assert "[B, 224, 224, 3] -> [B, 224, 224, 16]" in text


def test_a_none_beside_a_tensor_is_no_output_whatever_the_input_rests_on(run: Run, here: Path) -> None:
    (here / "last.py").write_text(
        "import keras\n"
        "class Last(keras.layers.Layer):\n"
        "    def call(self, x):\n"
        "        return keras.ops.relu(x), None\n"
        "class Net(keras.Model):\n"
        "    def __init__(self, in_size=(8, 8)):\n"
        "        super().__init__()\n"
        "        self.in_size = in_size\n"
        "        self.first = keras.layers.Conv2D(4, 3, padding='same')\n"
        "        self.last = Last()\n"
        "    def call(self, x):\n"
        "        x, rest = self.last(self.first(x))\n"
        "        return x\n"
        "net = Net()\n")
    rows = json.loads(run("shapes", "--output-format", "json", "last.py").stdout)["layers"]
    assert [row["output_shape"] for row in rows if row["layer"] == "Last"] == [[None, 8, 8, 4]]


def test_tensors_of_which_nothing_is_known_are_not_told_as_the_shape_of_one(run: Run, here: Path) -> None:
    (here / "open.py").write_text(
        "import sys, keras\n"
        "class Two(keras.layers.Layer):\n"
        "    def call(self, x):\n"
        "        return [x, x]\n"
        "y = Two()(keras.Input(load(sys.argv[1])))\n")
    rows = json.loads(run("shapes", "open.py", "--output-format", "json").stdout)["layers"]
    assert [row["output_shape"] for row in rows if row["layer"] == "Two"] == [None]


def test_what_a_functional_model_keeps_once_it_is_made_counts(run: Run, here: Path) -> None:
    """The encoder has a layer that is on no way to the outputs; Keras tracks it by the attribute."""
    (here / "kept.py").write_text(
        "import keras\n"
        "class Net(keras.Model):\n"
        "    def __init__(self):\n"
        "        x = keras.Input((8,))\n"
        "        y = keras.layers.Dense(4)(x)\n"
        "        encoder = keras.Model(x, keras.layers.BatchNormalization()(y))\n"
        "        super().__init__(x, keras.layers.Dense(2)(y))\n"
        "        self.encoder = encoder\n"
        "net = Net()\n")
    rows = json.loads(run("shapes", "kept.py", "--output-format", "json").stdout)["layers"]
    assert [row["params"] for row in rows if row["line"] == 9] == [36 + 16 + 10]


def test_what_a_model_is_trained_on_does_not_change_what_it_was_built_for(run: Run, here: Path) -> None:
    (here / "train.py").write_text(
        "import keras\nimport numpy as np\n\n"
        "words = keras.Input((None,))\n"
        "features = keras.layers.Embedding(100, 8)(words)\n"
        "model = keras.Model(words, keras.layers.Dense(1)(keras.layers.LSTM(4)(features)))\n"
        "model.compile('adam', 'mse')\nmodel.fit(np.zeros((64, 10)), np.zeros((64, 1)))\n")
    told = json.loads(run("shapes", "train.py", "--output-format", "json").output)
    assert [row["output_shape"] for row in told["layers"] if row["layer"] == "Embedding"] == [[None, None, 8]]
    assert [row["output_shape"] for row in told["fed"] if row["layer"] == "Embedding"] == [[None, 10, 8]]
    text = run("shapes", "train.py").output
    assert "[B, None, 8]" in text and "10, 8]" not in text


def test_weights_that_only_some_paths_add_are_not_counted(run: Run, here: Path) -> None:
    text = printed(run, here, """\
import os
from tensorflow import keras
class Scale(keras.layers.Layer):
    def build(self, shape):
        self.scale = self.add_weight(name="scale", shape=(shape[-1],))
        if os.cpu_count() > 4:
            self.offset = self.add_weight(name="offset", shape=(shape[-1],))
    def call(self, x):
        return x * self.scale
inputs = keras.Input((3,))
model = keras.Model(inputs, Scale()(inputs))
""")
    assert "total          at least 3 parameters" in text
    assert "not counted: Scale: variables is [?]: other weights between paths" in text


def test_weights_beside_those_of_the_layer_that_is_extended_count(run: Run, here: Path) -> None:
    text = printed(run, here, """\
from tensorflow import keras
class Scaled(keras.layers.Dense):
    def build(self, shape):
        super().build(shape)
        self.gain = self.add_weight(name="gain", shape=(self.units,))
inputs = keras.Input((3,))
model = keras.Model(inputs, Scaled(4)(inputs))
""")
    assert "total          20 parameters" in text


def test_any_other_model_that_nothing_calls_says_so(run: Run, here: Path) -> None:
    text = printed(run, here, NET.replace("for block in self.blocks", "for block in ()") + "net = Net()\n")
    assert "note: never called: --input gives it an input" in text
    assert "not counted: Dense is never built" in text


AUXILIARY = """\
import tensorflow as tf

class Head(tf.keras.Model):
    def __init__(self):
        super().__init__()
        self.scale = self.add_weight(shape=(2,))
        self.scores = tf.keras.Sequential([tf.keras.layers.Dense(5)])
        self.norm = Norm()
    def call(self, x):
        return self.norm(self.scores(x))

class Norm(tf.keras.layers.BatchNormalization):
    def build(self, shape):
        super().build(shape)

class Net(tf.keras.Model):
    def __init__(self):
        super().__init__()
        self.dense = tf.keras.layers.Dense(4)
        self.auxiliary = Head()
    def call(self, x, training=False):
        x = self.dense(x)
        return (x, self.auxiliary(x)) if training else x

net = Net()
net(tf.zeros((2, 3)))
"""


def test_parts_that_a_followed_call_leaves_out_have_what_their_constructor_made(run: Run, here: Path) -> None:
    assert "total          18 parameters" in printed(run, here, AUXILIARY)
    assert "total          63 parameters" in printed(run, here, AUXILIARY.replace("3)))", "3)), training=True)"))


BUILDERS = """\
import argparse
import keras
from keras import layers

parser = argparse.ArgumentParser()
parser.add_argument("--size", type=int, default=16)
args = parser.parse_args()


def small(size, width=4):
    inputs = keras.Input((size, size, 3))
    x = layers.Flatten()(inputs)
    return keras.Model(inputs, layers.Dense(width)(x), name="tiny")


def head(x, classes):
    return layers.Dense(classes)(x)


first = small(args.size)
second = small(args.size)
third = small(8, width=2)
"""


def test_models_made_alike_by_a_helper_are_told_once_and_others_apart(run: Run, here: Path) -> None:
    text = printed(run, here, BUILDERS)
    assert [line for line in text.splitlines() if "functional model" in line] == [
        "tiny: functional model (2 alike), net.py:13, [B, 16, 16, 3] -> [B, 4]",
        "tiny: functional model, net.py:13, [B, 8, 8, 3] -> [B, 2]"]
    assert text.count("assumes: size = 16 (default of --size, line 6)") == 1


def test_a_model_can_be_asked_for_by_function_variable_or_name(run: Run, here: Path) -> None:
    assert "[B, 8, 8, 3] -> [B, 2]" in printed(run, here, BUILDERS, "--model", "third")
    assert "[B, 16, 16, 3]" not in printed(run, here, BUILDERS, "--model", "third")
    assert printed(run, here, BUILDERS, "--model", "tiny") == printed(run, here, BUILDERS, "--model", "small")
    fresh = printed(run, here, BUILDERS, "--model", "small", "--input", "32x32x1")
    assert fresh.startswith("tiny: functional model, net.py:13, [B, 32, 32, 3] -> [B, 4]\n")
    assert "assumes: width = 4 (default of small, line 10)" in fresh


def test_a_function_of_tensors_gets_them_and_its_layers_stand_under_it(run: Run, here: Path) -> None:
    text = printed(run, here, BUILDERS, "--model", "head", "--input", "64")
    assert text.startswith("in head(), net.py:16: layers of no model\n")
    assert "[B, 64] -> [B, ?]" in text
    assert "features unknown: parameter classes" in text


@pytest.mark.parametrize(("options", "told"), [
    (["--input", "224xfoo"], '"224xfoo" is not like 224x224x3'),
    (["--input", "0x3"], '"0x3" is not like 224x224x3'),
    (["--batch-size", "0"], "0 is not in the range"),
    (["--model", "smal"], 'no model, function or class "smal", did you mean "small"?'),
    (["--annotate", "--output-format", "json"], "exclude each other"),
])
def test_wrong_values_are_one_line_and_exit_code_2(run: Run, here: Path, options: list[str], told: str) -> None:
    (here / "net.py").write_text(BUILDERS)
    result = run("shapes", "net.py", *options)
    assert (result.exit_code, result.stdout) == (2, "")
    assert told in result.stderr and result.stderr.count("\n") == 1


def test_an_input_that_nothing_takes_is_said(run: Run, here: Path) -> None:
    (here / "net.py").write_text(BUILDERS + "\n\ndef load(path):\n    return path\n")
    result = run("shapes", "net.py", "--model", "load", "--input", "8")
    assert "--input is not used: no parameter of load takes a shape or a tensor" in result.stderr


def test_what_is_not_known_says_why_and_totals_are_lower_bounds(run: Run, here: Path) -> None:
    text = printed(run, here, "import os\nimport keras\nfrom keras import layers\n\n"
                   'x = i = keras.Input((8,))\nx = layers.Dense(int(os.environ["WIDTH"]))(x)\n'
                   "model = keras.Model(i, layers.Dense(3)(x))\n")
    assert "    ^ features unknown: 'WIDTH' from os.environ\n" in text
    assert "total          at least 3 parameters" in text
    assert "non-trainable" not in text


def test_a_layer_of_a_library_that_is_not_followed_leaves_no_total(run: Run, here: Path) -> None:
    text = printed(run, here, "import keras, other\nfrom keras import layers\n\ni = keras.Input((8,))\n"
                   "x = other.Norm()(layers.Dense(4)(i))\n"
                   "model = keras.Model(i, layers.Add()([x, layers.Dense(4)(i)]))\n")
    assert "total          at least 36 parameters" in text
    assert "Add         net.py:6  ?, [B, 4] -> [...]" in text
    assert "not counted: what comes from call of other" in text


@pytest.mark.parametrize("output", ["elsewhere.Head()(x)", "elsewhere.Net(3).output"])
def test_of_a_package_that_is_not_there_it_is_said_how_it_is_read(run: Run, here: Path, output: str) -> None:
    site = here / "env" / "lib" / "python3.12" / "site-packages"
    site.mkdir(parents=True)
    (site / "there.py").write_text("import unheard\n")
    text = f"import keras\nimport elsewhere\n\nx = keras.Input((3,))\nmodel = keras.Model(x, {output})\n"
    (here / "net.py").write_text(text)
    (here / "other.py").write_text(text.replace("elsewhere", "there"))
    hint = "is not read: --python names an environment that has it)"
    assert f"(elsewhere {hint}" in run("shapes", "net.py").stdout
    assert f"(elsewhere {hint}" in run("shapes", "--python", "env", "net.py").stdout
    assert hint not in run("shapes", "--python", "env", "other.py").stdout


def test_a_layer_that_fails_says_so_in_its_place(run: Run, bad: str) -> None:
    text = run("shapes", bad).stdout
    assert text.startswith("at the top level, bad.py: layers of no model\n")
    assert '    ^ fails: height and width 3 -> -1 with kernel_size 5, padding "valid"\n' in text


SHARED = """\
import keras
from keras import layers

shared = layers.Dense(8, name="tower")
a, b = keras.Input((5,)), keras.Input((5,))
backbone = keras.Sequential([keras.Input((8,)), layers.Dense(8)])
backbone.trainable = False
y = layers.Subtract()([shared(a), shared(b)])
siamese = keras.Model([a, b], backbone(y * 2.0))
"""


def test_shared_frozen_and_nested_layers(run: Run, here: Path) -> None:
    text = printed(run, here, SHARED)
    table = text[text.index("siamese"):]
    assert "tower (Dense) x2       net.py:4  [B, 5]     -> [B, 8]  float32          48\n" in table
    assert "\n  *                      net.py:9  [B, 8]     -> [B, 8]" in table
    assert [line.split()[0] for line in table.splitlines() if line.endswith("frozen")] == ["backbone", "Dense"]
    assert "total          120 parameters" in table and "trainable       48 parameters" in table


def test_annotations_leave_the_code_as_it_is(run: Run, here: Path) -> None:
    text = printed(run, here, CALLED, "--annotate")
    assert ast.dump(ast.parse(text)) == ast.dump(ast.parse(CALLED))
    assert all(line.startswith(code) for line, code in zip(text.splitlines(), CALLED.splitlines(), strict=True))
    commented = [line for line in text.splitlines() if "  # " in line]
    comments = {line.partition("  #")[0].strip(): line.partition("# ")[2] for line in commented}
    assert comments["x = block(x)"] == "float32[B, 64, 64, 8] | float32[B, 64, 64, 16]"
    assert comments["net = Net()"] == "[B, 64, 64, 3] -> [B, 10], [B, 2], 1,694 parameters"
    assert comments['return self.heads["a"](x), self.heads["b"](x)'] == "float32[B, 10], float32[B, 2]"
    assert len({line.index("# ") for line in commented}) == 1


def test_annotations_stay_out_of_strings_and_continued_lines(run: Run, here: Path) -> None:
    source = 'import keras\n\nx = keras.Input((8,), name="""a\nb""")\ny = \\\n    keras.layers.Dense(2)(x)\n'
    text = printed(run, here, source, "--annotate")
    assert ast.dump(ast.parse(text)) == ast.dump(ast.parse(source))
    assert "b\"\"\")  " in text and "Dense(2)(x)  " in text


def test_the_batch_is_printed_as_it_is_given(run: Run, here: Path) -> None:
    text = printed(run, here, CALLED, "--annotate", "--batch-size", "7")
    assert "float32[7, 64, 64, 8]" in text and "[B," not in text
    rows = json.loads(printed(run, here, CALLED, "--output-format", "json", "--batch-size", "7"))["layers"]
    assert {row["output_shape"][0] for row in rows if row["layer"] != "Net"} == {7}


def test_a_call_on_a_batch_of_its_own_size_tells_that_size(run: Run, here: Path) -> None:
    source = "import keras\nimport numpy as np\n\nhead = keras.layers.Dense(3)\nhead(np.zeros((2, 5)))\n"
    for options, batch in ((), "B"), (("--batch-size", "7"), "7"):
        _, _, _, made, called = printed(run, here, source, "--annotate", *options).splitlines()
        assert made.endswith(f"# float32[{batch}, 3]") and called.endswith("# float32[2, 3]")


def test_a_model_of_keras_applications_stands_for_itself(run: Run, here: Path) -> None:
    source = "import keras\n\nmodel = keras.applications.MobileNetV2(weights=None)\n"
    text = printed(run, here, source)
    assert "[B, 224, 224, 3] -> [B, 1000]" in text and "total          3,538,984 parameters" in text
    assert "# [B, 224, 224, 3] -> [B, 1000], 3,538,984 parameters" in printed(run, here, source, "--annotate")
    assert {"weights 13.5 MiB"} == set(re.findall("weights [0-9.]+ MiB", run("memory", "net.py").stdout))


def test_notebooks_are_told_by_cell(run: Run, here: Path) -> None:
    cells = [{"cell_type": "code", "source": "import keras\n%matplotlib inline"},
             {"cell_type": "markdown", "source": "# text"},
             {"cell_type": "code", "source": "model = keras.Sequential([\n    keras.Input((8,)),\n"
                                             "    keras.layers.Dense(4)])"}]
    (here / "nb.ipynb").write_text(json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}))
    assert "Dense  nb.ipynb:cell 3:3  [B, 8] -> [B, 4]" in run("shapes", "nb.ipynb").stdout
    lines = run("shapes", "nb.ipynb", "--annotate").stdout.splitlines()
    assert [line for line in lines if line.startswith("# %%")] == ["# %% cell 1", "# %% cell 3"]
    assert "%matplotlib inline" in lines
    assert lines[-1].endswith("# [B, 8] -> [B, 4], 36 parameters")


def test_colour_changes_nothing_but_the_style(run: Run, here: Path) -> None:
    from rich.text import Text

    plain = printed(run, here, CALLED)
    coloured = printed(run, here, CALLED, "--color")
    assert "\x1b[" in coloured and "\x1b[" not in plain
    assert [line.rstrip() for line in Text.from_ansi(coloured).plain.splitlines()] == plain.splitlines()


def test_json_is_the_same_with_or_without_the_other_options(run: Run, here: Path) -> None:
    rows = json.loads(printed(run, here, CALLED, "--output-format", "json"))["layers"]
    assert rows[0] == {"path": "net.py", "line": 8, "column": 21, "layer": "Conv2D", "input_shape": [None, 64, 64, 3],
                       "output_shape": [None, 64, 64, 8], "dtype": "float32", "params": 224}
    assert rows[-1]["layer"] == "Net" and rows[-1]["params"] == 1694
    asked = json.loads(printed(run, here, BUILDERS, "--output-format", "json", "--model", "third"))["layers"]
    assert [row["output_shape"] for row in asked] == [[None, 192], [None, 2], [None, 2]]


def test_layers_without_variables_count_nothing_even_if_nothing_calls_them(run: Run, here: Path) -> None:
    text = printed(run, here, "import keras\nfrom keras import layers\n\n\nclass Net(keras.Model):\n"
                   "    def __init__(self):\n        super().__init__()\n        self.dense = layers.Dense(2)\n"
                   "        self.relu = layers.ReLU()\n\n    def call(self, x):\n        return self.dense(x)\n\n\n"
                   "net = Net()\nnet(keras.Input((4,)))\n")
    assert "relu (ReLU)    net.py:9            never called                    0\n" in text
    assert "total          10 parameters" in text


def test_a_file_asked_for_by_name_need_not_name_a_framework(run: Run, here: Path) -> None:
    (here / "nets.py").write_text(NET)
    assert "total          1,694 parameters" in printed(run, here, "import nets\n\nmodel = nets.Net()\n")


@pytest.mark.parametrize("options", [["shapes"], ["shapes", "--annotate"], ["shapes", "--output-format", "json"],
                                     ["memory"]])
def test_a_named_file_that_cannot_be_read_is_told_and_others_go_on(run: Run, here: Path, options: list[str]) -> None:
    (here / "broken.py").write_text("import keras\nx = (\n")
    (here / "net.py").write_text("import keras\nm = keras.Sequential([keras.Input((8,)), keras.layers.Dense(3)])\n")
    result = run(*options, "broken.py", "net.py")
    assert (result.exit_code, result.stderr) == (2, "cudnnlint: error: broken.py:2:5: '(' was never closed\n")
    assert "ense" in result.stdout
    of_directory = run(*options, ".")
    assert (of_directory.exit_code, of_directory.stderr) == (0, "")


def test_a_layer_class_that_is_asked_for_is_called(run: Run, here: Path) -> None:
    (here / "net.py").write_text("""\
import keras

class Block(keras.layers.Layer):
    def __init__(self, filters=4):
        super().__init__()
        self.conv = keras.layers.Conv2D(filters, 3)

    def call(self, x):
        return self.conv(x)
""")
    assert "[B, 8, 8, 3] -> [B, 6, 6, 4]" in run("shapes", "net.py", "--model", "Block", "--input", "8x8x3").stdout


def test_a_table_that_is_too_long_leaves_out_what_is_within(run: Run, here: Path,
                                                            monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(table_rows, "MOST_ROWS", 3)
    (here / "net.py").write_text("import keras\nx = keras.Input((8,))\nm = keras.Model(x, keras.layers.Dense(8)(x))\n"
                                 + "m = keras.Sequential([m, m])\n" * 3)
    lines = run("shapes", "net.py").stdout.splitlines()
    last = lines[max(place for place, line in enumerate(lines) if "model, net.py:6" in line):]
    assert any("what is within is not shown" in line for line in last)
    assert sum("Dense" in line for line in last) == 1, "the first one is reached, the others are left out"


def test_layers_of_a_model_that_a_library_makes_are_not_told_as_if_they_stood_there(run: Run) -> None:
    Path("net.py").write_text(
        "from tensorflow import keras\n"
        "inner = keras.applications.MobileNetV2(weights=None, include_top=False)\n"
        "model = keras.Sequential([keras.Input((96, 96, 3)), inner, keras.layers.GlobalAveragePooling2D()])\n")
    rows = json.loads(run("shapes", "--output-format", "json", "net.py").stdout)["layers"]
    assert [(row["line"], row["layer"], row["output_shape"]) for row in rows] == [
        (2, "Functional", [None, None, None, 1280]), (2, "Functional", [None, 3, 3, 1280]),
        (3, "GlobalAveragePooling2D", [None, 1280])]


def test_nor_are_they_where_a_model_is_made_of_some_of_them(run: Run) -> None:
    Path("net.py").write_text(
        "import tensorflow as tf\n"
        "whole = tf.keras.applications.VGG19(weights=None, include_top=False)\n"
        "taps = [whole.get_layer(name).output for name in ('block1_conv1', 'block2_conv2')]\n"
        "features = tf.keras.Model(whole.input, taps)\n"
        "y = features(tf.zeros((1, 64, 64, 3)))\n")
    rows = json.loads(run("shapes", "--output-format", "json", "net.py").stdout)["layers"]
    assert [(row["line"], row["output_shape"]) for row in rows] == [
        (2, [None, None, None, 512]), (4, [[None, None, None, 64], [None, None, None, 128]]),
        (4, [[None, 64, 64, 64], [None, 32, 32, 128]])]
