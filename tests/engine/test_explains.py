"""What a finding says below its message is true: where its numbers come from, what is raised, what helps."""

from __future__ import annotations

import pytest

from cudnnlint.engine import registry
from cudnnlint.engine.settings.declared import Settings
from cudnnlint.engine.single import check_source
from cudnnlint.finding import Finding
from cudnnlint.source import Source
from tests.engine.test_help import the_one

MODEL = "import keras, numpy as np\nfrom keras import Input, Model, Sequential, layers\n"


def texts(program: str) -> dict[int, str]:
    """Line -> what the trace says of it."""
    return {label.span.line: label.text for label in the_one(program).trace}


def found_in(program: str) -> list[Finding]:
    registry.load()
    return list(check_source(Source.from_text("train.py", program), Settings()))


def test_data_and_labels_of_one_line_are_both_told() -> None:
    told = texts(MODEL + """
x = np.zeros((32, 8)); y = np.random.randint(0, 5, 32)
model = Sequential([Input((8,)), layers.Dense(5, activation="softmax")])
model.compile("adam", "categorical_crossentropy")
model.fit(x, y)
""")
    assert told[4] == "float64[32, 8], int64[32]"


def test_of_several_outputs_the_one_that_does_not_fit_is_shown() -> None:
    told = texts(MODEL + """
i = Input((20,))
a = layers.Dense(3, activation="softmax", name="kind")(i)
b = layers.Dense(4, name="box")(i)
model = Model(i, {"kind": a, "box": b})
model.compile("adam", loss={"kind": "sparse_categorical_crossentropy", "box": "mse"})
y = {"kind": np.zeros((64,)), "box": np.zeros((64, 5))}
model.fit(np.zeros((64, 20)), y)
""")
    assert told[6] == "float32[B, 4]"
    assert 5 not in told


def test_the_layer_that_a_batch_of_one_spoils_is_shown() -> None:
    told = texts(MODEL + """
i = Input((4, 4, 3))
x = layers.GlobalAveragePooling2D(keepdims=True)(i)
x = layers.BatchNormalization()(x)
model = Model(i, layers.Flatten()(x))
model.compile("adam", "mse")
model.fit(np.zeros((8, 4, 4, 3)), np.zeros((8, 3)), batch_size=1)
""")
    assert told[6] == "trained on 1 value per channel"


@pytest.mark.parametrize(("program", "help_"), [
    (MODEL + "layers.GRU(8)(layers.Dense(32)(Input((64,))))",
     "bring what the Dense before it gives into shape with Reshape"),
    (MODEL + "layers.MaxPool2D()(layers.Flatten()(Input((8, 8, 3))))",
     "leave out the Flatten before it, or bring what it gives into shape with Reshape"),
    (MODEL + """
a, b = Input((4,)), Input((6,))
model = Model([a, b], layers.Dense(1)(layers.Concatenate()([a, b])))
model.compile("adam", "mse")
model.fit([np.zeros((8, 6)), np.zeros((8, 4))], np.zeros((8, 1)))
""", "give the two inputs in the other order: [B, 4], then [B, 6]"),
    (MODEL + """
model = Sequential([Input((10,)), layers.Dense(1)])
model.compile("adam", "mse")
model.fit(np.zeros((8, 12)), np.zeros((8, 1)))
""", "bring the data to [B, 10], or build the model for [B, 12]"),
    (MODEL + """
model = Sequential([Input((16, 16, 3)), layers.Conv2D(2, 3, activation="softmax")])
model.compile("adam", "categorical_crossentropy")
model.fit(np.zeros((4, 16, 16, 3)), np.zeros((4, 16, 16, 2)))
""", "the output has 14x14 places, the labels have 16x16: let the model restore the size, or make the labels as large "
     "as its output"),
    (MODEL + """
conv = layers.Conv2D(8, 3, data_format="channels_first")
conv.build((None, 3, 32, 32))
conv(np.zeros((1, 32, 32, 3), "float32"))
""", "channels_first reads the channels from axis 1 of the input"),
    (MODEL + "keras.applications.InceptionResNetV2(weights=None, include_top=False, input_tensor=Input((70, 70, 3)))",
     "enlarge the images"),
    ("import tensorflow as tf\nds = tf.data.Dataset.range(10)\npart = ds[:8]",
     "take(n) and skip(n) give parts of it, next(iter(dataset)) is the first one"),
])
def test_what_helps_can_be_done(program: str, help_: str) -> None:
    assert the_one(program).help == help_


