"""Claims about whole models: what is built again of them, and what stands in."""

from __future__ import annotations

import json
from typing import Any

from cudnnlint.engine.settings.declared import Settings
from cudnnlint.engine.single import check_source
from cudnnlint.finding import Claim
from cudnnlint.source import Source
from cudnnlint.values import Stack

HEAD = "import keras\nimport numpy as np\nimport tensorflow as tf\nfrom keras import layers\n"
STATEFUL = """\
x = keras.Input((6, 3), batch_size=4)
y = layers.LSTM(5, stateful=True)(x)
model = keras.Model(x, layers.Dense(2)(y))
model.compile(keras.optimizers.Adam(learning_rate=0.1), "mae")
model.fit(np.zeros((10, 6, 3)), np.zeros((10, 2)), batch_size=4)
"""
BLOCK = """\
class Block(layers.Layer):
    def __init__(self):
        super().__init__()
        self.one, self.two = layers.Dense(3), layers.Dense(3)
    def call(self, x):
        return tf.nn.relu(tf.concat([self.one(x), self.two(x)], -1))
"""


def claim(code: str, rule: str) -> Claim:
    """Of the finding of one rule in some code."""
    found = [each for each in check_source(Source.from_text("m.py", HEAD + code), Settings(), Stack())
             if each.rule == rule]
    assert len(found) == 1 and found[0].claim is not None, found
    return found[0].claim


def facts(code: str, rule: str) -> dict[str, Any]:
    return dict(claim(code, rule).facts)


def test_a_model_is_claimed_layer_by_layer_with_its_optimizer_and_loss() -> None:
    told = facts(STATEFUL, "stateful-uneven-batch")
    assert [each["layer"] for each in told["graph"]["layers"]] == ["keras.layers.LSTM", "keras.layers.Dense"]
    assert [sorted(node) for node in told["graph"]["nodes"]] == [["input"], *[["args", "kwargs", "use"]] * 2]
    assert told["inputs"] == [{"shape": [4, 6, 3], "dtype": "float32"}]
    assert told["optimizer"] == {"name": "Adam", "arguments": {"learning_rate": 0.1}}
    assert told["losses"] == [["mean_absolute_error", False]] and told["arguments"] == {"batch_size": 4}
    assert json.loads(json.dumps(told["graph"])) == told["graph"]


def test_many_rows_are_cut_to_two_batches_and_what_is_left() -> None:
    told = facts(STATEFUL.replace("10,", "4001,"), "stateful-uneven-batch")
    assert told["x"] == [{"shape": [9, 6, 3], "dtype": "float32"}]


def test_layers_of_the_program_are_taken_apart_into_what_they_call() -> None:
    code = BLOCK + STATEFUL.replace("layers.Dense(2)(y)", "Block()(layers.Reshape((5,))(y))").replace("10, 2", "10, 6")
    told = facts(code, "stateful-uneven-batch")
    called = [node.get("function") or told["graph"]["layers"][node["use"]]["layer"].rpartition(".")[2]
              for node in told["graph"]["nodes"][1:]]
    assert called == ["LSTM", "Reshape", "Dense", "Dense", "tensorflow.concat", "tensorflow.nn.relu"]
    assert told["notes"] == ["layers of the program's own are taken apart"]


def test_one_layer_that_is_applied_twice_is_one_layer() -> None:
    code = STATEFUL.replace("layers.Dense(2)(y)", "d(d(y))").replace("y =", "d = layers.Dense(5)\ny =")
    told = facts(code, "stateful-uneven-batch")
    assert len(told["graph"]["layers"]) == 2 and [node.get("use") for node in told["graph"]["nodes"]] == [None, 0, 1, 1]


def test_states_that_a_layer_hands_on_are_parts_of_what_it_gives() -> None:
    code = STATEFUL.replace("stateful=True)(x)", "stateful=True, return_state=True)(x)[1]")
    assert facts(code, "stateful-uneven-batch")["graph"]["nodes"][2]["args"] == [{"node": 1, "index": [1]}]


def test_replicas_of_a_strategy_are_part_of_the_claim() -> None:
    told = facts("""\
s = tf.distribute.MirroredStrategy(["GPU:0", "GPU:1", "GPU:2"])
with s.scope():
    model = keras.Sequential([keras.Input((4,)), layers.Dense(2)])
    model.compile("sgd", "mse")
model.fit(np.zeros((8, 4)), np.zeros((8, 2)), batch_size=4)
""", "indivisible-global-batch")
    assert told["replicas"] == 3 and told["x"][0]["shape"] == [8, 4]


def test_a_model_with_code_of_the_program_says_why_it_is_not_rebuilt() -> None:
    code = STATEFUL.replace("layers.Dense(2)(y)", "layers.Dense(2, activation=lambda a: a)(y)")
    assert facts(code, "stateful-uneven-batch")["reason"] == "activation is code of the user's"


def test_an_argument_that_a_method_of_a_model_does_not_take_is_claimed() -> None:
    code = "keras.Sequential([keras.Input((4,)), layers.Dense(2)]).compile('sgd', 'mse', optimiser=3)"
    told = claim(code, "unknown-layer-argument")
    assert told.kind == "argument" and dict(told.facts)["name"] == "keras.Model.compile"
    assert dict(told.facts)["argument"] == "optimiser"


def test_a_layer_of_keras_2_alone_is_claimed_of_keras_2() -> None:
    told = facts("import os\nos.environ['CUDA_VISIBLE_DEVICES'] = '-1'\nlayers.CuDNNLSTM(3)", "cudnn-layer-on-cpu")
    assert told["stack"]["keras"] == [2] and told["inputs"]["tensor"]["shape"] == [2, 4, 8]