@pytest.mark.parametrize(("program", "fails"), [
    (MODEL + 'layers.UpSampling2D(2, interpolation="linear")', "everywhere, when the model runs, not when it is "),
    (MODEL + "print(Sequential([layers.Dense(2)]).count_params())", "everywhere, when it is called: "),
    ("import tensorflow as tf\ntf.zeros(2, tf.float16) / tf.zeros(2)",
     'everywhere, when it runs: TypeError "`x` and `y` must have the same dtype, got tf.float16 != tf.float32"'),
    ("import tensorflow as tf\ntf.one_hot(tf.zeros(2), 3)",
     'everywhere, when it runs: InvalidArgumentError "is not in the list of allowed values" or'),
    ("import tensorflow as tf\ntf.reduce_mean(tf.zeros((2, 3)), 2)",
     'everywhere, when it runs: InvalidArgumentError or in a graph ValueError "Invalid reduction dimension"'),
    ("import keras, numpy as np\nnp.argmax(np.zeros((5, 4)), axis=2)",
     'everywhere, when it runs: AxisError "axis 2 is out of bounds for array of dimension 2"'),
    ("import torch\ntorch.nn.functional.avg_pool1d(torch.zeros(4, 6, 2), 3)",
     'everywhere, when it runs: RuntimeError "Given input size: (6x1x2). Calculated output size: (6x1x0)'),
    ("import torch\ntorch.nn.functional.max_pool1d(torch.zeros(4, 6, 2), 3)",
     'everywhere, when it runs: RuntimeError "max_pool1d() Invalid computed output size: 0"'),
    ("import torch\ntorch.zeros(4, 200).unflatten(1, (3, 8, 8))",
     'everywhere, when it runs: RuntimeError "unflatten: Provided sizes [3, 8, 8] don\'t multiply up to'),
    ("import torch\ntorch.zeros(2, 3).permute(0, 1, 2)",
     'everywhere, when it runs: RuntimeError "number of dimensions in the tensor input does not match'),
    (MODEL + "layers.BatchNormalization()(Input((None,)))",
     'everywhere, when the model is built: ValueError "Shapes used to initialize variables must be fully-defined"'),
])
def test_what_is_raised_is_what_the_library_says(program: str, fails: str) -> None:
    assert the_one(program).fails.startswith(fails)


@pytest.mark.parametrize("call", [
    "model.fit(ds, validation_split=0.2)", "model.fit(ds, None, 32)", "model.fit(ds, y)",
    "model.fit(ds, steps_per_epoch=10, epochs=2)",
])
def test_what_is_wrong_with_data_is_told_without_the_layers(call: str) -> None:
    told = texts(MODEL.replace("np\n", "np, tensorflow as tf\n") + f"""x, y = np.zeros((20, 8)), np.zeros((20, 1))
ds = tf.data.Dataset.from_tensor_slices((x, y)).batch(4)
model = Sequential([
    Input((8,)), layers.Dense(1)])
model.compile("adam", "mse")
{call}
""")
    assert set(told) == {3, 4}


def test_a_layer_within_a_sequential_gets_no_cast_of_what_that_is_given() -> None:
    finding = the_one("""
import torch
from torch import nn
class Doubled(nn.Module):
    def forward(self, x):
        return x.double() * 2
given = torch.zeros(4, 2)
nn.Sequential(Doubled(), nn.Linear(2, 3))(given)
""")
    assert (finding.rule, finding.fix) == ("dtype-mismatch", None)


@pytest.mark.parametrize(("program", "help_"), [
    ("import torch\ntorch.nn.BCELoss()(torch.zeros(2, 3, 16, 16), torch.zeros(2, 3, 48, 48))",
     "bring both to one shape"),
    ("import torch\ny = 1 / (torch.zeros(4, dtype=torch.float16) + 1e-8)",
     "1e-4 or more, or compute this in float32: x.float()"),
    (MODEL + """
model = Sequential([Input((8, 4)), layers.Conv1D(8, 2), layers.Dense(1, activation="sigmoid")])
model.compile("adam", "binary_crossentropy")
model.fit(np.zeros((14, 8, 4)), np.zeros(14))
""", "flatten or pool before the last layer: the output has 3 axes"),
])
def test_help_speaks_of_what_the_program_has(program: str, help_: str) -> None:
    assert the_one(program).help == help_


def test_a_layer_that_is_used_twice_shows_what_it_was_built_on() -> None:
    told = texts(MODEL + """
dense = layers.Dense(3)
a = layers.Flatten()(Input((4, 4)))
dense(a)
b = layers.Flatten()(Input((4, 5)))
dense(b)
""")
    assert told == {5: "built on float32[B, 16]", 7: "float32[B, 20]"}


@pytest.mark.parametrize(("layer", "fails"), [
    ("layers.Dense(3)", 'everywhere, when the model is built: ValueError "expected axis -1'),
    ("layers.PReLU()", "everywhere, when the model runs, not when it is built: InvalidArgumentError or ValueError"),
    ("layers.LayerNormalization()", "everywhere, when the model runs, not when it is built: "),
])
def test_some_layers_compare_their_channels_as_they_run_only(layer: str, fails: str) -> None:
    finding = the_one(MODEL + f"layer = {layer}\nlayer(Input((8, 3)))\nlayer(Input((8, 4)))")
    assert finding.rule == "channel-mismatch"
    assert finding.fails.startswith(fails)


def test_the_divergence_of_two_distributions_names_the_target_first() -> None:
    found = the_one("import torch\ntorch.nn.KLDivLoss()(torch.zeros(3, 4), torch.zeros(3, 5))")
    assert "tensor a (5) must match the size of tensor b (4)" in found.fails


@pytest.mark.parametrize(("line", "fails"), [
    ("tf.add_n([x, tf.zeros((2, 3, 5))])", 'when it runs: InvalidArgumentError "must have the same size and shape"'),
    ("tf.where(tf.zeros((2,), bool), x, tf.zeros((5,)))", 'when it runs: InvalidArgumentError "must be broadcastable"'),
    ("tf.boolean_mask(x, [True, False, True])", 'when it runs: ValueError "Shapes ... are incompatible"'),
    ("np.concatenate([n, n[0]])", 'when it runs: ValueError "all the input arrays must have same number of'),
    ("keras.ops.squeeze(i, 1)", 'when the model is built: ValueError "Cannot squeeze axis"'),
    ('keras.ops.einsum("bij,bjk->bik", i, i)', "when the model runs, not when it is built: InvalidArgumentError"),
    ('keras.layers.EinsumDense("ab,bc->ac", 3)(i)', "when the model runs, not when it is built: "),
    ("keras.layers.TimeDistributed(keras.layers.Conv1D(2, 2))(i)",
     'when the model is built: ValueError "Kernel shape must have the same length as input"'),
    ("keras.layers.Conv2D(4, kernel=3)", 'when the layer is made: TypeError "missing 1 required positional argument: '
     "'kernel_size'\""),
    ("keras.layers.Dense(4, unit=3)",
     'when the layer is made: ValueError "Unrecognized keyword arguments passed to Dense"'),
    ("keras.layers.ZeroPadding2D((1, 2, 3))", 'when the layer is made: ValueError "`padding` should have two '),
])
def test_each_function_has_its_own_words(line: str, fails: str) -> None:
    program = ["import keras, numpy as np, tensorflow as tf", "x, n = tf.zeros((2, 3, 4)), np.zeros((2, 3, 4))",
               "i = keras.Input((3, 4))", line]
    assert the_one("\n".join(program)).fails.partition(", ")[2].startswith(fails)


@pytest.mark.parametrize(("function", "error"), [
    ("lambda x, y: x", 'TypeError "missing ... required positional argument"'),
    ("lambda: 0", 'TypeError "takes ... positional argument ... but 1 were given" or "... was given"'),
])
def test_a_function_of_map_gets_too_few_arguments_or_too_many(function: str, error: str) -> None:
    found = the_one(f"import tensorflow as tf\ntf.data.Dataset.range(3).map({function})")
    assert found.fails == f"everywhere, when it runs: {error}"


def test_a_layer_that_fails_as_it_runs_is_not_refuted_by_being_made() -> None:
    claim = the_one(MODEL + 'layers.UpSampling2D(2, interpolation="linear")').claim
    assert claim is not None
    assert claim.kind == "not-verifiable"


@pytest.mark.parametrize(("made", "moment"), [("Linear(3, (4,))", "the layer is made"),
                                              ("LazyLinear((4,))", "it is first called")])
def test_a_lazy_module_makes_its_weights_when_it_is_called(made: str, moment: str) -> None:
    assert the_one(f"from torch import nn\nlayer = nn.{made}").fails.startswith(f"everywhere, when {moment}: TypeError")


@pytest.mark.parametrize(("program", "places"), [
    (MODEL + """
i = Input((28, 28, 1))
model = Model(i, layers.Conv2D(3, 3)(i))
model(np.zeros((1, 80, 80, 1), "float32"))
""", {4: "the model takes float32[B, 28, 28, 1]"}),
    (MODEL + """
adam = keras.optimizers.Adam()
a = Sequential([Input((4,)), layers.Dense(1)])
a.compile(adam, "mse")
a.train_on_batch(np.zeros((8, 4)), np.zeros((8, 1)))
b = Sequential([Input((4,)), layers.Dense(1)])
b.compile(adam, "mse")
b.train_on_batch(np.zeros((8, 4)), np.zeros((8, 1)))
""", {4: "the optimizer", 5: "the model that it was built for", 8: "the other model"}),
    (MODEL + """
model = Sequential([Input((4,)), layers.Dense(1)])
model.compile("adam", "mse", metrics=["accuracy"])
history = model.fit(np.zeros((8, 4)), np.zeros((8, 1)))
print(history.history["acc"])
""", {5: "what fit() logs is named here"}),
    ("""
from torch.utils.data import DataLoader, Dataset
class Data(Dataset):
    def __len__(self):
        return 0
DataLoader(Data(), shuffle=True)
""", {4: "gives 0"}),
])
def test_what_the_message_speaks_of_is_shown(program: str, places: dict[int, str]) -> None:
    told = texts(program)
    assert {line: told.get(line) for line in places} == places


@pytest.mark.parametrize(("program", "help_"), [
    (MODEL + """
model = Sequential([Input((4,)), layers.Dense(2, activation="softmax")])
model.compile("adam", "categorical_crossentropy")
model.fit(np.zeros((8, 4)), np.zeros((8, 2)), class_weight="balanced")
""", 'a dict of class numbers and weights; scikit-learn counts "balanced" ones: '
     'compute_class_weight("balanced", classes=np.unique(y), y=y)'),
    ("import torch\ntorch.nn.Conv3d(16, 2, 1)(torch.rand(10, 16, 8, 8))",
     "an input of 4 axes is one sample, its first axis the channels; Conv3d takes a batch of 5 axes"),
    ("import tensorflow as tf, numpy as np\nnp.shape(np.zeros((4, 4)), (2, 8))",
     "np.reshape gives an array another shape"),
    ("import tensorflow as tf\ntf.keras.losses.categorical_crossentropy(tf.constant([0, 1]), tf.zeros((1, 2)))",
     "one label that is one-hot needs a batch axis: y[np.newaxis], (1, 2)"),
    (MODEL + """
model = Sequential([Input((4, 4, 3)), layers.Conv2D(1, 1, activation="sigmoid")])
model.compile("adam", "binary_crossentropy")
model.fit(np.zeros((8, 4, 4, 3)), np.zeros((8, 1, 4, 4)))
""", "the labels have their channels first, the output has them last: give data and layers one data_format"),
    ("import keras\nkeras.model.Sequential([])", "did you mean models?"),
])
def test_help_that_does_not_lead_into_the_next_error(program: str, help_: str) -> None:
    assert the_one(program).help == help_


def test_a_last_axis_of_one_is_not_in_the_error_that_keras_3_prints() -> None:
    found = the_one(MODEL + """
i = Input((28, 28, 1))
Model(i, layers.Conv2D(3, 3)(i))(np.zeros((1, 80, 80, 1), "float32"))
""")
    assert 'expected shape=(None, 28, 28, 1), found shape=(1, 80, 80"' in found.fails


def test_a_parameter_of_ones_own_class_is_no_crash() -> None:
    assert not found_in("""
import torch
class Own(torch.nn.Parameter):
    pass
own = Own(torch.zeros(2, 3))
print(own.shape, own.dtype)
own.data[0] = 1
""")


@pytest.mark.parametrize(("callback", "fails"), [
    ('EarlyStopping("acc")', 'with Keras from 2.3 on, in fit(): ValueError "EarlyStopping callback received '
                             'monitor=acc" '
                             "with Keras from 3 on, or a warning, and it never stops"),
    ('EarlyStopping("val_accuracy")', "with Keras from 2.3 on, in fit(): a warning, and it never stops"),
    ('EarlyStopping("acc", mode="max")', "with Keras from 2.3 on, in fit(): a warning, and it never stops"),
    ('ReduceLROnPlateau("acc")', 'with Keras from 2.3 on, in fit(): ValueError "ReduceLROnPlateau callback received '
                                 'monitor=acc" with Keras from 3.11 on, or a warning, and it never lowers the learning '
                                 "rate"),
    ('ModelCheckpoint("best.keras", "acc")', "with Keras from 3.11 on, in fit(): ValueError \"ModelCheckpoint callback "
                                             'received monitor=acc"'),
])
def test_what_is_monitored_and_never_logged(callback: str, fails: str) -> None:
    assert the_one(MODEL + f"""
model = Sequential([Input((4,)), layers.Dense(1)])
model.compile("adam", "mse", metrics=["accuracy"])
model.fit(np.zeros((8, 4)), np.zeros((8, 1)), callbacks=[keras.callbacks.{callback}])
""").fails == fails


def test_images_that_are_normalised_are_shown_with_the_data_set() -> None:
    told = texts("""
from torchvision import datasets, transforms
steps = transforms.Compose([
    transforms.ToTensor(),
    transforms.Normalize((0.5, 0.5, 0.5), (0.5, 0.5, 0.5))])
data = datasets.MNIST(
    "data", transform=steps)
image, label = data[0]
""")
    assert told == {4: "float32[1, 28, 28]", 6: "its images go through this"}


def test_an_argument_of_keras_1_tells_what_is_meant_though_it_is_refused() -> None:
    found = found_in("""
import keras
from keras import layers
x = layers.Conv2D(4, (3, 3), border_mode="same", subsample=(2, 2))(keras.Input((28, 28, 3)))
layers.Conv2D(4, (15, 15), padding="same")(layers.Conv2D(4, (15, 15), border_mode="same")(x))
""")
    assert {finding.rule for finding in found} == {"unknown-layer-argument"}


def test_of_two_devices_both_places_are_told() -> None:
    found = the_one("""import torch
from torch import nn
net = nn.Linear(3, 2)
net.to("cuda")
x = torch.zeros(4, 3)
y = net(x)
""")
    assert {label.span.line: label.text for label in found.trace} == {4: "Linear to the GPU", 5: "float32[4, 3]"}
    assert found.help.startswith("device= of the torch.zeros")


def test_a_list_that_is_too_short_is_told_with_the_loop() -> None:
    assert texts("""import torch
sizes = [32, 64]
for i in range(4):
    layer = torch.nn.Linear(sizes[i], 3)
""") == {2: "2 elements", 3: "the loop, in turn 3"}


def test_names_of_the_program_stay_as_they_are_in_what_keras_raises() -> None:
    own = MODEL + """
class ConvolutionBlock(layers.Layer):
    def __init__(self, filters, **kwargs):
        super().__init__(**kwargs)
ConvolutionBlock(8, kernel=3)
"""
    assert "passed to ConvolutionBlock" in the_one(own).fails
    assert "passed to MaxPooling2D" in the_one(MODEL + "layers.MaxPool2D(pol=2)").fails


@pytest.mark.parametrize(("merged", "received"), [
    ("Input((8, 1)), Input((8, 4)), Input((7, 4))", "(8, 4) and (7, 4)"),
    ("Input((8,)), Input((4, 3))", "(4, 3) and (8,)"),
    ("Input((1, 8)), Input((5, 8)), Input((6, 1))", "(5, 8) and (6, 1)"),
])
def test_shapes_stand_as_a_merge_prints_them(merged: str, received: str) -> None:
    """Each run with Keras 3.15."""
    assert f"Received shapes {received}" in the_one(MODEL + f"layers.Add()([{merged}])").fails


def test_an_argument_by_position_is_named_as_the_program_names_it() -> None:
    assert the_one(MODEL + """
class Block(layers.Layer):
    def call(self, x, active=None):
        return x
Block()(np.zeros((2, 3)), True)
""").help == "name it: active=True"


def test_scores_against_rows_of_ones_and_zeros_need_both_as_classes() -> None:
    """With scikit-learn 1.9 argmax of the scores alone raises the next error."""
    assert the_one(MODEL + """
from sklearn.metrics import accuracy_score
model = Sequential([Input((4,)), layers.Dense(3, activation="softmax")])
accuracy_score(keras.utils.to_categorical(np.random.randint(0, 3, 32), 3), model.predict(np.zeros((32, 4))))
""").help == "np.argmax(y, axis=1) of both"


def test_what_follows_from_a_misspelt_argument_is_not_told() -> None:
    """What the layer, compile() or fit() is meant to be given is not their default."""
    layer = found_in(MODEL + """
model = Sequential([Input((20,)), layers.Dense(3, activaton="softmax")])
model.compile("adam", "sparse_categorical_crossentropy")
model.fit(np.zeros((100, 20)), np.random.randint(0, 3, 100))
""")
    assert [found.rule for found in layer] == ["unknown-layer-argument"]
    padding = found_in(MODEL + """
x = Input((32, 32, 8))
layers.Add()([x, layers.Conv2D(8, 3, paddin="same")(x)])
""")
    assert [found.rule for found in padding] == ["unknown-layer-argument"]
    compiled = found_in(MODEL + """
model = Sequential([Input((20,)), layers.Dense(3)])
model.compile("adam", "mse", metics=["mae"])
history = model.fit(np.zeros((100, 20)), np.zeros((100, 3)))
print(history.history["mae"])
""")
    assert [found.rule for found in compiled] == ["unknown-layer-argument"]


def test_data_for_a_model_with_swapped_axes_are_not_told_of_again() -> None:
    found = found_in(MODEL + """
model = Sequential([
    Input((3, 32, 32)),
    layers.Conv2D(8, 2), layers.Flatten(), layers.Dense(2)])
model.compile("adam", "mse")
model.fit(np.zeros((100, 32, 32, 3)), np.zeros((100, 2)))
""")
    assert "input-shape-mismatch" not in [one.rule for one in found]


def test_only_tensorflow_refuses_to_mix_dtypes_of_keras() -> None:
    """Run with the TensorFlow and the PyTorch backend of Keras 3.15."""
    told = the_one("from keras import ops\nproduct = ops.zeros((3,)) * ops.arange(3)\n")
    assert told.fails.startswith("with Keras' TensorFlow backend, ")
    assert told.help == "keras.ops.cast one of them"
    mixed = the_one("import tensorflow as tf\nproduct = tf.zeros((3,)) * tf.range(3)\n")
    assert mixed.fails.startswith("everywhere, ")


def test_weights_of_classes_are_shown_where_they_are_made() -> None:
    assert texts(MODEL + """
weights = np.ones(2)
model = Sequential([Input((4,)), layers.Dense(2, activation="softmax")])
model.compile("adam", "sparse_categorical_crossentropy")
model.fit(np.zeros((8, 4)), np.zeros(8, "int64"), class_weight=weights)
""")[4] == "float64[2]"
